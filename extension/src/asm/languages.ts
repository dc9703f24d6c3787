// The languages of listings for the editor: PTX, SASS and the assembly of processors, each a table of what a token
// looks like.
import type { StreamParser } from "@codemirror/language";
import { StreamLanguage } from "@codemirror/language";
import type { AsmListing } from "../../../kernel/mime.ts";

/** What a token looks like at the place that was reached, and its name among CodeMirror's tags; `null`: plain. */
type Rule = readonly [pattern: RegExp, tag: string | null];

interface Grammar {
  /** Where an instruction begins on its line. */
  readonly opcode: RegExp;
  /** What may stand before it: the predicate, the address. The instruction is still to come. */
  readonly before: readonly Rule[];
  readonly rules: readonly Rule[];
}

const lineComment: Rule = [/^\/\/.*/, "comment"];
const inlineComment: Rule = [/^\/\*.*?(?:\*\/|$)/, "comment"];
const string: Rule = [/^"(?:[^"\\]|\\.)*"?/, "string"];
const number: Rule = [/^[-+]?(?:0[xX][\da-fA-F]+|0[fFdD][\da-fA-F]{8,16}|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\b/, "number"];
const word: Rule = [/^[\w$.]+/, null];

const ptx: Grammar = {
  opcode: /^[a-z][\w.]*(?=[\s;]|$)/,
  before: [
    [/^@!?%p\w*/, "meta"],
    [/^[\w$]+:/, "labelName"],
  ],
  rules: [
    lineComment,
    inlineComment,
    string,
    [
      /^%(?:tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|clock\w*|globaltimer\w*|lanemask\w*|cluster\w*|dynamic_smem_size|total_smem_size|envreg\w*)(?:\.[xyzw])?\b/,
      "variableName.standard",
    ],
    [/^%[a-zA-Z][\w]*/, "variableName.special"],
    [/^\.[a-zA-Z]\w*/, "meta"],
    number,
    [/^\$L[\w$]*/, "labelName"],
    word,
  ],
};

const sass: Grammar = {
  opcode: /^[A-Z][A-Z\d]*(?:\.[\w.]+)?(?=[\s;]|$)/,
  before: [inlineComment, [/^@!?U?P(?:\d+|T)\b/, "meta"], [/^\.?[\w$.]+:/, "labelName"], [/^[{}]/, null]],
  rules: [
    lineComment,
    inlineComment,
    string,
    [/^`\([^)]*\)/, "labelName"],
    [/^c\[[^\]]*\](?:\[[^\]]*\])?/, "atom"],
    [/^SR_[\w.]+/, "variableName.standard"],
    [/^!?U?P(?:\d+|T)\b/, "variableName.special"],
    [/^[-~|!]?U?R(?:\d+|Z)(?:\.(?:reuse|64|H[01]_H[01]|B\d|\w+))*\b/, "variableName.special"],
    [/^[&?][\w]+(?:=\{?[\d,]*\}?)?/, "comment"],
    [/^\.[a-zA-Z_][\w.]*/, "meta"],
    number,
    word,
  ],
};

const assembly: Grammar = {
  opcode: /^[a-z][\w.]*(?=[\s;]|$)/,
  before: [
    [/^[\w$.@]+:/, "labelName"],
    [/^\.[a-zA-Z_][\w.]*/, "meta"],
    [/^(?:lock|rep|repe|repz|repne|repnz|data16|notrack)\b/, "keyword"],
  ],
  rules: [
    lineComment,
    inlineComment,
    [/^[#;].*/, "comment"],
    string,
    [/^%[a-z][a-z\d]*(?:\(\d\))?/, "variableName.special"],
    [
      /^\b(?:[re]?(?:[abcd]x|[sd]i|[sb]p|ip)|[abcd][lh]|r\d{1,2}[dwb]?|[xyz]mm\d{1,2}|k[0-7]|[xwvqdsbh]\d{1,2}|sp|[xw]zr|lr)\b(?:\.\d*[a-z])?/,
      "variableName.special",
    ],
    [/^\b(?:BYTE|WORD|DWORD|QWORD|XMMWORD|YMMWORD|ZMMWORD|PTR|OFFSET|FLAT|rel)\b/, "meta"],
    [/^[$#](?=[-\d])/, "number"],
    number,
    [/^\.L\w+/, "labelName"],
    [/^@[A-Z]+/, "meta"],
    word,
  ],
};

const grammars: Readonly<Record<AsmListing["name"], Grammar>> = { PTX: ptx, SASS: sass, assembly };

interface Line {
  /** The instruction of this line is still to come. */
  isFresh: boolean;
}

function parserOf(name: AsmListing["name"]): StreamParser<Line> {
  const { opcode, before, rules } = grammars[name];
  return {
    name,
    startState: () => ({ isFresh: true }),
    token: (stream, state) => {
      if (stream.sol()) state.isFresh = true;
      if (stream.eatSpace()) return null;
      if (state.isFresh) {
        const lead = before.find(([pattern]) => stream.match(pattern));
        if (lead) return lead[1];
        state.isFresh = false;
        if (stream.match(opcode)) return "keyword";
      }
      const rule = rules.find(([pattern]) => stream.match(pattern));
      if (!rule) stream.next();
      return rule?.[1] ?? null;
    },
  };
}

/** Made once: an editor keeps what a language has parsed by the language itself. */
const languages: Readonly<Record<AsmListing["name"], StreamLanguage<Line>>> = {
  PTX: StreamLanguage.define(parserOf("PTX")),
  SASS: StreamLanguage.define(parserOf("SASS")),
  assembly: StreamLanguage.define(parserOf("assembly")),
};

export const listingLanguage = (name: AsmListing["name"]): StreamLanguage<Line> => languages[name];

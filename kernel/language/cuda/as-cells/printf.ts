// `printf` and `std::cout` as template strings of console.log.
import type { Expression } from "./nodes.ts";
import { onHost } from "./pointers.ts";
import { Untranslated } from "./read-expressions.ts";
import type { Translator } from "./translator.ts";
import { isBig, isScalar, scalar, scalars } from "./types.ts";
import { condition, converted, levels, receiver, settled, wrapped, type Value } from "./value.ts";

interface Format {
  readonly flags: string;
  readonly width: string;
  readonly precision: number | null;
  readonly letter: string;
}

const pattern = /%([-+ 0#]*)(\d*)(?:\.(\d+))?(?:hh|h|ll|l|z|j|t)?([diuxXofFeEgGcsp%])/g;

/** What is printed, as the inside of a template string. */
export function formatted(t: Translator, format: string, args: readonly Expression[]): string {
  let text = "";
  let last = 0;
  let next = 0;
  for (const match of format.matchAll(pattern)) {
    const [whole, flags = "", width = "", precision, letter = ""] = match;
    text += literal(format.slice(last, match.index));
    last = match.index + whole.length;
    if (letter === "%") text += "%";
    else {
      const arg = args[next++];
      if (arg === undefined) throw new Untranslated("printf has fewer arguments than its format names");
      text += one(t, { flags, width, precision: precision === undefined ? null : Number(precision), letter }, arg);
    }
  }
  const rest = format.slice(last);
  if (rest.includes("%")) throw new Untranslated(`the format ${rest}`);
  return text + literal(rest);
}

/** Text of a string of C++ in a template string. */
export function literal(text: string): string {
  return text.replace(/`|\$\{/g, "\\$&").replace(/\\0(?!\d)/g, "\\0");
}

function one(t: Translator, format: Format, arg: Expression): string {
  if (format.letter === "c" && format.width === "") {
    const known = character(arg);
    if (known !== null) return literal(known);
    const [yes, no] = arg.kind === "condition" ? [character(arg.yes), character(arg.no)] : [null, null];
    if (arg.kind === "condition" && yes !== null && no !== null)
      return `\${${wrapped(condition(t.expr(arg.test)), levels["||"])} ? "${yes}" : "${no}"}`;
  }
  const string = wordOf(t, format, t.expr(arg));
  return `\${${padded(t, string, format)}}`;
}

/** A character that is written out. */
function character(arg: Expression): string | null {
  return arg.kind === "char" && arg.text !== "'\"'" ? arg.text.slice(1, -1) : null;
}

type Word = Pick<Value, "text" | "level"> & Partial<Pick<Value, "positive">> & { readonly isString: boolean };

function wordOf(t: Translator, format: Format, given: Value): Word {
  const row = letters[format.letter];
  if (row === undefined || /[+ #]/.test(format.flags))
    throw new Untranslated(`the format %${format.flags}${format.letter}`);
  return row(t, given, format);
}

const string = (text: string): Word => ({ text, level: levels.primary, isString: true });

const whole =
  (signed: boolean) =>
  (_: Translator, given: Value, { precision }: Format): Word => {
    if (!isScalar(given.type) || scalars[given.type.name].kind === "float" || precision !== null)
      throw new Untranslated("a format that does not fit its argument");
    const type =
      given.type.name === "bool"
        ? scalar("i32")
        : isBig(given.type) || given.type.name === "size"
          ? given.type
          : scalar(signed ? "i32" : "u32");
    const same = isBig(given.type) ? given.type : type;
    return { ...settled(converted(given, same)), isString: false };
  };

const real =
  (write: (text: string, digits: number) => string) =>
  (_: Translator, given: Value, { precision }: Format): Word => {
    if (!isScalar(given.type) || scalars[given.type.name].kind !== "float")
      throw new Untranslated("a format that does not fit its argument");
    return string(write(receiver(settled(given)), precision ?? 6));
  };

function hexadecimal(_: Translator, given: Value): Word {
  if (!isScalar(given.type) || scalars[given.type.name].kind === "float")
    throw new Untranslated("a format that does not fit its argument");
  const type = isBig(given.type) ? scalar("u64") : scalar("u32");
  return string(`${receiver(settled(converted(given, type)))}.toString(16)`);
}

const letters: Record<string, (t: Translator, given: Value, format: Format) => Word> = {
  d: whole(true),
  i: whole(true),
  u: whole(false),
  x: hexadecimal,
  f: real((text, digits) => `${text}.toFixed(${digits})`),
  e: (t, given, format) => {
    t.cells.helper("exponential");
    return real((text, digits) => `exponential(${text}, ${digits})`)(t, given, format);
  },
  g: (t, given, format) => {
    t.cells.helper("general");
    return real((text, digits) => `general(${text}, ${digits})`)(t, given, format);
  },
  c: (_, given) => string(`String.fromCharCode(${settled(given).text})`),
  s: (t, given, { precision }) => string(textOf(t, given) + (precision === null ? "" : `.slice(0, ${precision})`)),
};

/** A C string: text, or an array of characters that ends with a 0. */
export function textOf(t: Translator, given: Value): string {
  const { type } = given;
  if (type.kind === "text") return wrapped(given, levels.primary);
  if (type.kind === "pointer" && type.place.is === "managed") return textOf(t, onHost(given));
  const element =
    type.kind === "array" || type.kind === "vector"
      ? type.of
      : type.kind === "pointer" && type.place.is === "host"
        ? type.to
        : null;
  if (element === null || !isScalar(element) || scalars[element.name].bytes !== 1)
    throw new Untranslated("a format that does not fit its argument");
  t.cells.helper("textOf");
  return `textOf(${given.text})`;
}

function padded(t: Translator, word: Word, { flags, width, letter }: Format): string {
  if (width === "") return word.text;
  const text = word.isString ? wrapped(word, levels.primary) : `String(${word.text})`;
  if (flags.includes("-")) return `${text}.padEnd(${width})`;
  if (!flags.includes("0")) return `${text}.padStart(${width})`;
  if (word.positive === true || letter === "x" || letter === "u") return `${text}.padStart(${width}, "0")`;
  t.cells.helper("withZeros");
  return `withZeros(${text}, ${width})`;
}

/** A statement that prints the inside of a template string. */
export function print(text: string, stream: "stdout" | "stderr"): string {
  const hasValue = text.includes("${");
  const quoted = (inside: string): string =>
    hasValue || inside.includes('"') || inside.includes("\\`") ? `\`${inside}\`` : `"${inside}"`;
  if (text === "\\n") return stream === "stdout" ? "console.log();" : "console.error();";
  if (text.endsWith("\\n")) return `console.${stream === "stdout" ? "log" : "error"}(${quoted(text.slice(0, -2))});`;
  return `process.${stream}.write(${quoted(text)});`;
}

/** `std::cout << a << b << std::endl` */
export function streamed(t: Translator, expression: Expression): { text: string; stream: "stdout" | "stderr" } | null {
  const parts: Expression[] = [];
  let first = expression;
  while (first.kind === "binary" && first.op === "<<") {
    parts.unshift(first.right);
    first = first.left;
  }
  if (first.kind !== "name" || (first.name !== "cout" && first.name !== "cerr") || parts.length === 0) return null;
  let isAlpha = false;
  let text = "";
  for (const part of parts) {
    if (part.kind === "name" && (part.name === "endl" || part.name === "boolalpha" || part.name === "flush")) {
      if (part.name === "endl") text += "\\n";
      isAlpha ||= part.name === "boolalpha";
    } else if (part.kind === "string") text += literal(part.text);
    else if (part.kind === "char") text += literal(part.text.slice(1, -1));
    else text += `\${${shown(t, t.expr(part), isAlpha)}}`;
  }
  return { text, stream: first.name === "cout" ? "stdout" : "stderr" };
}

function shown(t: Translator, given: Value, isAlpha: boolean): string {
  if (!isScalar(given.type)) return textOf(t, given);
  const { kind, bytes } = scalars[given.type.name];
  if (kind === "bool") return isAlpha ? given.text : `Number(${given.text})`;
  if (kind === "float") {
    t.cells.helper("general");
    return `general(${settled(given).text}, 6)`;
  }
  return bytes === 1 ? `String.fromCharCode(${settled(given).text})` : settled(given).text;
}

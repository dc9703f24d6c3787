// Calls of host code: a row for each function of C and C++, and for each member of a vector; the program's own functions
// are translated when they are first called.
import { countIn, counted, isClock, now } from "./clocks.ts";
import { copied, initialised } from "./initialise.ts";
import { calledLambda } from "./lambdas.ts";
import { bare } from "./memory.ts";
import type { Expression } from "./nodes.ts";
import { formatted, print, textOf } from "./printf.ts";
import { Untranslated } from "./read-expressions.ts";
import { isRuntime, runtimeCall } from "./runtime.ts";
import { errorTest } from "./statements.ts";
import type { Translator } from "./translator.ts";
import { isScalar, isVectorName, builtinTypeOf, plain, scalar, scalars, type Type } from "./types.ts";
import { commonType, condition, converted, levels, receiver, settled, value, wrapped, type Value } from "./value.ts";

type Row = (t: Translator, args: readonly Expression[]) => Value;

export function called(t: Translator, of: Expression, args: readonly Expression[]): Value {
  if (of.kind === "member") return memberCall(t, of, args);
  if (of.kind !== "name") throw new Untranslated("a function that is chosen while the program runs");
  const local = t.find(of.name);
  if (local?.type.kind === "function") return calledLambda(t, local.name, local.type, args);
  const own = t.cells.program.functions.get(of.name);
  const checked = own?.parameters.findIndex(({ type }) => type.words[0] === "cudaError_t") ?? -1;
  // A function that looks at what CUDA returned: there is nothing to look at.
  if (checked >= 0 && args[checked] !== undefined) return t.expr(args[checked]);
  if (own !== undefined) return t.cells.call(t, own, of.args, args);
  if (isRuntime(of.name)) return runtimeCall(t, of.name, args);
  if (isClock(of.name)) return now();
  if (of.name === "chrono::duration_cast" && args.length === 1) return counted(of.args?.[0], t.expr(args[0]!));
  const vector = /^make_(\w+)$/.exec(of.name)?.[1] ?? "";
  if (isVectorName(vector)) return initialised(t, builtinTypeOf([vector])!, { kind: "list", items: args });
  const row = Object.hasOwn(functions, of.name) ? functions[of.name] : undefined;
  if (row === undefined) throw new Untranslated(`${of.name}, which has no counterpart here`);
  return row(t, args);
}

const f64 = scalar("f64");
const text = (t: Translator, arg: Expression): string => textOf(t, t.expr(arg));

/** A function of Math, of doubles; of floats it is rounded. */
const math =
  (name: string, isExact = false): Row =>
  (t, args) => {
    const given = args.map((arg) => t.expr(arg));
    const isSingle = given.every(({ type }) => isScalar(type) && type.name === "f32");
    const list = given.map((each) => settled(converted(each, isSingle ? scalar("f32") : f64)).text);
    return value(`Math.${name}(${list.join(", ")})`, scalar(isSingle ? "f32" : "f64"), { exact: isExact || !isSingle });
  };

const extreme =
  (name: "min" | "max"): Row =>
  (t, [a, b]) => {
    const [left, right] = [t.expr(a!), t.expr(b!)];
    const type =
      isScalar(left.type) && isScalar(right.type) && left.type.name === right.type.name
        ? left.type
        : commonType(left.type, right.type);
    const [first, second] = [settled(converted(left, type)), settled(converted(right, type))];
    if (isScalar(type) && scalars[type.name].kind === "big") {
      const sign = name === "min" ? "<" : ">";
      return value(
        `${wrapped(first, levels.compare + 1)} ${sign} ${wrapped(second, levels.compare + 1)} ? ${first.text} : ${second.text}`,
        type,
        { level: levels.condition },
      );
    }
    return value(`Math.${name}(${first.text}, ${second.text})`, type, { positive: first.positive && second.positive });
  };

const absolute: Row = (t, [x]) => {
  const given = settled(t.expr(x!));
  const type = commonType(given.type, scalar("i32"));
  if (isScalar(type) && scalars[type.name].kind === "big")
    return value(`(${given.text} < 0n ? -${wrapped(given, levels.unary)} : ${given.text})`, type);
  return value(`Math.abs(${given.text})`, type, { positive: true });
};

const printed =
  (stream: "stdout" | "stderr"): Row =>
  (t, [format, ...args]) => {
    if (format?.kind !== "string") throw new Untranslated("a format that is computed");
    t.before.push(print(formatted(t, format.text, args), stream));
    return value("", plain("void"));
  };

const none: Row = () => value("", plain("void"));
const parsed =
  (name: string, type: Type): Row =>
  (t, [of]) =>
    value(`${name}(${text(t, of!)})`, type, { exact: true });

const functions: Record<string, Row> = {
  printf: printed("stdout"),
  fprintf: (t, [stream, ...rest]) => {
    if (stream?.kind !== "name" || !/^std(out|err)$/.test(stream.name))
      throw new Untranslated("a file that is written");
    return printed(stream.name as "stdout")(t, rest);
  },
  puts: (t, [of]) => {
    t.before.push(
      of?.kind === "string"
        ? print(`${of.text.replace(/`|\$\{/g, "\\$&")}\\n`, "stdout")
        : `console.log(${text(t, of!)});`,
    );
    return value("", plain("void"));
  },
  putchar: (t, [of]) => {
    t.before.push(
      of?.kind === "char"
        ? print(of.text.slice(1, -1), "stdout")
        : `process.stdout.write(String.fromCharCode(${settled(t.expr(of!)).text}));`,
    );
    return value("", plain("void"));
  },
  fflush: none,
  free: none,
  clock: () => value("Math.round(performance.now() * 1000)", scalar("size")),
  rand: () => value("Math.floor(Math.random() * 2 ** 31)", scalar("i32"), { positive: true }),
  // Numbers that differ each time do so here, too; those of a seed are C's own.
  srand: (_, [seed]) => {
    const given = seed === undefined ? undefined : bare(seed);
    if (given?.kind !== "call" || given.of.kind !== "name" || given.of.name !== "time")
      throw new Untranslated("the random numbers of a seed, which are C's own");
    return value("", plain("void"));
  },
  exit: (t, [code]) => {
    const given = settled(t.expr(code!));
    if (given.literal === 0) throw new Untranslated("a program that leaves in the middle");
    t.before.push(
      `throw new Error(${given.literal === undefined ? `\`exit code \${${given.text}}\`` : `"exit code ${given.literal}"`});`,
    );
    return value("", plain("void"));
  },
  atoi: parsed("Number.parseInt", scalar("i32")),
  stoi: parsed("Number.parseInt", scalar("i32")),
  stoul: parsed("BigInt", scalar("u64")),
  atoll: parsed("BigInt", scalar("i64")),
  atol: parsed("BigInt", scalar("i64")),
  stoll: parsed("BigInt", scalar("i64")),
  strtoul: parsed("BigInt", scalar("u64")),
  strtoull: parsed("BigInt", scalar("u64")),
  assert: (t, [test]) => {
    if (test === undefined) throw new Untranslated("assert of nothing");
    if (errorTest(t, test) !== null) return value("", plain("void"));
    return value(`console.assert(${condition(t.expr(test)).text})`, plain("void"));
  },
  atof: parsed("Number.parseFloat", f64),
  stod: parsed("Number.parseFloat", f64),
  stof: parsed("Number.parseFloat", f64),
  strlen: (t, [of]) => value(`${text(t, of!)}.length`, scalar("size")),
  strcmp: (t, [a, b]) => {
    const [first, second] = [text(t, a!), text(t, b!)];
    return value(`Number(${first} > ${second}) - Number(${first} < ${second})`, scalar("i32"), { level: levels.add });
  },
  swap: (t, [a, b]) => {
    const [first, second] = [t.expr(a!), t.expr(b!)];
    if (first.type.kind === "pointer" && second.type.kind === "pointer") first.type.place.joins(second.type.place);
    return value(`[${first.text}, ${second.text}] = [${second.text}, ${first.text}]`, plain("void"), {
      level: levels.assign,
    });
  },
  min: extreme("min"),
  max: extreme("max"),
  fmin: math("min", true),
  fmax: math("max", true),
  fminf: math("min", true),
  fmaxf: math("max", true),
  abs: absolute,
  labs: absolute,
  llabs: absolute,
  fabs: math("abs", true),
  fabsf: math("abs", true),
  floor: math("floor", true),
  floorf: math("floor", true),
  ceil: math("ceil", true),
  trunc: math("trunc", true),
  sqrt: math("sqrt"),
  sqrtf: math("sqrt"),
  cbrt: math("cbrt"),
  exp: math("exp"),
  expf: math("exp"),
  log: math("log"),
  logf: math("log"),
  log2: math("log2"),
  log10: math("log10"),
  pow: math("pow"),
  powf: math("pow"),
  hypot: math("hypot"),
  sin: math("sin"),
  sinf: math("sin"),
  cos: math("cos"),
  cosf: math("cos"),
  tan: math("tan"),
  acos: math("acos"),
  asin: math("asin"),
  atan: math("atan"),
  atan2: math("atan2"),
  tanh: math("tanh"),
  isnan: (t, [x]) => value(`Number.isNaN(${settled(t.expr(x!)).text})`, scalar("bool")),
  isfinite: (t, [x]) => value(`Number.isFinite(${settled(t.expr(x!)).text})`, scalar("bool")),
  fmod: (t, [a, b]) => {
    const [left, right] = [converted(t.expr(a!), f64), converted(t.expr(b!), f64)];
    return value(`${wrapped(settled(left), levels.multiply)} % ${wrapped(settled(right), levels.multiply + 1)}`, f64, {
      level: levels.multiply,
    });
  },
  __builtin_popcount: (t, [x]) => {
    const bits = settled(converted(t.expr(x!), scalar("u32")));
    return value(`${receiver(bits)}.toString(2).replaceAll("0", "").length`, scalar("i32"), {
      positive: true,
    });
  },
  sort: (t, [from, to]) => {
    const whole = wholeOf(from, to);
    const list = whole === null ? null : t.expr(whole);
    if (list === null || list.type.kind !== "vector" || !isScalar(list.type.of))
      throw new Untranslated("a part that is sorted");
    return value(
      `${list.text}.sort(${list.type.grows.yes ? "(a, b) => Number(a > b) - Number(a < b)" : ""})`,
      plain("void"),
    );
  },
  accumulate: (t, [from, to, first]) => {
    const whole = wholeOf(from, to);
    const list = whole === null ? null : t.expr(whole);
    if (list === null || first === undefined || list.type.kind !== "vector") throw new Untranslated("a sum of a part");
    const start = t.expr(first);
    if (!isScalar(start.type) || !isScalar(list.type.of)) throw new Untranslated("a sum of structs");
    const element = settled(converted(value("x", list.type.of), start.type)).text;
    const sum = settled({
      ...start,
      text: `sum + ${element}`,
      level: levels.add,
      exact: start.type.name !== "f32",
    }).text;
    return value(
      `${list.text}.reduce((sum${scalars[start.type.name].kind === "big" ? ": bigint" : ""}, x) => ${sum}, ${settled(start).text})`,
      start.type,
    );
  },
  fill: (t, [from, to, of]) => {
    const whole = wholeOf(from, to);
    const list = whole === null ? null : t.expr(whole);
    if (list === null || list.type.kind !== "vector" || !isScalar(list.type.of))
      throw new Untranslated("a part that is filled");
    return value(`${list.text}.fill(${settled(converted(t.expr(of!), list.type.of)).text})`, plain("void"));
  },
};

/** x of `x.begin(), x.end()`. */
function wholeOf(from: Expression | undefined, to: Expression | undefined): Expression | null {
  const owner = (each: Expression | undefined, name: string): Expression | null =>
    each?.kind === "call" && each.of.kind === "member" && each.of.name === name ? each.of.of : null;
  const [first, second] = [owner(from, "begin"), owner(to, "end")];
  return first !== null && JSON.stringify(first) === JSON.stringify(second) ? first : null;
}

// --- members of vectors and strings

type Member = (t: Translator, of: Value, args: readonly Expression[]) => Value;
type Vector = Extract<Type, { kind: "vector" }>;
const elementOf = ({ type }: Value): Type => (type as Vector).of;
const size = scalar("size");

const members: Record<string, Member> = {
  size: (_, of) => value(`${of.text}.length`, size),
  length: (_, of) => value(`${of.text}.length`, size),
  empty: (_, of) => value(`${of.text}.length === 0`, scalar("bool"), { level: levels.equal }),
  data: (_, of) => of,
  c_str: (_, of) => of,
  front: (_, of) => value(`${of.text}[0]`, elementOf(of)),
  back: (_, of) => value(`${of.text}[${of.text}.length - 1]`, elementOf(of)),
  push_back: (t, of, [item]) =>
    value(`${of.text}.push(${settled(copied(t.as(item!, elementOf(of)))).text})`, plain("void")),
  emplace_back: (t, of, [item]) =>
    value(`${of.text}.push(${settled(copied(t.as(item!, elementOf(of)))).text})`, plain("void")),
  pop_back: (_, of) => value(`${of.text}.pop()`, plain("void")),
  clear: (_, of) => value(`${of.text}.length = 0`, plain("void"), { level: levels.assign }),
  reserve: () => value("", plain("void")),
};

function memberCall(t: Translator, of: Extract<Expression, { kind: "member" }>, args: readonly Expression[]): Value {
  const owner = t.expr(of.of);
  if (of.name === "count" && args.length === 0) return countIn(owner);
  const row = Object.hasOwn(members, of.name) ? members[of.name] : undefined;
  if (row === undefined || (owner.type.kind !== "vector" && owner.type.kind !== "text"))
    throw new Untranslated(`${of.name}(), which has no counterpart here`);
  return row(t, owner, args);
}

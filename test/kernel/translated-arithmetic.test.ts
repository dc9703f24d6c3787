// Arithmetic of C++ in translated cells: random expressions over all types of numbers print what the compiled program
// prints, digit by digit.
import { expect, onTestFinished, test } from "vitest";
import { freshSeed, seeded, type Random } from "../helpers/random.ts";
import { TestSession } from "../helpers/session.ts";

type Kind = "int" | "unsigned" | "long long" | "unsigned long long" | "float" | "double";
const kinds: readonly Kind[] = ["int", "unsigned", "long long", "unsigned long long", "float", "double"];

/**
 * Writes code without undefined behaviour: signed numbers and floats stay small, unsigned ones wrap. A product to which
 * something is added has a power of two as a factor, since a compiler may leave out that it is rounded.
 */
class Writer {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  upTo(n: number): number {
    return Math.floor(this.#random() * n);
  }

  one<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)]!;
  }

  literal(kind: Kind): string {
    const word = (): number => this.upTo(2 ** 32);
    const literals: Record<Kind, () => string> = {
      int: () => String(this.upTo(193) - 96),
      unsigned: () => `${word()}u`,
      "long long": () => `${this.upTo(2_000_001) - 1_000_000}ll`,
      "unsigned long long": () => `${(BigInt(word()) << 32n) | BigInt(word())}ull`,
      float: () => `${(this.upTo(2001) - 1000) / 128}f`.replace(/^(-?\d+)f$/, "$1.0f"),
      double: () => `${(this.upTo(200_001) - 100_000) / 16384}`.replace(/^(-?\d+)$/, "$1.0"),
    };
    return literals[kind]();
  }

  /** Names of variables and elements of that kind, with those that are converted to it. */
  readonly names: Record<Kind, readonly string[]> = {
    int: ["a", "b", "c", "s", "t", "as[1]", "cs[2]", "ss[0]"],
    unsigned: ["u", "v", "us[a & 3]"],
    "long long": ["l", "ls[2]"],
    "unsigned long long": ["w", "ws[u % 4]"],
    float: ["f", "fs[3]"],
    double: ["d", "ds[1]"],
  };

  of(kind: Kind, depth: number): string {
    if (depth === 0) return this.upTo(3) === 0 ? `(${this.literal(kind)})` : this.one(this.names[kind]);
    const inner = (of: Kind): string => this.of(of, depth - 1);
    if (this.upTo(6) === 0) return `(${this.test(depth - 1)} ? ${inner(kind)} : ${inner(kind)})`;
    return this.one(this.#rows[kind])(inner);
  }

  test(depth: number): string {
    const kind = this.one(kinds);
    const compared = `${this.of(kind, depth)} ${this.one(["<", ">", "<=", ">=", "==", "!="])} ${this.of(kind, depth)}`;
    return depth > 0 && this.upTo(3) === 0
      ? `(${compared} ${this.one(["&&", "||"])} !(${this.test(depth - 1)}))`
      : `(${compared})`;
  }

  readonly #wrapping =
    (kind: Kind, suffix: string) =>
    (inner: (kind: Kind) => string): string => {
      const op = this.one(["+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"]);
      if (op === "<<" || op === ">>") return `(${inner(kind)} ${op} ${this.upTo(16)})`;
      if (op === "/" || op === "%") return `(${inner(kind)} ${op} (${inner(kind)} | 1${suffix}))`;
      return `(${inner(kind)} ${op} ${inner(kind)})`;
    };

  readonly #rows: Record<Kind, readonly ((inner: (kind: Kind) => string) => string)[]> = {
    int: [
      (inner) => `((${inner("int")} ${this.one(["+", "-", "*", "&", "|", "^"])} ${inner("int")}) % 97)`,
      (inner) => `(${inner("int")} ${this.one(["/", "%"])} (${inner("int")} | 1))`,
      (inner) => `(${inner("int")} >> ${this.upTo(5)})`,
      (inner) => `(-${inner("int")})`,
      (inner) => `(~${inner("int")} % 97)`,
      (inner) => `((int)${inner("unsigned")} % 97)`,
      (inner) => `(int)((unsigned char)${inner("unsigned")} % 97)`,
      (inner) => `((short)${inner("unsigned")} % 97)`,
      (inner) => `(int)(${inner("unsigned long long")} % 97)`,
      (inner) => `(int)(${inner("long long")} % 97)`,
      (inner) => `(int)${inner("double")}`,
      (inner) => `(int)${inner("float")}`,
      () => `(${this.test(1)} + ${this.test(0)})`,
    ],
    unsigned: [
      this.#wrapping("unsigned", "u"),
      (inner) => `(unsigned)${inner("int")}`,
      (inner) => `(${inner("unsigned")} + ${inner("int")})`,
      (inner) => `(${inner("int")} * ${inner("unsigned")})`,
      (inner) => `(~${inner("unsigned")})`,
      (inner) => `(-${inner("unsigned")})`,
      (inner) => `(unsigned)${inner("unsigned long long")}`,
      (inner) => `(unsigned)${inner("long long")}`,
    ],
    "long long": [
      (inner) =>
        `((${inner("long long")} ${this.one(["+", "-", "*", "&", "|", "^"])} ${inner("long long")}) % 1000003)`,
      (inner) => `(${inner("long long")} ${this.one(["/", "%"])} (${inner("long long")} | 1))`,
      (inner) => `((${inner("long long")} * ${inner("int")}) % 1000003)`,
      (inner) => `((long long)${inner("unsigned")} % 1000003)`,
      (inner) => `((long long)${inner("unsigned long long")} % 1000003)`,
      (inner) => `(long long)(${inner("double")} * 1000)`,
      (inner) => `(${inner("long long")} >> ${this.upTo(9)})`,
    ],
    "unsigned long long": [
      this.#wrapping("unsigned long long", "ull"),
      (inner) => `(unsigned long long)${inner("int")}`,
      (inner) => `(${inner("unsigned long long")} * ${inner("unsigned")})`,
      (inner) => `(${inner("unsigned long long")} - ${inner("long long")})`,
      (inner) => `(~${inner("unsigned long long")})`,
      (inner) => `((unsigned long long)${inner("unsigned")} << 32 | ${inner("unsigned")})`,
    ],
    float: [
      (inner) => `((${inner("float")} ${this.one(["+", "-", "*"])} ${inner("float")}) * 0.125f)`,
      (inner) => `(${inner("float")} / (fabsf(${inner("float")}) + 1.0f))`,
      (inner) => `(float)${inner("double")}`,
      (inner) => `(${inner("float")} * 0.25f + ${inner("int")} / 64.0f)`,
      (inner) => `fminf(${inner("float")}, ${inner("float")})`,
    ],
    double: [
      (inner) => `((${inner("double")} ${this.one(["+", "-", "*"])} ${inner("double")}) * 0.125)`,
      (inner) => `(${inner("double")} / (fabs(${inner("double")}) + 1))`,
      (inner) => `(${inner("double")} * 0.5 + ${inner("float")})`,
      (inner) => `(${inner("int")} / 7.0)`,
      (inner) => `(${inner("unsigned")} / 4294967296.0)`,
      (inner) => `floor(${inner("double")})`,
      (inner) => `sqrt(fabs(${inner("double")}))`,
    ],
  };

  /** A statement that gives a variable a value, and one that prints it. */
  statement(at: number): string {
    const kind = this.one(kinds);
    const value = this.of(kind, 1 + this.upTo(3));
    const target = this.one(this.names[kind]);
    return `${this.#assigned(kind, target, value)} ${shown(kind, target, at)}`;
  }

  #assigned(kind: Kind, target: string, value: string): string {
    const limits: Partial<Record<Kind, string>> = { int: " % 97", "long long": " % 1000003" };
    const isWrapping = kind === "unsigned" || kind === "unsigned long long";
    if (this.upTo(3) > 0) return `${target} = (${value})${limits[kind] ?? ""};`;
    if (isWrapping) return `${target} ${this.one(["+=", "-=", "*=", "^=", "|=", "&="])} ${value};`;
    if (kind === "float" || kind === "double") return `${target} = ${target} * 0.5 + ${value} * 0.5;`;
    // What is added to a narrow variable wraps; what is added to others stays small, and is made smaller at once.
    return `${target} ${this.one(["+=", "-=", "^="])} ${value}; ${target} %= ${kind === "int" ? "97" : "1000003"};`;
  }

  program(count: number): string {
    const list = (kind: Kind): string => Array.from({ length: 4 }, () => this.literal(kind)).join(", ");
    const small = (): string => Array.from({ length: 4 }, () => String(this.upTo(97))).join(", ");
    return `#include <cmath>
#include <cstdio>
int main() {
  int a = ${this.literal("int")}, b = ${this.literal("int")}, as[4] = {${list("int")}};
  unsigned char c = ${this.upTo(97)}, cs[4] = {${small()}};
  short s = ${this.upTo(97)}, ss[4] = {${small()}};
  signed char t = ${this.upTo(97)};
  unsigned u = ${this.literal("unsigned")}, v = ${this.literal("unsigned")}, us[4] = {${list("unsigned")}};
  long long l = ${this.literal("long long")}, ls[4] = {${list("long long")}};
  unsigned long long w = ${this.literal("unsigned long long")}, ws[4] = {${list("unsigned long long")}};
  float f = ${this.literal("float")}, fs[4] = {${list("float")}};
  double d = ${this.literal("double")}, ds[4] = {${list("double")}};
  ${Array.from({ length: count }, (_, at) => this.statement(at)).join("\n  ")}
}
`;
  }
}

/** What an integer is, and of a float more digits than an error of rounding would leave as they are. */
function shown(kind: Kind, name: string, at: number): string {
  if (kind === "float" || kind === "double")
    return `printf("${at} ${name} %lld\\n", (long long)((double)${name} * 1099511627776.0));`;
  const formats = { int: "%d", unsigned: "%u", "long long": "%lld", "unsigned long long": "%llu" };
  return `printf("${at} ${name} ${formats[kind]}\\n", ${name});`;
}

/** Runs a program, and its cells, and compares what they print. */
async function compare(program: string): Promise<void> {
  const session = await TestSession.start();
  onTestFinished(() => session.end());
  const own = await session.run(`%%cuda\n${program}`);
  expect(own.error).toBe(null);
  let cell = await session.run(`%%cuda --cells\n${program}`);
  let printed = "";
  for (let next; (next = cell.payload[0]?.["text"] as string | undefined) !== undefined; printed += cell.stdout) {
    expect(next).not.toContain("TODO");
    cell = await session.run(next);
    expect(cell.error?.message).toBe(undefined);
  }
  expect(printed).toBe(own.stdout);
  expect(printed.length).toBeGreaterThan(1000);
}

test("random expressions are worth what C++ says", { timeout: 120_000 }, () =>
  compare(new Writer(seeded(freshSeed())).program(200)),
);

test("random numbers are printed as printf prints them", { timeout: 120_000 }, () => {
  const random = seeded(freshSeed());
  const real = (): string => ((random() - 0.5) * 10 ** (random() * 18 - 6)).toPrecision(17);
  const small = (): string => ((random() - 0.5) * 1e5).toPrecision(17);
  const whole = (): string => String(Math.floor((random() - 0.5) * 2 ** 31));
  const formats = ["%g", "%.3g", "%.12g", "%e", "%.2e", "%12g|", "%-14.4g|"].map((format) => [format, real] as const);
  const others = [
    ...["%f", "%.1f", "%9.3f|", "%-12.4f|", "%012.5f"].map((format) => [format, small] as const),
    ...["%d", "%12d|", "%-12d|", "%x", "%012x", "%u"].map((format) => [format, whole] as const),
  ];
  const lines = Array.from({ length: 60 }, () => {
    const [format, value] = [...formats, ...others][Math.floor(random() * (formats.length + others.length))]!;
    return `printf("${format} ${format}\\n", ${value()}, ${value()});`;
  });
  // What %g prints at the edges: powers of ten, what rounds up to one, zero, no numbers.
  const edges = [
    "0.0",
    "1e5",
    "1e6",
    "999999.5",
    "9999995.0",
    "0.0001",
    "0.00001",
    "1e300 * 1e10",
    "-1e300 * 1e10",
    "100.0",
  ];
  return compare(`#include <cstdio>
int main() {
  ${[...lines, ...edges.map((edge) => `printf("%g %.3g\\n", ${edge}, ${edge});`)].join("\n  ")}
}
`);
});

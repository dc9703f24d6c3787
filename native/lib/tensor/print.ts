// Elements as text: one notation for all of them, columns aligned, rows wrapped at the width of a line.
import { isComplexNumber, type Complex } from "../memory/dtype.ts";

export type Element = number | bigint | boolean | Complex;
/** Stands for the middle of a long axis. */
export const gap = Symbol("…");
/** Nested elements, with gaps in the middle of long axes. */
export type Preview = Element | typeof gap | Preview[];

/** NumPy's. */
export const lineWidth = 75;
/**
 * Floats are written with exponents from this size on, below this size, or when the largest is so many times the
 * smallest.
 */
const largest = 1e8;
const smallest = 1e-4;
const span = 1e5;

function elementsOf(preview: Preview): Element[] {
  if (Array.isArray(preview)) return preview.flatMap(elementsOf);
  return preview === gap ? [] : [preview];
}

function plain(value: Element): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/**
 * How all elements of a preview are written: whole numbers without a point, others with as many digits after it as they
 * need, at most `digits`.
 */
export function notationOf(preview: Preview, digits: number): (value: Element) => string {
  const elements = elementsOf(preview);
  if (!elements.some(isComplexNumber)) return notationOfNumbers(elements, digits);
  const number = notationOfNumbers(
    elements.flatMap((value) => (isComplexNumber(value) ? [value.re, value.im] : [value])),
    digits,
  );
  return (value) => {
    if (!isComplexNumber(value)) return number(value);
    const im = number(value.im);
    return `${number(value.re)}${im.startsWith("-") ? "" : "+"}${im}i`;
  };
}

/** The same of real numbers. */
function notationOfNumbers(elements: readonly Element[], digits: number): (value: Element) => string {
  const finite = elements.filter((value): value is number => typeof value === "number" && Number.isFinite(value));
  if (finite.every(Number.isSafeInteger)) return plain;
  const sizes = finite.map(Math.abs).filter((size) => size > 0);
  const [most, least] = [Math.max(...sizes), Math.min(...sizes)];
  const rounded = (value: number) => Number(value.toPrecision(digits));
  const numeric = (write: (value: number) => string) => (value: Element) =>
    typeof value === "number" && Number.isFinite(value)
      ? `${Object.is(value, -0) ? "-" : ""}${write(value)}`
      : plain(value);

  if (most >= largest || least < smallest || most / least > span) {
    const needed = Math.max(
      ...finite.map((value) => /^-?\d(?:\.(\d+))?e/.exec(rounded(value).toExponential())![1]?.length ?? 0),
    );
    return numeric((value) => value.toExponential(needed).replace(/e([+-])(\d)$/, "e$10$2"));
  }
  const needed = Math.max(
    ...finite.map((value) => String(Number(rounded(value).toFixed(digits))).split(".")[1]?.length ?? 0),
  );
  return numeric((value) => rounded(value).toFixed(needed));
}

/**
 * All of a preview in brackets, over several lines when it has several rows or long ones. `indent`: characters before
 * it on its first line.
 */
export function written(preview: Preview, digits: number, indent: number): string {
  const notation = notationOf(preview, digits);
  const width = elementsOf(preview).reduce<number>((most, value) => Math.max(most, notation(value).length), 0);
  const write = (value: Preview, before: number): { text: string; rank: number } => {
    if (value === gap) return { text: "…", rank: 0 };
    if (!Array.isArray(value)) return { text: notation(value).padStart(width), rank: 0 };
    const items = value.map((item) => write(item, before + 1));
    const rank = 1 + Math.max(0, ...items.map((item) => item.rank));
    const texts = items.map(({ text }) => text);
    const start = `\n${" ".repeat(before + 1)}`;
    return {
      text: `[${rank === 1 ? wrapped(texts, before + 1) : texts.join(`,${"\n".repeat(rank - 2)}${start}`)}]`,
      rank,
    };
  };
  return write(preview, indent).text;
}

/** The same on one line, without columns. */
export function writtenOnOneLine(preview: Preview, digits: number): string {
  const notation = notationOf(preview, digits);
  const write = (value: Preview): string =>
    Array.isArray(value) ? `[${value.map(write).join(", ")}]` : value === gap ? "…" : notation(value);
  return write(preview);
}

/**
 * Words with commas between, in lines that begin after `indent` characters. The last place of a line is a comma's or a
 * bracket's.
 */
function wrapped(words: readonly string[], indent: number): string {
  let text = "";
  let at = indent;
  words.forEach((word, index) => {
    const isFirst = index === 0;
    const isFull = !isFirst && at + 2 + word.length + 1 > lineWidth;
    text += isFirst ? word : isFull ? `,\n${" ".repeat(indent)}${word}` : `, ${word}`;
    at = isFull || isFirst ? indent + word.length : at + 2 + word.length;
  });
  return text;
}

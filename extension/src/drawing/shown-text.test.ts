// Hostile text becomes harmless text, whatever its size.
import { expect, test } from "vitest";
import { mostCharacters, shownText } from "./shown-text.ts";

test.each([
  ["axpy<float>(int)", "axpy<float>(int)"],
  ["a\tb\nc\u0000d\u007fe", "a␉b␊c␀d␡e"],
  ["left\u202eright\u2066\u200b", "left\ufffdright\ufffd\ufffd"],
  ["\u009b31m", "\ufffd31m"],
  ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  ["naïve 名前 🎉", "naïve 名前 🎉"],
  ["void gemm<float, 128>(λ → 😀)", "void gemm<float, 128>(λ → 😀)"],
  ["\ud800x\udc00", "\ufffdx\ufffd"],
])("%j is shown as %j", (text, shown) => expect(shownText(text)).toBe(shown));

test("a long text ends in three dots, and no character is cut in two", () => {
  expect(shownText("abcdef", 6)).toBe("abcdef");
  expect(shownText("abcdefg", 6)).toBe("abcde…");
  expect(shownText("abcd🎉fg", 6)).toBe("abcd…");
  expect(shownText(`${"x".repeat(598)}😀${"x".repeat(9)}`, mostCharacters)).toBe(`${"x".repeat(598)}…`);
  const start = performance.now();
  expect(shownText("x\n".repeat(5_000_000), 100)).toHaveLength(100);
  expect(performance.now() - start).toBeLessThan(100);
});

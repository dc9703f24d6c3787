// What two compiles of a kernel differ in, line by line, and which two are compared.
import { expect, test } from "vitest";
import { axpy, listing } from "../../ui-tests/tests/asm-payload.ts";
import type { AsmPayload } from "../../../kernel/mime.ts";
import { changesOf, Compiles } from "./changes.ts";

const told = (before: string, after: string) => {
  const { added, gone } = changesOf(before.split(" "), after.split(" "));
  return { added: [...added], gone: Object.fromEntries([...gone].map(([at, lines]) => [at, lines.join(" ")])) };
};

test("lines that are new, and lines that have gone, where they stood", () => {
  expect(told("a b c d", "a b c d")).toEqual({ added: [], gone: {} });
  expect(told("a b c d", "a x c d y")).toEqual({ added: [1, 4], gone: { 1: "b" } });
  expect(told("a b c d", "a d")).toEqual({ added: [], gone: { 1: "b c" } });
  expect(told("a b", "x a b")).toEqual({ added: [0], gone: {} });
  expect(told("a b", "a b c")).toEqual({ added: [2], gone: {} });
  expect(told("a b c", "c b a")).toMatchObject({ added: { length: 2 } });
});

test("an instruction of SASS that only moved is the same", () => {
  expect(changesOf(["  /*0000*/ NOP ;", "  /*0010*/ EXIT ;"], ["  /*0000*/ EXIT ;"])).toEqual({
    added: new Set(),
    gone: new Map([[0, ["  /*0000*/ NOP ;"]]]),
  });
});

test("whatever is changed, what is kept and new is the one, what is kept and gone the other", () => {
  for (let round = 0; round < 200; round++) {
    const letters = () =>
      Array.from({ length: Math.floor(Math.random() * 12) }, () => "abc"[Math.floor(Math.random() * 3)]!);
    const [before, after] = [letters(), letters()];
    const { added, gone } = changesOf(before, after);
    const old = [...after, ""].flatMap((line, at) => [
      ...(gone.get(at) ?? []),
      ...(at < after.length && !added.has(at) ? [line] : []),
    ]);
    expect(old, `${before.join("")} → ${after.join("")}`).toEqual(before);
  }
});

test("a compile is compared with the one before of that cell and kernel, however often it is drawn", () => {
  const compiles = new Compiles();
  const compiled = (text: string, cell: string | null = "c") =>
    axpy({ cell, listings: [listing("PTX", [[text, 1]])] }) as AsmPayload;
  const added = (payload: AsmPayload) => compiles.changes(payload).map((changes) => changes && changes.added.size);
  expect(added(compiled("ret;"))).toEqual([null]);
  expect(added(compiled("ret;"))).toEqual([null]);
  expect(added(compiled("exit;"))).toEqual([1]);
  expect(added(compiled("exit;"))).toEqual([1]);
  expect(added(compiled("exit;", "other"))).toEqual([null]);
  expect(added(compiled("ret;", null))).toEqual([null]);
  expect(added(compiled("ret;", null))).toEqual([null]);
});

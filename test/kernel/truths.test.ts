// What a cell asks of a tensor by JavaScript's own words, which answer for the object: refused where its elements are
// meant, through a real kernel.
import { expect, test } from "vitest";
import { openKernel, shown } from "../helpers/kernel.ts";

test("tensors in conditions and between == say what to write; questions whether there is one are answered", async () => {
  const { client } = await openKernel();
  const last = async (code: string) =>
    shown(await client.execute(code)).find(([type]) => type === "error" || type === "execute_result");
  await client.execute(
    'import { tensor, zeros } from "warpcell"; const x = tensor([1, 6, 3]), y = tensor([1, 6, 3]); let none: typeof x | undefined;',
  );
  const many =
    "write if (x.gt(5).any().item()) or if (x.gt(5).all().item()) for whether some or all of its elements are; this one has shape [3].";
  const one = "write .item() behind it, as in if (x.sum().gt(5).item()).";
  const same =
    "JavaScript's == does not compare what tensors hold: write x.eq(y) for each element, x.arrayEqual(y) for whether all are equal, and x === y for whether both are one tensor.";
  for (const [code, sentence] of [
    ["if (x.gt(5)) console.log(1)", many],
    ["x.gt(5) ? 1 : 2", many],
    ["!x.gt(5)", many],
    ["x.gt(2) && x.lt(5)", "For && and || of elements write x.logicalAnd(y) and x.logicalOr(y), for ! x.logicalNot()."],
    ["for (let n = 0; x.eq(y).all(); n++) break;", one],
    ["if (x.sum()) console.log(1)", one],
    ["const done = x.sum().gt(5); while (done) break;", one],
    ["const ask = (a: typeof x) => a.isnan() || a; ask(x)", many],
    ["x == y", same],
    ["x.add(1) == y.add(1)", same],
    ["(x == y).sum()", same],
    [
      "x != y",
      "JavaScript's != does not compare what tensors hold: write x.ne(y) for each element, !x.arrayEqual(y) for",
    ],
  ] as const)
    expect(await last(code), code).toEqual(["error", expect.stringContaining(sentence)]);
  for (const [code, value] of [
    ["(x ? 'there' : 'missing') + (none ? 'there' : 'missing')", "'theremissing'"],
    ["none || x === x", "true"],
    ["const mask = x.gt(5); mask ? 1 : 2", "1"],
    ["x == null || none == x || none != null", "false"],
    ["x === y", "false"],
    ["if (x.gt(5).any().item()) 'some'; !x.gt(5).all().item()", "true"],
    ["new Map([['x', x]]).get('x') ? 1 : 2", "1"],
    ["[x, y].length && 1 == '1'", "true"],
  ] as const)
    expect(await last(code), code).toEqual(["execute_result", value]);
});

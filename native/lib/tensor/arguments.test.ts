// What functions say of arguments and options that they do not take.
import { describe, expect, test } from "vitest";
import { axes, axis, count, flag, numbers, oneOf, optionsOf, orNull, reader, wholeNumbers } from "./arguments.ts";

const sum = reader("sum", { options: { axis: axes, keepdims: flag }, bare: ["axis", "keepdims"] });
const topk = reader("topk", { required: { k: count }, options: { axis, largest: flag } });
const reshape = reader("reshape", { required: { shape: wholeNumbers }, spread: true });

describe("what is read", () => {
  test("options by name, and those of NumPy and PyTorch without one", () => {
    expect(sum([])).toEqual({});
    expect(sum([{ axis: [0, 1], keepdims: true }])).toEqual({ axis: [0, 1], keepdims: true });
    expect(sum([0, true])).toEqual({ axis: 0, keepdims: true });
    expect(sum([[0, 1], { keepdims: true }])).toEqual({ axis: [0, 1], keepdims: true });
    expect(sum([{ dim: 1, keepdim: true }])).toEqual({ axis: 1, keepdims: true });
    expect(sum([undefined, undefined])).toEqual({});
    expect(sum([{ axis: undefined }])).toEqual({});
  });

  test("required arguments, then options", () => {
    expect(topk([3])).toEqual({ k: 3 });
    expect(topk([3, { dim: 0, largest: false }])).toEqual({ k: 3, axis: 0, largest: false });
  });

  test("numbers in a row as one list", () => {
    expect(reshape([[2, -1]])).toEqual({ shape: [2, -1] });
    expect(reshape([2, -1])).toEqual({ shape: [2, -1] });
  });

  test("aliases that stand for a value", () => {
    const spread = reader("var", {
      options: { correction: count },
      aliases: { ddof: "correction", unbiased: (value) => ({ correction: value === false ? 0 : 1 }) },
    });
    expect(spread([{ ddof: 2 }])).toEqual({ correction: 2 });
    expect(spread([{ unbiased: false }])).toEqual({ correction: 0 });
  });
});

const failures: [string, () => unknown, string][] = [
  ["an unknown option", () => sum([{ foo: 1 }]), "sum has no option foo. Its options are axis, keepdims."],
  ["another spelling", () => sum([{ keepDims: true }]), "sum has no option keepDims. Write keepdims."],
  ["a slip of the pen", () => sum([{ axs: 0 }]), "sum has no option axs. Its options are axis, keepdims."],
  ["a letter too many", () => sum([{ keepdimss: true }]), "sum has no option keepdimss. Write keepdims."],
  [
    "an option of a function without any",
    () => reshape([[2], { axis: 0 }]),
    "reshape has no option axis. It takes no options.",
  ],
  [
    "what is written otherwise here",
    () => optionsOf("Adam", { lr: count }, { learningRate: 1 }, { instead: { learningRate: "Write lr." } }),
    "Adam has no option learningRate. Write lr.",
  ],
  ["an option of another kind", () => sum([{ axis: "a" }]), 'sum takes an axis or a list of them as axis but got "a".'],
  ["an alias of another kind", () => sum([{ dim: "a" }]), 'sum takes an axis or a list of them as dim but got "a".'],
  [
    "a missing argument",
    () => topk([]),
    "topk takes a whole number of at least 0 as k but got nothing. Write topk(k, { axis, largest }).",
  ],
  [
    "an argument of another kind",
    () => topk([1.5]),
    "topk takes a whole number of at least 0 as k but got 1.5. Write topk(k, { axis, largest }).",
  ],
  [
    "an argument too many",
    () => topk([3, 0]),
    "topk does not take 0 there. Options are an object: topk(k, { axis, largest }).",
  ],
  [
    "options that are no object",
    () => optionsOf("Linear", { bias: flag }, false),
    "Linear does not take false there. Options are an object: Linear({ bias }).",
  ],
  [
    "one of some words",
    () => reader("pad", { options: { mode: oneOf("reflect", "circular") } })([{ mode: "wrap" }]),
    'pad takes "reflect" or "circular" as mode but got "wrap".',
  ],
  [
    "a list",
    () => reader("f", { required: { values: orNull(numbers) } })([["a"]]),
    'f takes a list of numbers or null as values but got ["a"]. Write f(values).',
  ],
];

test.each(failures)("%s", (_, call, sentence) => {
  expect(call).toThrow(sentence);
});

// Members that the library's namespace lacks: what it has instead.
import { expect, test } from "vitest";
import * as warpcell from "warpcell";
import { foreignNames } from "./foreign-names.ts";
import { insteadOfMember, insteadOfMethod } from "./library-members.ts";

test.each([
  ["image", ": write wc.plot.image(x)."],
  ["imshow", ": write wc.plot.image(x)."],
  ["show", ": write show(x), which every notebook has."],
  ["display", ": write display(x), which every notebook has."],
  ["doctor", ": run npx warpcell doctor in a terminal, or open the kernel panel."],
  ["is_available", ": wc.devices() says which devices there are."],
  ["Variable", ": write wc.tensor([1, 2]), and x.requiresGrad = true."],
  ["array", ": write wc.tensor([1, 2])."],
  ["asarray", ": write wc.tensor([1, 2])."],
  ["asnumpy", ": write x.toArray(), or x.data() for a typed array."],
  ["random", ": write wc.rand, wc.randn or wc.randint."],
  ["concatenate", ": write wc.cat([x, y])."],
  ["percentile", ": write wc.quantile(x, 0.5)."],
  ["pi", ": write Math.PI."],
  ["dim3", ": a grid or a block is a number, or [x, y, z]."],
  ["summary", ": write model.summary()."],
  ["time", ": write await wc.benchmark(() => …), or %time in front of a cell."],
  ["float32", ': a dtype is a text, as in { dtype: "float32" }.'],
  ["cuda", ': a device is a text, as in { device: "cuda" }.'],
  ["no_grad", ": write wc.noGrad."],
  ["Linear", ": write wc.nn.Linear."],
  ["svd", ": write wc.linalg.svd."],
  ["mm", ": write x.matmul(y)."],
  ["add_", ": write x.add_(…), of a tensor."],
  ["randn_like", ": write wc.randnLike(x)."],
  ["softmx", ". Did you mean wc.softmax?"],
  ["nothingOfTheKind", ""],
  ["constructor", ""],
])("%s", (name, advice) => {
  expect(insteadOfMember(warpcell, "wc", name)).toBe(advice);
});

const one = warpcell.tensor([1], { device: "cpu" });

test("what is advised is there, under a name that the foreign one is not", () => {
  const missing = [...foreignNames].flatMap(([name, advice]) => {
    const ofLibrary = [...advice.matchAll(/@([\w.]+)/g)].map(([, path]) =>
      path!.split(".").reduce<unknown>((at, part) => Reflect.get(at as object, part), warpcell),
    );
    const ofTensors = [...advice.matchAll(/\bx\.(\w+)/g)].map(([, member]) => (member! in one ? true : undefined));
    return [...ofLibrary, ...ofTensors].includes(undefined) || name in warpcell ? [`${name}: ${advice}`] : [];
  });
  expect(missing).toEqual([]);
});

test.each([
  [one, "percentile", ": write quantile(x, 0.5)."],
  [one, "describe", ": write x.mean(), x.std(), x.min(), x.max() and x.quantile([0.25, 0.5, 0.75])."],
  [new warpcell.Event(), "elapsed", ". Did you mean it.elapsedTime?"],
  [warpcell.plot([1, 2]), "savefig", ': write plot(y).save("a.svg").'],
  [warpcell.plot, "hist", ": write plot.histogram(x)."],
  [warpcell.plot, "bar", ": write plot({ cats: 3, dogs: 4 })."],
  [new warpcell.nn.Linear(1, 1), "registerHook", ""],
  [new Map(), "percentile", ""],
  [undefined, "percentile", ""],
] as const)("a method that %s lacks: %s", (value, name, advice) => {
  expect(insteadOfMethod(warpcell, value, "it", name)).toBe(advice);
});

test("a name to import is written without the library's", () => {
  expect(["no_grad", "svd", "softmx"].map((name) => insteadOfMember(warpcell, "", name))).toEqual([
    ": write noGrad.",
    ": write linalg.svd.",
    ". Did you mean softmax?",
  ]);
});

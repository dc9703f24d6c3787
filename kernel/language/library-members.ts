// What the library's own namespace has in place of a member that it lacks.
import { nearest } from "./nearest.ts";

/** What stands elsewhere, by the name that is looked for at the top. `of` is how the code calls a name of the library. */
const elsewhere: Readonly<Record<string, (of: (name: string) => string) => string>> = Object.assign(
  Object.create(null),
  {
    image: (of) => `write ${of("plot.image")}(x)`,
    imshow: (of) => `write ${of("plot.image")}(x)`,
    show: () => "write show(x), which every notebook has",
    display: () => "write display(x), which every notebook has",
    doctor: () => "run npx warpcell doctor in a terminal, or open the kernel panel",
    is_available: (of) => `${of("devices")}() says which devices there are`,
    Variable: (of) => `write ${of("tensor")}([1, 2]), and x.requiresGrad = true`,
    array: (of) => `write ${of("tensor")}([1, 2])`,
    asarray: (of) => `write ${of("tensor")}([1, 2])`,
    random: (of) => `write ${of("rand")}, ${of("randn")} or ${of("randint")}`,
    concatenate: (of) => `write ${of("cat")}([x, y])`,
    percentile: (of) => `write ${of("quantile")}(x, 0.5)`,
    pi: () => "write Math.PI",
    dim3: () => "a grid or a block is a number, or [x, y, z]",
    summary: () => "write model.summary()",
    time: (of) => `write await ${of("benchmark")}(() => …), or %time in front of a cell`,
    float32: () => 'a dtype is a text, as in { dtype: "float32" }',
    cuda: () => 'a device is a text, as in { device: "cuda" }',
  } satisfies Record<string, (of: (name: string) => string) => string>,
);

/**
 * What to add to `wc.no_grad is not a function`, or, with "" as `object`, to a name that cannot be imported; "" where
 * nothing in the library is like it.
 */
export function insteadOfMember(library: object, object: string, member: string): string {
  const of = (name: string): string => (object === "" ? name : `${object}.${name}`);
  if (member in Object.prototype) return "";
  const known = elsewhere[member];
  if (known !== undefined) return `: ${known(of)}.`;
  const inCamelCase = member.replace(/_+([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
  const members = Object.keys(library);
  if (members.includes(inCamelCase)) return `: write ${of(inCamelCase)}.`;
  const room = members.find((name) => /^[a-z]+$/.test(name) && has(Reflect.get(library, name), inCamelCase));
  if (room !== undefined) return `: write ${of(`${room}.${inCamelCase}`)}.`;
  const method = methodOf(Reflect.get(library, "Tensor"), inCamelCase);
  if (method !== "") return `: ${method}.`;
  const meant = nearest(member, members);
  return meant === undefined ? "" : `. Did you mean ${of(meant)}?`;
}

function has(room: unknown, name: string): boolean {
  return ((typeof room === "object" && room !== null) || typeof room === "function") && Object.hasOwn(room, name);
}

/** How a tensor has it: as a method, or as the error of a name that has another one says. */
function methodOf(tensor: unknown, name: string): string {
  if (typeof tensor !== "function" || !(name in tensor.prototype)) return "";
  try {
    return typeof Reflect.get(tensor.prototype, name) === "function" ? `write x.${name}(…), of a tensor` : "";
  } catch (error) {
    return /: (write .*)\.$/.exec(error instanceof Error ? error.message : "")?.[1] ?? "";
  }
}

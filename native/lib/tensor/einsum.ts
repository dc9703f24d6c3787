// Einstein's summation: an equation over the axes of tensors, turned into diagonals, permutations, matrix products and
// sums.
import { apply } from "../ops/core/apply.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { arange } from "./create.ts";
import { Tensor } from "./tensor.ts";

/**
 * A tensor whose axes have names: a letter each, and the axes that an ellipsis stands for "0", "1", … from the last.
 */
interface Named {
  readonly tensor: Tensor;
  readonly axes: readonly string[];
}

const fail = (equation: string, sentence: string): never => {
  throw new TensorError("EINSUM", `The equation "${equation}" ${sentence}`);
};

const pattern = /^([a-zA-Z]*)(\.\.\.)?([a-zA-Z]*)$/;
const wrongText = (text: string) => `has "${text}" where letters for axes and at most one "..." stand.`;

/** The names of one operand's axes. `ellipsis`: how many axes its ellipsis stands for. */
function namesOf(equation: string, text: string, ellipsis: number): string[] {
  const match = pattern.exec(text);
  if (match === null) return fail(equation, wrongText(text));
  const [, before, dots, after] = match as unknown as [string, string, string | undefined, string];
  return [
    ...before,
    ...(dots === undefined ? [] : Array.from({ length: ellipsis }, (_, index) => String(ellipsis - 1 - index))),
    ...after,
  ];
}

function parsed(equation: string, operands: readonly Tensor[]): { inputs: Named[]; output: string[] } {
  const sides = equation.replaceAll(" ", "").split("->");
  if (sides.length > 2) fail(equation, 'has more than one "->".');
  const texts = sides[0]!.split(",");
  if (texts.length !== operands.length)
    fail(equation, `names ${texts.length} operand${texts.length === 1 ? "" : "s"} but got ${operands.length}.`);
  let widest = 0;
  const inputs = texts.map((text, index): Named => {
    const tensor = operands[index]!;
    if (!pattern.test(text)) fail(equation, wrongText(text));
    const named = text.replace("...", "").length;
    const hidden = tensor.shape.length - named;
    if (text.includes("...") ? hidden < 0 : hidden !== 0)
      fail(
        equation,
        `gives operand ${index} ${named} axes${text.includes("...") ? " or more" : ""}, but its shape is ${formatShape(tensor.shape)}.`,
      );
    widest = Math.max(widest, hidden);
    return { tensor, axes: namesOf(equation, text, hidden) };
  });
  const all = inputs.flatMap(({ axes }) => axes);
  const ellipsis = Array.from({ length: widest }, (_, index) => String(widest - 1 - index));
  // Without an arrow: the axes of the ellipsis, then the letters that occur once, in the order of the alphabet.
  const output =
    sides.length === 2
      ? namesOf(equation, sides[1]!, widest)
      : [
          ...ellipsis,
          ...[...new Set(all)]
            .filter((name) => /[a-zA-Z]/.test(name) && all.indexOf(name) === all.lastIndexOf(name))
            .sort(),
        ];
  output.forEach((name, index) => {
    if (output.indexOf(name) !== index) fail(equation, `has axis ${name} twice in its result.`);
    if (!all.includes(name)) fail(equation, `has axis ${name} in its result but in no operand.`);
  });
  return { inputs, output };
}

/** Every axis that occurs twice in one operand becomes one, along its diagonal. */
function diagonal({ tensor, axes }: Named): Named {
  const again = axes.findIndex((name, index) => axes.indexOf(name) !== index);
  if (again < 0) return { tensor, axes };
  const first = axes.indexOf(axes[again]!);
  const rest = axes.map((_, axis) => axis).filter((axis) => axis !== first && axis !== again);
  const length = tensor.shape[first]!;
  const lengths = rest.map((axis) => tensor.shape[axis]!);
  // In row-major order the diagonal of a square is every (length + 1)-th element.
  const flat = tensor.transpose([...rest, first, again]).reshape([...lengths, length * length]);
  const at = arange(length, { dtype: "int64", device: tensor.device })
    .mul(length + 1)
    .expand([...lengths, length]);
  return diagonal({
    tensor: apply("takeAlong", [flat, at], { axis: rest.length }) as Tensor,
    axes: [...rest.map((axis) => axes[axis]!), axes[first]!],
  });
}

/** Sums over the axes that nobody else wants. */
function summed({ tensor, axes }: Named, wanted: ReadonlySet<string>): Named {
  const gone = axes.flatMap((name, axis) => (wanted.has(name) ? [] : [axis]));
  if (gone.length === 0) return { tensor, axes };
  const total = tensor.sum({ axis: gone });
  return {
    tensor: total.dtype === tensor.dtype ? total : total.to(tensor.dtype),
    axes: axes.filter((name) => wanted.has(name)),
  };
}

/** The axes in an order, with size 1 where there is none of that name. */
function ordered({ tensor, axes }: Named, names: readonly string[]): Tensor {
  const present = names.filter((name) => axes.includes(name));
  return tensor
    .transpose(present.map((name) => axes.indexOf(name)))
    .reshape(names.map((name) => (axes.includes(name) ? tensor.shape[axes.indexOf(name)]! : 1)));
}

/**
 * Two operands into one: a batch of matrix products over the axes that both have and nobody else wants, else a product
 * of elements.
 */
function joined(a: Named, b: Named, wanted: ReadonlySet<string>): Named {
  const sizeIn = ({ tensor, axes }: Named, name: string) => tensor.shape[axes.indexOf(name)]!;
  // An axis of size 1 that stretches to the other's is no axis to sum over in a matrix product.
  const shared = a.axes.filter((name) => b.axes.includes(name));
  const isStretched = shared.some((name) => sizeIn(a, name) !== sizeIn(b, name));
  const contracted = shared.filter((name) => !wanted.has(name));
  const [left, right] = [summed(a, new Set([...wanted, ...b.axes])), summed(b, new Set([...wanted, ...a.axes]))];
  if (contracted.length === 0 || isStretched) {
    const names = [...new Set([...left.axes, ...right.axes])];
    return summed({ tensor: ordered(left, names).mul(ordered(right, names)) as Tensor, axes: names }, wanted);
  }
  const batch = shared.filter((name) => wanted.has(name));
  const rows = left.axes.filter((name) => !shared.includes(name));
  const columns = right.axes.filter((name) => !shared.includes(name));
  const sizes = (named: Named, names: readonly string[]) => names.map((name) => sizeIn(named, name));
  const product = (list: readonly number[]) => list.reduce((size, each) => size * each, 1);
  const depth = product(sizes(left, contracted));
  const batches = sizes(left, batch);
  const x = ordered(left, [...batch, ...rows, ...contracted]).reshape([...batches, product(sizes(left, rows)), depth]);
  const y = ordered(right, [...batch, ...contracted, ...columns]).reshape([
    ...batches,
    depth,
    product(sizes(right, columns)),
  ]);
  return {
    tensor: x.matmul(y).reshape([...batches, ...sizes(left, rows), ...sizes(right, columns)]),
    axes: [...batch, ...rows, ...columns],
  };
}

/**
 * Which two operands are joined next: those whose product is smallest beside what it replaces, of equal ones those with
 * the fewest multiplications (Smith and Gray, opt_einsum, JOSS 2018, its greedy order).
 */
function nextPair(
  parts: readonly Named[],
  output: readonly string[],
  sizes: ReadonlyMap<string, number>,
): [number, number] {
  const volume = (names: Iterable<string>) => [...names].reduce((size, name) => size * sizes.get(name)!, 1);
  const growth = (i: number, j: number): readonly [number, number] => {
    const [a, b] = [parts[i]!, parts[j]!];
    const both = new Set([...a.axes, ...b.axes]);
    const others = parts.filter((_, at) => at !== i && at !== j);
    const kept = [...both].filter((name) => output.includes(name) || others.some(({ axes }) => axes.includes(name)));
    return [volume(kept) - volume(a.axes) - volume(b.axes), volume(both)];
  };
  let best: [number, number] = [0, 1];
  let least = growth(0, 1);
  for (let i = 0; i < parts.length; i++) {
    for (let j = i + 1; j < parts.length; j++) {
      const found = growth(i, j);
      if (found[0] < least[0] || (found[0] === least[0] && found[1] < least[1])) [best, least] = [[i, j], found];
    }
  }
  return best;
}

/**
 * Sums of products of elements, by the names of axes: `einsum("ij,jk->ik", a, b)` is a matrix product, `einsum("ii->",
 * a)` a trace, `einsum("...ij->...ji", a)` a transpose. Without "->" the result has the letters that occur once, in the
 * order of the alphabet. Throws TensorError for an equation that does not fit.
 * @example
 * einsum("ij,jk->ik", tensor([[1, 2]]), tensor([[3], [4]])); // → tensor([[11]], shape [1, 1], float32, cpu)
 */
export function einsum(equation: string, ...operands: Tensor[]): Tensor {
  if (
    typeof equation !== "string" ||
    operands.length === 0 ||
    !operands.every((operand) => operand instanceof Tensor)
  ) {
    throw new TensorError(
      "EINSUM",
      `einsum takes an equation and tensors, such as einsum("ij,jk->ik", a, b), but got ${[equation, ...operands].map(worded).join(", ")}.`,
    );
  }
  for (const operand of operands) operand.checkLiving("einsum");
  const odd = operands.find(({ dtype }) => dtype === "bool");
  if (odd !== undefined)
    throw new TensorError("DTYPE", 'einsum takes numbers but got bool: convert it, e.g. with .to("int32").');
  const { inputs, output } = parsed(equation, operands);
  const sizes = new Map<string, number>();
  for (const { tensor, axes } of inputs) {
    axes.forEach((name, axis) => {
      const size = tensor.shape[axis]!;
      const known = sizes.get(name) ?? size;
      const mayStretch = /\d/.test(name) || axes.indexOf(name) === axes.lastIndexOf(name);
      if (known !== size && (!mayStretch || (known !== 1 && size !== 1)))
        fail(equation, `has axis ${/\d/.test(name) ? "..." : name} with sizes ${known} and ${size}.`);
      sizes.set(name, Math.max(known, size));
    });
  }
  const parts = inputs.map(diagonal);
  while (parts.length > 1) {
    const [first, second] = nextPair(parts, output, sizes);
    const [b, a] = [parts.splice(second, 1)[0]!, parts.splice(first, 1)[0]!];
    parts.push(joined(a, b, new Set([...output, ...parts.flatMap(({ axes }) => axes)])));
  }
  const [result] = parts as [Named];
  return ordered(summed(result, new Set(output)), output);
}

// nn.MultiheadAttention and nn.TransformerBlock on every device, of their parts and of random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { gelu, layerNorm, nn, TensorError, tensor, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients, numbersOf } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const on = { device, dtype: "float64" } as const;
  const draw = (...shape: number[]) =>
    tensor(
      Array.from({ length: sizeOf(shape) }, () => 2 * random() - 1),
      on,
    ).reshape(shape) as Tensor;
  /** softmax(q · kᵀ / √width + what it may not see) · v of each head, of plain products. */
  function byHeads(layer: nn.MultiheadAttention, [q, k, v]: [Tensor, Tensor, Tensor], seen?: Tensor): Tensor {
    const width = q.shape.at(-1)!;
    const each = width / layer.heads;
    const project = (x: Tensor, at: number) => {
      const rows: [number, number] = [at * width, (at + 1) * width];
      const product = x.matmul(layer.in_proj_weight.slice(rows).transpose());
      return layer.in_proj_bias === null ? product : product.add(layer.in_proj_bias.slice(rows));
    };
    const projected = [q, k, v].map(project) as [Tensor, Tensor, Tensor];
    const outs = Array.from({ length: layer.heads }, (_, head) => {
      const [a, b, c] = projected.map((x) => x.slice(null, null, [head * each, (head + 1) * each])) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      const scores = a.matmul(b.transpose([0, 2, 1])).div(Math.sqrt(each)) as Tensor;
      const shown = seen === undefined ? scores : scores.add(seen.logicalNot().to("float64").mul(-1e30));
      return (shown as Tensor).softmax().matmul(c) as Tensor;
    });
    const joined = outs.slice(1).reduce((a, b) => joinLast(a, b), outs[0]!);
    return layer.out_proj(joined);
  }
  const joinLast = (a: Tensor, b: Tensor) =>
    tensor(
      (a.toArray() as number[][][]).map((rows, i) =>
        rows.map((row, j) => [...row, ...(b.toArray() as number[][][])[i]![j]!]),
      ),
      on,
    ) as Tensor;
  function expectClose(found: Tensor, wanted: Tensor): void {
    expect(found.shape).toEqual(wanted.shape);
    const all = numbersOf(wanted);
    // Sums of some tens of terms of about 1, in float64.
    numbersOf(found).forEach((value, at) => expect(Math.abs(value - all[at]!)).toBeLessThan(2 ** -42));
  }

  test.each([true, false])("attention of one, two and three sequences is that of its heads (bias: %s)", (bias) => {
    const layer = new nn.MultiheadAttention(12, 3, { bias, ...on });
    if (layer.in_proj_bias !== null) layer.in_proj_bias = draw(36);
    const [x, y, z] = [draw(2, 5, 12), draw(2, 7, 12), draw(2, 7, 12)];
    expectClose(layer(x), byHeads(layer, [x, x, x]));
    expectClose(layer(x, y), byHeads(layer, [x, y, y]));
    expectClose(layer(x, y, z), byHeads(layer, [x, y, z]));
    const triangle = tensor(
      Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => j <= i)),
      { device },
    ) as Tensor;
    expectClose(layer(x, x, x, { causal: true }), byHeads(layer, [x, x, x], triangle));
    expectClose(layer(x, x, x, { mask: triangle }), byHeads(layer, [x, x, x], triangle));
    expectClose(layer(x.get(0) as Tensor), layer(x).get(0) as Tensor);
  });

  test.each([true, false])("a block is its parts (norms first: %s)", (normFirst) => {
    const block = new nn.TransformerBlock(8, 2, { normFirst, hidden: 12, ...on });
    const x = draw(2, 5, 8);
    const think = (y: Tensor) =>
      block.linear2(
        gelu(y.matmul(block.linear1.weight.transpose()).add(block.linear1.bias!), { approximate: "tanh" }) as Tensor,
      );
    const norm = (layer: nn.LayerNorm, y: Tensor) => layerNorm(y, layer.weight, layer.bias) as Tensor;
    const seen = normFirst
      ? x.add(block.self_attn(norm(block.norm1, x)))
      : norm(block.norm1, x.add(block.self_attn(x)) as Tensor);
    const wanted = normFirst
      ? seen.add(think(norm(block.norm2, seen as Tensor)))
      : norm(block.norm2, seen.add(think(seen as Tensor)) as Tensor);
    expectClose(block(x), wanted as Tensor);
  });

  test("gradients reach the sequences and the weights", () => {
    const layer = new nn.MultiheadAttention(4, 2, on);
    expectGradients(
      (x, y, weight) => {
        layer.in_proj_weight = weight!;
        return layer(x!, y!);
      },
      [{ shape: [2, 3, 4] }, { shape: [2, 5, 4] }, { shape: [12, 4] }],
      device,
    );
    const block = new nn.TransformerBlock(4, 2, { causal: true, ...on });
    expectGradients((x) => block(x!), [{ shape: [1, 3, 4] }], device);
  });

  test("parameters have PyTorch's names, and dropout is there in training alone", () => {
    const block = new nn.TransformerBlock(8, 2, { dropout: 0.5, ...on });
    expect(Object.keys(block.stateDict()).sort()).toEqual(
      [
        ...["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"].map((name) => `self_attn.${name}`),
        ...["linear1", "linear2", "norm1", "norm2"].flatMap((name) => [`${name}.weight`, `${name}.bias`]),
      ].sort(),
    );
    expect(String(block)).toContain("8, 2 heads");
    const x = draw(2, 5, 8);
    expect(numbersOf(block(x))).not.toEqual(numbersOf(block(x)));
    expect(numbersOf(block.self_attn(x))).not.toEqual(numbersOf(block.self_attn(x)));
    block.eval();
    expect(numbersOf(block(x))).toEqual(numbersOf(block(x)));
  });

  test("what does not fit is told", () => {
    expect(() => new nn.MultiheadAttention(10, 3)).toThrow(
      new TensorError(
        "OPTIONS",
        "MultiheadAttention takes a width that its heads divide, but 3 heads do not divide 10.",
      ),
    );
    const layer = new nn.MultiheadAttention(4, 2, on);
    expect(() => layer(draw(3, 4), draw(3, 5))).toThrow(
      new TensorError(
        "SHAPE",
        "MultiheadAttention of width 4 takes tensors of shape […, length, 4] but got [3, 4], [3, 5], [3, 5].",
      ),
    );
  });
});

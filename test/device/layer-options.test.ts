// Options of layers that PyTorch's have, too, on every device.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { layerNorm, nn, rmsNorm, tensor, type Tensor } from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { devices } from "./devices.ts";
import { numbersOf, sampler } from "./samples.ts";

const random = seeded(freshSeed());

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);

  test("a table with a row of zeros that stays, and rows that are shortened", () => {
    const table = new nn.Embedding(5, 3, { paddingIdx: -1, device });
    expect(numbersOf(table.weight.detach()).slice(12)).toEqual([0, 0, 0]);
    const indices = tensor([0, 4, 4, 2], { dtype: "int64", device });
    table(indices).sum().backward();
    expect(numbersOf(table.weight.grad!)).toEqual([1, 0, 1, 0, 0].flatMap((each) => [each, each, each]));
    const short = new nn.Embedding(5, 3, { maxNorm: 0.01, normType: 1, dtype: "float64", device });
    const lengths = numbersOf(short(indices).detach().norm({ ord: 1, axis: 1 }));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(0.01);
    // A row that was not looked up stays as long as it was drawn, longer than that.
    expect(numbersOf(short.weight.detach().norm({ ord: 1, axis: 1 }))[1]).toBeGreaterThan(0.01);
    expect(() => new nn.Embedding(5, 3, { paddingIndex: 5 })).toThrow(
      "Embedding takes a paddingIndex from -5 to 4 but got 5.",
    );
    expect(() => new nn.Embedding(5, 3, { sparse: true } as object)).toThrow(
      "Embedding has no option sparse. Gradients of tables are dense: leave it out.",
    );
  });

  test("norms without weights", () => {
    const { x } = sample([4, 2, 3], "float64");
    const layer = new nn.LayerNorm([2, 3], { elementwiseAffine: false, eps: 0.1 });
    const other = new nn.RMSNorm(3, { elementwiseAffine: false, eps: 0.1 });
    expect([layer.parameters(), other.parameters(), layer.weight, layer.bias, other.weight]).toEqual([
      [],
      [],
      null,
      null,
      null,
    ]);
    expect(numbersOf(layer(x))).toEqual(numbersOf(layerNorm(x, null, null, { axes: 2, eps: 0.1 })));
    expect(numbersOf(other(x))).toEqual(numbersOf(rmsNorm(x, null, { axes: 1, eps: 0.1 })));
    expect(String(layer)).toBe("LayerNorm(2 × 3, without weight)  0 parameters");
    expect(() => layer(sample([3, 2]).x)).toThrow(
      "LayerNorm of shape [2, 3] takes tensors that end in it but got [3, 2].",
    );
  });

  test("recurrent layers of several layers under PyTorch's name, and dropout by an object", () => {
    const layer = new nn.LSTM(3, 4, { numLayers: 2, device });
    expect([layer.layers, layer.parameters().length]).toEqual([2, 8]);
    expect(layer(sample([5, 2, 3]).x).output.shape).toEqual([5, 2, 4]);
    expect(new nn.Dropout({ p: 0.25 }).p).toBe(0.25);
  });

  test("stride and padding stand where PyTorch has them, too", () => {
    const { x } = sample([2, 3, 9, 9]);
    const same = (made: nn.Module, wanted: nn.Module) => {
      if (made.parameters().length > 0) made.loadStateDict(wanted.stateDict());
      expect(numbersOf((made(x) as Tensor).detach())).toEqual(numbersOf((wanted(x) as Tensor).detach()));
    };
    const on = { device };
    same(new nn.Conv2d(3, 4, 3, 2, 1, on), new nn.Conv2d(3, 4, 3, { stride: 2, padding: 1, ...on }));
    same(new nn.Conv2d(3, 4, 3, 2, on), new nn.Conv2d(3, 4, 3, { stride: 2, ...on }));
    same(
      new nn.ConvTranspose2d(3, 4, 3, 2, 1, { bias: false, ...on }),
      new nn.ConvTranspose2d(3, 4, 3, { stride: 2, padding: 1, bias: false, ...on }),
    );
    same(new nn.MaxPool2d(3, 2, 1), new nn.MaxPool2d(3, { stride: 2, padding: 1 }));
    same(new nn.AvgPool2d(3, 1), new nn.AvgPool2d(3, { stride: 1 }));
    expect(String(new nn.MaxPool2d(2, 2))).toContain("MaxPool2d(2, stride 2)");
    expect(() => new nn.Conv2d(3, 4, 3, 1, 1, 1 as never)).toThrow(
      "Conv2d does not take 1 there. Options are an object: new nn.Conv2d(inputs, outputs, kernelSize, { stride, padding, dilation, groups, bias, paddingMode, device, dtype }).",
    );
    expect(() => new nn.MaxPool2d(2, "2" as never)).toThrow("MaxPool2d takes");
    const layer = new nn.Linear(200, 50, on);
    const deviation = (of: Tensor) => Number(of.detach().std().item());
    nn.init.normal(layer.weight, 3, 0.02, { seed: 5 });
    // 10,000 draws: the mean and the deviation are off by more than 6 of theirs in one run of a billion.
    expect(Math.abs(Number(layer.weight.detach().mean().item()) - 3)).toBeLessThan(6 * 0.0002);
    expect(Math.abs(deviation(layer.weight) - 0.02)).toBeLessThan(6 * 0.0002);
    nn.init.uniform(layer.bias!, 2, 3);
    expect(numbersOf(layer.bias!.detach()).every((value) => value >= 2 && value < 3)).toBe(true);
  });

  test("what is in a list is read by its number", () => {
    const [a, b] = [new nn.Linear(2, 2, { device }), new nn.Linear(2, 3, { device })];
    const list = new nn.ModuleList([a]).push(b);
    expect([list[0] === a, list[1] === b, list[2]]).toEqual([true, true, undefined]);
    const net = new nn.Sequential(a, (x) => x.relu() as Tensor, b);
    expect([net[0] === a, net[2] === b, net[3]]).toEqual([true, true, undefined]);
    // Each is there once.
    expect(Object.keys(list.stateDict())).toEqual(["0.weight", "0.bias", "1.weight", "1.bias"]);
    expect(net.parameters().length).toBe(4);
    const weights = new nn.ParameterList([tensor([1, 2], { device })]);
    expect([weights[0] === weights.at(0), weights[1], weights.parameters().length]).toEqual([true, undefined, 1]);
  });

  test("what they do not take is said", () => {
    for (const [make, message] of [
      [
        () => new nn.Dropout({ p: 0.5, inplace: true } as object),
        "Dropout has no option inplace. A layer returns a new tensor: leave it out.",
      ],
      [
        () => new nn.GRU(3, 4, { projSize: 2 } as object),
        "GRU has no option projSize. Put new nn.Linear(width, size) behind it.",
      ],
      [
        () => new nn.MultiheadAttention(8, 2, { batchFirst: true } as object),
        "MultiheadAttention has no option batchFirst. Batches are always first here: leave it out.",
      ],
      [
        () => new nn.MultiheadAttention(8, 2, { kdim: 3 } as object),
        "MultiheadAttention has no option kdim. Put new nn.Linear(kdim, width) before the keys.",
      ],
      [
        () => new nn.TransformerBlock(8, 2, { dimFeedforward: 3 } as object),
        "TransformerBlock has no option dimFeedforward. Write hidden.",
      ],
      [
        () => new nn.MaxPool2d(2, { returnIndices: true } as object),
        "MaxPool2d has no option returnIndices. Write maxPool2dWithIndices(x, …), which gives both.",
      ],
      [
        () => new nn.InstanceNorm2d(2, { trackRunningStats: true } as object),
        "InstanceNorm2d has no option trackRunningStats. Each image is normalised by its own statistics: leave it out.",
      ],
    ] as const)
      expect(make).toThrow(message);
  });
});

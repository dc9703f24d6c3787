// Tensors on every device: creation, reading, views, copies between dtypes and devices, and when their memory is free
// again.
import "./cache.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test } from "vitest";
import {
  arange,
  empty,
  DeviceUnavailable,
  full,
  memory,
  ones,
  synchronize,
  tensor,
  Tensor,
  TensorError,
  zeros,
  type DType,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, randomValues } from "./numbers.ts";

const all: DType[] = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool"];

describe.each(devices.map((device) => device.name))("on %s", (device) => {
  describe("creation", () => {
    test.each(all)("%s: what goes in comes out", (dtype) => {
      const values = randomValues(60, dtype);
      poison(device, 60);
      const x = tensor(values, { dtype, device }).reshape([3, 4, 5]);
      expect(x.shape).toEqual([3, 4, 5]);
      expect(x.dtype).toBe(dtype);
      expect(x.device).toBe(device);
      expect((x.toArray() as unknown[][][]).flat(2).map(Number)).toEqual(values);
      expect(Number(x.slice(2, 3, 4).item())).toBe(values[59]);
    });

    test("dtypes come from the data", () => {
      expect(tensor([1, 2], { device }).dtype).toBe("float32");
      expect(tensor([true, false], { device }).dtype).toBe("bool");
      expect(tensor([1n], { device }).dtype).toBe("int64");
      expect(tensor(3, { device }).shape).toEqual([]);
      expect(tensor([], { device }).shape).toEqual([0]);
      expect(tensor([[], []], { device }).toArray()).toEqual([[], []]);
      expect(tensor(new Float64Array([1, 2]), { device }).dtype).toBe("float64");
      expect(tensor(new Int32Array([1, -2]).subarray(1), { device }).toArray()).toEqual([-2]);
      expect(tensor(new Uint8ClampedArray([300]), { device }).toArray()).toEqual([255]);
      expect(tensor(Buffer.from([1, 2]), { device }).dtype).toBe("uint8");
      expect(tensor(new Uint16Array([0x3c00, 0xc000]), { device, dtype: "float16" }).toArray()).toEqual([1, -2]);
      expect(tensor(new Uint16Array([0x3f80]), { device, dtype: "bfloat16" }).toArray()).toEqual([1]);
      expect(tensor(new Float32Array([1.5, 2]), { device, dtype: "int32" }).toArray()).toEqual([1, 2]);
    });

    test.each(all)("%s: filled tensors", (dtype) => {
      poison(device, 100);
      expect(new Set((zeros([100], { dtype, device }).toArray() as unknown[]).map(Number))).toEqual(new Set([0]));
      expect(new Set((ones([10, 10], { dtype, device }).toArray() as unknown[][]).flat().map(Number))).toEqual(
        new Set([1]),
      );
    });

    test("long arrays come whole and go whole, from where they begin, shared ones too", () => {
      for (const count of [2 ** 21 - 1, 2 ** 21, 2 ** 22 + 12_345]) {
        const bytes = Uint8Array.from({ length: count + 3 }, (_, index) => (index * 2_654_435_761) >>> 13);
        const part = bytes.subarray(3);
        const shared = new Uint8Array(new SharedArrayBuffer(count));
        shared.set(part);
        for (const source of [part, shared]) {
          const x = tensor(source, { device });
          expect(Buffer.compare(x.data(), part)).toBe(0);
          expect(Buffer.compare(x.slice([1]).data(), part.subarray(1))).toBe(0);
          x.dispose();
        }
      }
    });

    test("the source may change as soon as the tensor is made, also while the device works", () => {
      const source = new Float32Array(100_000).fill(1);
      const busy = ones([256, 256], { device }).matmul(ones([256, 256], { device }));
      const x = tensor(source, { device });
      source.fill(2);
      expect(x.sum().item()).toBe(100_000);
      expect(busy.slice(0, 0).item()).toBe(256);
    });
  });

  describe("reading", () => {
    test("data gives the dtype's typed array, of 16-bit floats the bits, of views the elements in order", () => {
      expect(tensor([1, -2], { device, dtype: "float16" }).data()).toEqual(new Uint16Array([0x3c00, 0xc000]));
      expect(tensor([1, 2], { device, dtype: "int64" }).data()).toEqual(new BigInt64Array([1n, 2n]));
      expect(tensor([true], { device }).data()).toEqual(new Uint8Array([1]));
      expect(
        tensor(
          [
            [1, 2],
            [3, 4],
          ],
          { device },
        ).T.data(),
      ).toEqual(new Float32Array([1, 3, 2, 4]));
      expect(arange(10, { device }).slice([2, 5]).data()).toEqual(new Float32Array([2, 3, 4]));
    });

    test("elements have the JavaScript type of their dtype", () => {
      expect(full([], 7n, { device, dtype: "int64" }).item()).toBe(7);
      expect(full([], true, { device, dtype: "bool" }).item()).toBe(true);
      expect(full([], 0.5, { device, dtype: "bfloat16" }).toArray()).toBe(0.5);
    });

    test("item() is a number to compute with, also of 64-bit integers; one that no number holds is an error", () => {
      for (const dtype of ["int64", "uint64"] as const) {
        const item = (value: bigint) => full([1], value, { device, dtype }).item();
        expect(item(41n) + 1).toBe(42);
        expect(item(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
        expect(() => item(2n ** 53n)).toThrow(
          "item() gives a number, but 9007199254740992 is beyond 2^53, up to which numbers are exact: read the bigint with data()[0].",
        );
      }
      expect(full([1], -(2n ** 53n - 1n), { device, dtype: "int64" }).item()).toBe(Number.MIN_SAFE_INTEGER);
      expect(tensor([3, 9, 4], { device }).argmax().item() + 1).toBe(2);
    });
  });

  describe("views", () => {
    test("share the memory of their source; a contiguous copy does not", () => {
      const x = arange(12, { device });
      const view = x.reshape([3, 4]).T.slice([1, 3]);
      expect(view.shape).toEqual([2, 3]);
      expect(view.toArray()).toEqual([
        [1, 5, 9],
        [2, 6, 10],
      ]);
      expect(view.slice(null, -1).toArray()).toEqual([9, 10]);
      expect(view.storage).toBe(x.storage);
      expect(view.isContiguous).toBe(false);
      expect(view.contiguous().storage).not.toBe(x.storage);
      expect(view.contiguous().toArray()).toEqual([
        [1, 5, 9],
        [2, 6, 10],
      ]);
      expect(x.contiguous().storage).toBe(x.storage);
    });

    test("reshape is a view where the strides allow and a copy elsewhere", () => {
      const x = arange(24, { device }).reshape([2, 3, 4]);
      expect(x.reshape([6, -1]).storage).toBe(x.storage);
      const swapped = x.transpose([0, 2, 1]);
      expect(swapped.reshape([2, -1]).storage).not.toBe(x.storage);
      expect(swapped.reshape([2, -1]).toArray()).toEqual([
        [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11],
        [12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23],
      ]);
      expect(x.slice([0, 1]).reshape([12]).storage).toBe(x.storage);
    });
  });

  describe("memory", () => {
    const allocated = () => memory()[device]!.allocated;

    /**
     * Frees all that nobody holds: objects that other objects held, and what is freed after a turn of the event loop,
     * need several rounds.
     */
    async function collectAll(): Promise<void> {
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as () => void;
      for (let round = 0, before = Infinity; round < 5 || allocated() < before; round++) {
        before = allocated();
        collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }

    // What earlier tests left would be freed in the midst of the next one.
    beforeEach(collectAll);

    test("dispose frees it, once the last view is gone", () => {
      const start = allocated();
      const x = zeros([1000], { device });
      expect(allocated() - start).toBeGreaterThanOrEqual(4000);
      const view = x.slice([10]);
      x.dispose();
      x.dispose();
      expect(x.isDisposed).toBe(true);
      expect(view.toArray()).toHaveLength(990);
      view.dispose();
      expect(allocated()).toBe(start);
    });

    test("using disposes at the end of the block", () => {
      const start = allocated();
      {
        using x = zeros([1000], { device });
        expect(x.isDisposed).toBe(false);
      }
      expect(allocated()).toBe(start);
    });

    test("operations keep nothing but their result", () => {
      const x = arange(5000, { device });
      const y = x.reshape([50, 100]);
      const start = allocated();
      const results = [
        y.sum(),
        y.sum({ axis: 0 }),
        y.T.mean({ axis: 1 }),
        y.add(1),
        y.T.matmul(y),
        y.max(),
        y.T.to("int32"),
      ];
      String(y);
      const kept = results.reduce((bytes, result) => bytes + Math.max(256, Math.ceil(result.bytes / 256) * 256), 0);
      expect(allocated() - start).toBe(kept);
      for (const result of results) result.dispose();
      expect(allocated()).toBe(start);
    });

    test.each<[string, (x: Tensor) => Float32Array]>([
      ["an array", (x) => x.data() as Float32Array],
      ["the memory itself", (x) => (device === "cpu" ? x.memory() : x.data()) as Float32Array],
      ["a part of one", (x) => (x.data() as Float32Array).subarray(0).subarray(0, 100)],
      ["another array over its buffer", (x) => new Float32Array(x.data().buffer)],
      [
        "an array of a view that is not contiguous",
        (x) => x.reshape([10, 10]).T.reshape([10, 10]).T.data() as Float32Array,
      ],
      [
        "an array of a tensor that has been disposed of",
        (x) => {
          const array = x.data() as Float32Array;
          x.dispose();
          return array;
        },
      ],
    ])("%s holds what it shows", async (_name, arrayOf) => {
      const array = (() => arrayOf(arange(100, { device })))();
      await collectAll();
      poison(device, 100);
      for (let index = 0; index < 50; index++) full([100], -1, { device });
      await synchronize();
      expect(Array.from(array)).toEqual([...Array(100).keys()]);
    });

    test("data() is a copy: neither changes with the other", () => {
      const x = arange(6, { device }).reshape([2, 3]);
      for (const view of [x, x.T, x.slice(1)]) {
        const [array, wanted] = [view.data() as Float32Array, Float32Array.from(view.data() as Float32Array)];
        x.add_(10);
        expect(array).toEqual(wanted);
        array.fill(-1);
        expect(view.data()).toEqual(wanted.map((value) => value + 10));
      }
    });

    test("memory() is the memory of a tensor of the CPU, and says data() elsewhere", async () => {
      const x = arange(6, { device }).reshape([2, 3]);
      if (device !== "cpu") {
        expect(() => x.memory()).toThrow(
          `memory() shows a tensor of the cpu in place, and this one is on ${x.device}: data() gives a copy of its elements.`,
        );
        return;
      }
      const array = x.slice(1).memory();
      x.add_(10);
      await synchronize();
      expect(array).toEqual(new Float32Array([13, 14, 15]));
      array[0] = -1;
      expect(x.toArray()).toEqual([
        [10, 11, 12],
        [-1, 14, 15],
      ]);
      expect(() => x.T.memory()).toThrow(
        "memory() shows a contiguous tensor in place, and this one has strides [1, 3]: data() gives a copy of its elements.",
      );
      x.dispose();
      expect(array).toEqual(new Float32Array([-1, 14, 15]));
      expect(() => x.memory()).toThrow("disposed");
    });

    test("an array of the CPU's own memory becomes a tensor without a copy, and nothing else does", async () => {
      const room = empty([6], { device: "cpu" }).memory();
      room.set([0, 1, 2, 3, 4, 5]);
      const start = memory()["cpu"]!.allocated;
      const x = tensor(room.subarray(2), { copy: false });
      expect(memory()["cpu"]!.allocated).toBe(start);
      expect([x.dtype, x.device, x.shape]).toEqual(["float32", "cpu", [4]]);
      x.add_(10);
      await synchronize();
      expect(room).toEqual(new Float32Array([0, 1, 12, 13, 14, 15]));
      room[5] = -1;
      expect(x.toArray()).toEqual([12, 13, 14, -1]);
      expect(tensor(x, { copy: false }).storage).toBe(x.storage);
      expect(tensor(x).storage).not.toBe(x.storage);
      const flags = tensor([true, false], { device: "cpu" }).memory();
      expect(tensor(flags, { copy: false, dtype: "bool" }).toArray()).toEqual([true, false]);
      expect(tensor(room.subarray(6), { copy: false }).shape).toEqual([0]);

      const refused: [() => unknown, string][] = [
        [
          () => tensor(new Float32Array(3), { copy: false }),
          "tensor with copy: false takes an array in the cpu's own memory, such as zeros([3]).memory(), but got a host Float32Array from elsewhere: leave copy out.",
        ],
        [
          () => tensor([1, 2], { copy: false }),
          "tensor with copy: false takes an array in the cpu's own memory, such as zeros([3]).memory(), but got an array of 2 from elsewhere: leave copy out.",
        ],
        [
          () => tensor(room, { copy: false, dtype: "int32" }),
          "tensor with copy: false shows a Float32Array in the memory of cpu as it is, not as int32 on cpu: leave copy out.",
        ],
        [
          () => tensor(x, { copy: false, dtype: "int32" }),
          "tensor with copy: false does not convert a tensor of float32 on cpu: leave copy out to have it as int32 on cpu.",
        ],
      ];
      for (const [make, message] of refused) expect(make).toThrow(message);
      if (device === "cpu") return;
      expect(() => tensor(room, { copy: false, device })).toThrow(
        `tensor with copy: false shows a Float32Array in the memory of cpu as it is, not as float32 on ${device}: leave copy out.`,
      );
    });

    test("an empty view has no elements, wherever it begins", () => {
      const empty = zeros([0, 3], { device });
      for (const view of [
        empty.slice(null, 2),
        empty.slice(null, [1, 3]),
        empty.flip(),
        zeros([4], { device }).slice([4, 4]),
      ])
        expect(
          [view.data(), ...(device === "cpu" && view.isContiguous ? [view.memory()] : [])].map((array) => array.length),
        ).toEqual(device === "cpu" && view.isContiguous ? [0, 0] : [0]);
    });

    test.each([100, 100_000])("the buffer of an array of %i elements has them and nothing else", (size) => {
      const array = arange(size, { device }).data();
      expect([array.byteOffset, array.buffer.byteLength]).toEqual([0, 4 * size]);
      expect(array.at(-1)).toBe(size - 1);
    });

    test("arrays give their memory back when they are collected", async () => {
      const start = allocated();
      (() => {
        for (let index = 0; index < 20; index++) {
          const x = zeros([200_000], { device });
          x.data();
          x.dispose();
        }
      })();
      await collectAll();
      expect(allocated()).toBeLessThanOrEqual(start);
    });

    test("a loop that disposes of nothing uses memory again in the midst of its job", () => {
      const x = arange(device === "cpu" ? 1 << 18 : 1 << 22, { dtype: "float32", device });
      const reserved = memory()[device]!.reserved;
      let last = x;
      for (let i = 0; i < 3000; i++) last = x.add(i);
      let sum = 0;
      for (let i = 0; i < 1000; i++) sum += x.add(i).data()[7]!;
      expect(last.slice([3, 5]).toArray()).toEqual([3002, 3003]);
      expect(sum).toBe(1000 * 7 + (999 * 1000) / 2);
      expect(memory()[device]!.reserved - reserved).toBeLessThan((4000 * x.bytes) / 4);
    });

    test("the collector frees what nobody holds", async () => {
      const start = allocated();
      (() => {
        for (let index = 0; index < 100; index++) zeros([100_000], { device });
      })();
      expect(allocated()).toBeGreaterThan(start);
      await collectAll();
      expect(allocated()).toBeLessThanOrEqual(start);
    });
  });

  test.each<[string, () => unknown, string]>([
    [
      "a ragged array",
      () => tensor([[1, 2], [3]], { device }),
      "Nested arrays must have equal lengths, but [1] has 1 element where its neighbours have 2 elements.",
    ],
    [
      "an array among numbers",
      () => tensor([1, [2]] as never, { device }),
      "Nested arrays must have equal lengths, but [1] has 1 element where its neighbours have a number.",
    ],
    [
      "an array with a hole",
      () => tensor([1, , 3] as never, { device }),
      "tensor makes float32, which does not hold undefined.",
    ],
    [
      "an array of nothing but its length",
      () => tensor(new Array(3) as never, { device }),
      "tensor makes float32, which does not hold undefined.",
    ],
    [
      "an array that holds itself",
      () => {
        const loop: unknown[] = [];
        loop.push(loop);
        return tensor(loop as never, { device });
      },
      "A tensor has at most 16 axes, but this shape has 17",
    ],
    [
      "numbers, bigints and booleans mixed",
      () => tensor([1, 2n] as never, { device }),
      'tensor takes numbers, bigints or booleans but got numbers and bigints. Name the dtype that they become, such as { dtype: "int64" }.',
    ],
    [
      "a number that may have been rounded",
      () => tensor([2 ** 53], { device, dtype: "int64" }),
      "tensor makes int64, which does not hold 9007199254740992. A number of 2^53 and more may have been rounded: write 9007199254740992n.",
    ],
    [
      "a value that the dtype does not hold",
      () => tensor([1.5], { device, dtype: "int32" }),
      "tensor makes int32, which does not hold 1.5. It holds whole numbers from -2147483648 to 2147483647.",
    ],
    [
      "a string",
      () => tensor(["1"] as never, { device }),
      'tensor makes float32, which does not hold "1". Make numbers of a list of texts with texts.map(Number).',
    ],
    [
      "a word",
      () => tensor(["Ann"] as never, { device }),
      'tensor makes float32, which does not hold "Ann". io.categories(texts) numbers the texts of a list.',
    ],
    [
      "a date",
      () => tensor([new Date(0)] as never, { device }),
      "tensor makes float32, which does not hold a Date. Write date.getTime(), its milliseconds since 1970.",
    ],
    [
      "a typed array that no dtype holds",
      () => tensor(new DataView(new ArrayBuffer(2)) as never, { device }),
      "No dtype holds the elements of a DataView. Typed arrays for tensors are",
    ],
    [
      "an unknown dtype",
      () => zeros([2], { device, dtype: "float8" as never }),
      /^zeros takes a dtype \(float32, [\w, ]+ bool\) as dtype but got "float8"\.$/,
    ],
    [
      "a fill that the dtype does not hold",
      () => full([2], 256, { device, dtype: "uint8" }),
      "full makes uint8, which does not hold 256. It holds whole numbers from 0 to 255.",
    ],
    [
      "a shape that is not an array",
      () => zeros([2], 3 as never),
      "zeros does not take 3 there. Options are an object: zeros(shape, { dtype, device }).",
    ],
    [
      "a dtype without its name",
      () => tensor([1], "int32" as never),
      'tensor does not take "int32" there. Options are an object: tensor({ dtype, device, copy }).',
    ],
    [
      "a target that is none",
      () => zeros([2], { device }).to("int128"),
      `int64, uint64, bool), a device ("cpu", "cuda", "cuda:N") or { memoryFormat } but got "int128".`,
    ],
    ["no target", () => zeros([2], { device }).to(undefined as never), "but got undefined."],
    [
      "item of several elements",
      () => zeros([2], { device }).item(),
      "item() takes a tensor of one element, but the shape is [2].",
    ],
    [
      "a tensor that is gone",
      () => {
        const x = zeros([2], { device });
        x.dispose();
        return x.toArray();
      },
      "This tensor, shape [2], has been disposed of.",
    ],
    [
      "a view of a tensor that is gone",
      () => {
        const x = zeros([2], { device });
        x.dispose();
        return x.reshape([1, 2]);
      },
      "An operand of reshape, shape [2], has been disposed of.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(TensorError);
    expect(act).toThrow(sentence);
  });
});

describe("devices", () => {
  test.each(["gpu", "cpu:1", "cuda:x", "cuda:4294967296", ""])("a name that is none: %j", (device) => {
    expect(() => zeros([1], { device })).toThrow(DeviceUnavailable);
    expect(() => zeros([1], { device })).toThrow(`A device is named "cpu", "cuda" or "cuda:N", not "${device}".`);
  });

  test("a GPU that is not there is refused with the reason, never replaced", () => {
    expect(() => zeros([1]).to("cuda:99")).toThrow(DeviceUnavailable);
  });

  test("to the same device or dtype is the tensor's own memory", () => {
    const x = zeros([2], { device: "cpu" });
    expect(x.to("cpu").storage).toBe(x.storage);
    expect(x.to("float32").storage).toBe(x.storage);
    expect(x.to("cpu")).toBeInstanceOf(Tensor);
  });

  test.runIf(devices.length > 1)("a copy to another device and back", () => {
    const values = randomValues(5_000_000, "float32");
    const there = tensor(values, { device: "cpu" }).reshape([1000, 5000]).T.to(devices[1]!.name);
    expect(there.device).toBe(devices[1]!.name);
    expect(there.to("cpu").T.reshape([-1]).data()).toEqual(new Float32Array(values));
  });
});

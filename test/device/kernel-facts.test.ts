// What the library takes for granted of its kernels' C++ beside what each device's compiler says: a state that is larger
// than its room would be written over other arrays.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { CompileError, compile } from "../../native/lib/index.ts";
import { pointerType, viewType } from "../../native/lib/cuda/c-types.ts";
import { dtypeNames, factsOf, wideOf, type DType } from "../../native/lib/memory/dtype.ts";
import { maxRank } from "../../native/lib/memory/shape.ts";
import { claimsOf, factTexts } from "../../native/lib/ops/kernels/kernel-facts.ts";
import {
  KernelFamily,
  kernelFile,
  libraryUnits,
  unitSource,
  type ParameterKind,
} from "../../native/lib/ops/kernels/library.ts";
import { accumulatorOf } from "../../native/lib/ops/reduce/reducers.ts";
import { devices } from "./devices.ts";

const sixteen = ["WARPCELL_SIXTEEN_BITS"];
const wideTypes = { f32: "float", f64: "double", i32: "int", u32: "uint", i64: "int64", u64: "uint64" };
const computing = dtypeNames.filter((dtype) => factsOf(dtype).isStorage !== true);
const dtypesOf = (file: string): DType[] => libraryUnits().flatMap((unit) => (unit.file === file ? [unit.dtype] : []));

describe.each(devices)("on $name", (process) => {
  const device = process.name;
  test.each([...factTexts().keys()])("the constants of %s.cu are what arrays are allocated by", async (file) => {
    const claims = dtypesOf(file).map((dtype) => claimsOf(file, dtype));
    expect(claims.join("\n")).toContain("static_assert");
    await compile([kernelFile(file), ...claims].join("\n"), { device, isLibrary: true, defines: sixteen });
  });

  test("a state that has grown since the library was built does not compile", async () => {
    const grown = unitSource({ file: "reduce", dtype: "float32" }).replace(
      "using namespace warpcell;",
      `namespace warpcell {
template <> struct MeanOf<float> { struct State { double sum, lost; }; };
template <> struct FloatMeanOf<float> { struct State { float sum, lost; }; };
}
using namespace warpcell;`,
    );
    const error = await compile(grown, { device, isLibrary: true }).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CompileError);
    expect((error as CompileError).log).toContain(
      "the library takes sizeof(FloatMeanOf<float>::State) for 4: build it again",
    );
  });

  test.each<[string, ParameterKind[], string]>([
    [
      "fewer",
      ["place", "place", "out", "i64", "i64", "i64"],
      "Kernel take_along<unsigned char> takes 7 parameters where the library passes 6: its parts are from different versions. Build the library again.",
    ],
    [
      "narrower",
      ["place", "place", "out", "i64", "i64", "i32", "i64"],
      "Parameter 5 of kernel take_along<unsigned char> has 8 bytes where the library passes 4: its parts are from different versions. Build the library again.",
    ],
  ])("a kernel that the library passes %s arguments is not launched", (_, kinds, sentence) => {
    const family = new KernelFamily("along", ["uint8"], (type) => `take_along<${type}>`, kinds);
    expect(() => family.on(process, "uint8")).toThrow(sentence);
  });

  test("dtypes, what they compute in, what their sums are kept in, and tensors as parameters are the same on both sides", async () => {
    const same = (a: string, b: string) => `static_assert(same<${a}, ${b}>, "${a} is not ${b}");`;
    const pointer = pointerType("float*", false, null);
    const lines = [
      ...Array.from({ length: maxRank }, (_, at) => at + 1).flatMap((rank) => {
        const [type, last] = [`Tensor${rank}`, 8 * (rank - 1)];
        return [
          `using ${type} = Tensor<float, ${rank}>;`,
          `static_assert(sizeof(${type}) == ${viewType(pointer, rank).size}, "a size");`,
          `static_assert(offsetof(${type}, data) == 0, "the pointer");`,
          `static_assert(offsetof(${type}, shape[${rank - 1}]) == ${8 + last}, "the shape");`,
          `static_assert(offsetof(${type}, strides[${rank - 1}]) == ${8 + 8 * rank + last}, "the strides");`,
        ];
      }),
      `static_assert(kMaxRank == ${maxRank}, "a tensor has other than ${maxRank} axes at most");`,
      ...dtypeNames.map((dtype) => {
        const { c, bytes } = factsOf(dtype);
        return `static_assert(sizeof(${c}) == ${bytes}, "${c} has other than ${bytes} bytes");`;
      }),
      ...computing.flatMap((dtype) => [
        same(`Wide<${factsOf(dtype).c}>`, wideTypes[wideOf(dtype)]),
        same(`Sum<${factsOf(dtype).c}>`, factsOf(accumulatorOf(dtype)).c),
      ]),
    ];
    const source = `#include <stddef.h>\n#include <warpcell/map.cuh>\n#include <warpcell/numbers.cuh>\n#include <warpcell/tensor.cuh>\nusing namespace warpcell;\n${lines.join("\n")}\n`;
    await compile(source, { device, isLibrary: true, defines: sixteen });
  });
});

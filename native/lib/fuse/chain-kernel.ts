// The kernel of a chain on one device: its CUDA C++, and how it is launched.
import type { DeviceProcess } from "../device/process.ts";
import type { DeviceArray } from "../memory/array.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { merged } from "../memory/shape.ts";
import { LibraryKernel, type LibraryArgument, type ParameterKind } from "../ops/kernels/library.ts";
import { flatBlocks, layoutOf } from "../ops/kernels/map.ts";
import type { Chain } from "./chain.ts";
import { GeneratedModule } from "./generated-module.ts";
import { numberTypes, operandsText, packWidth } from "./text.ts";
import { isAligned } from "./variant.ts";

const kernels = new WeakMap<DeviceProcess, Map<string, ChainKernel>>();

/** What a chain has computed, and the name of its value. */
interface Result {
  readonly array: DeviceArray;
  readonly value: string;
}

const dtypesOf = (chain: Chain, results: readonly Result[]): DType[] => [
  ...results.map(({ array }) => array.dtype),
  ...chain.operands.map(({ array }) => array.dtype),
];

/** All that the text depends on. */
const keyOf = ({ lines, operands, numberKinds, works }: Chain, results: readonly Result[]): string =>
  [
    nameOf(works),
    ...lines,
    ...operands.map(({ array, step }) => `${array.dtype} ${step}`),
    numberKinds.join(),
    ...results.map(({ array, value }) => `${array.dtype} ${value}`),
  ].join("\n");

/** How many operations a kernel's name says. */
const named = 6;

/** What profiles call the kernel: fused_mul_add_tanh. */
function nameOf(works: Chain["works"]): string {
  const rest = works.length - named;
  return ["fused", ...works.slice(0, named).map(({ name }) => name), ...(rest > 0 ? [`and_${rest}_more`] : [])].join(
    "_",
  );
}

export class ChainKernel {
  readonly source: string;
  readonly module: GeneratedModule;
  #kernel: LibraryKernel | null = null;

  private constructor(chain: Chain, results: readonly Result[]) {
    const name = nameOf(chain.works);
    const kinds: ParameterKind[] = [
      ...(["struct", "i64", "i32"] as const),
      ...results.map(() => "out" as const),
      ...chain.operands.map(() => "place" as const),
      ...chain.numberKinds,
    ];
    this.source = textOf(name, chain, results);
    // A template, whose parameter may be of the library's own types.
    const names = [`${name}<${factsOf(results[0]!.array.dtype).c}>`];
    this.module = new GeneratedModule(chain.on.device, this.source, names, (module) => {
      this.#kernel = new LibraryKernel(name, { module, index: 0 }, kinds);
    });
  }

  /** The kernel that computes those results of a chain. */
  static of(chain: Chain, results: readonly Result[]): ChainKernel {
    const { device } = chain.on;
    let known = kernels.get(device);
    if (known === undefined) kernels.set(device, (known = new Map()));
    const key = keyOf(chain, results);
    let kernel = known.get(key);
    if (kernel === undefined) known.set(key, (kernel = new ChainKernel(chain, results)));
    return kernel;
  }

  /** Its module is ready. */
  launch(chain: Chain, results: readonly Result[]): void {
    const { on, operands, numbers } = chain;
    const outs = results.map(({ array }) => array);
    const width = packWidth(dtypesOf(chain, results));
    const views = [outs[0]!, ...operands.map(({ view }) => view)];
    const { shape, strides } = merged(views);
    const inner = strides.slice(1).map((list) => list.slice(0, -1));
    const isPacked =
      (shape.length <= 1 || shape.at(-1)! % width === 0) &&
      outs.every(({ placeLow, dtype }) => placeLow % (width * factsOf(dtype).bytes) === 0) &&
      isAligned(operands, operands, inner, width);
    const { size } = outs[0]!;
    const args: LibraryArgument[] = [
      layoutOf(views),
      size,
      Number(isPacked),
      ...outs,
      ...operands.map(({ array }) => array),
      ...(numbers as readonly (number | bigint)[]),
    ];
    this.#kernel!.launch(on, flatBlocks(on.device, size, 16 / width), args);
  }
}

function textOf(name: string, chain: Chain, results: readonly Result[]): string {
  const { operands, numberKinds, lines } = chain;
  const types = results.map(({ array }) => factsOf(array.dtype).c);
  const each = (text: (type: string, at: number) => string) => types.map(text).join(" ");
  const layout = `<${operands.length + 1}>`;
  const parameters = [
    `Layout${layout} layout`,
    "long long count",
    "int packed",
    ...types.map((type, at) => `${at === 0 ? "Out" : type}* y${at}`),
    ...operands.map(({ array }, at) => `const ${factsOf(array.dtype).c}* x${at}`),
    ...numberKinds.map((kind, at) => `${numberTypes[kind]} n${at}`),
  ].join(", ");
  const row = operands.map((_, at) => `x${at} + at.at[${at + 1}]`).join(", ");
  const values = results.map(({ value, array }) => `narrow<${factsOf(array.dtype).c}>(${value})`).join(", ");
  return `${operandsText(operands, packWidth(dtypesOf(chain, results)))}
struct Results { ${each((type, at) => `${type} y${at};`)} };
struct Outs {
  ${each((type, at) => `${type}* y${at};`)}
  __device__ inline Outs from(long long i) const { return {${types.map((_, at) => `y${at} + i`).join(", ")}}; }
  __device__ inline void put(long long i, const Results& r) const { ${each((_, at) => `y${at}[i] = r.y${at};`)} }
  __device__ inline void put_pack(long long i, const Results (&r)[Row::width]) const {
    ${each((type, at) => `Pack<${type}, Row::width> p${at};`)}
#pragma unroll
    for (int e = 0; e < Row::width; e++) { ${each((_, at) => `p${at}.element[e] = r[e].y${at};`)} }
    ${each((type, at) => `*(Pack<${type}, Row::width>*)(y${at} + i) = p${at};`)}
  }
};

template <class Out> __global__ void ${name}(${parameters}) {
  fused_results<Row>(layout, count, packed, Outs{${types.map((_, at) => `y${at}`).join(", ")}},
    [&](const Offsets${layout}& at) { return Row{${row}}; },
    [=](const Elements& e) {
${lines.map((line) => `      ${line}`).join("\n")}
      return Results{${values}};
    });
}
`;
}

// What leaves the kernel for a front end, and all that extension/ may import of it: the names, and the payloads, which
// are the library's types.
import type {
  AsmMime,
  ChartMime,
  EditorTarget,
  GaugesTarget,
  KernelTarget,
  MemoryMime,
  MemoryTarget,
  MistakesTarget,
  TensorMime,
  TensorTarget,
  TraceMime,
  TraceTarget,
  VariablesTarget,
  ViewerTarget,
} from "warpcell/payloads";

export type * from "warpcell/payloads";

export const tensorMime: TensorMime = "application/vnd.warpcell.tensor.v1+json";
export const traceMime: TraceMime = "application/vnd.warpcell.trace.v1+json";
export const asmMime: AsmMime = "application/vnd.warpcell.asm.v1+json";
export const chartMime: ChartMime = "application/vnd.warpcell.chart.v1+json";
export const memoryMime: MemoryMime = "application/vnd.warpcell.memory.v1+json";

export const gaugesTarget: GaugesTarget = "warpcell.gauges";
export const tensorTarget: TensorTarget = "warpcell.tensor";
export const traceTarget: TraceTarget = "warpcell.trace";
export const mistakesTarget: MistakesTarget = "warpcell.mistakes";
export const variablesTarget: VariablesTarget = "warpcell.variables";
export const memoryTarget: MemoryTarget = "warpcell.memory";
export const kernelTarget: KernelTarget = "warpcell.kernel";
export const editorTarget: EditorTarget = "warpcell.editor";
export const viewerTarget: ViewerTarget = "warpcell.viewer";

// The extension as JupyterLab sees it: the list of plugins, each of which can be disabled by its id alone.
import type { JupyterFrontEndPlugin } from "@jupyterlab/application";
import { asm } from "./asm/plugin.ts";
import { chartView } from "./chart/plugin.ts";
import { cudaCells } from "./cuda-cells/plugin.ts";
import { editor } from "./editor/plugin.ts";
import { gauges } from "./gauges/plugin.ts";
import { kernelPanel } from "./kernel-panel/plugin.ts";
import { longOutput } from "./long-output/plugin.ts";
import { memory } from "./memory/plugin.ts";
import { squiggles } from "./squiggles/plugin.ts";
import { tensorView } from "./tensor-view/plugin.ts";
import { traceView } from "./trace/plugin.ts";
import { variables } from "./variables/plugin.ts";
import { viewer } from "./viewer/plugin.ts";

const plugins: JupyterFrontEndPlugin<void>[] = [
  cudaCells,
  tensorView,
  chartView,
  traceView,
  gauges,
  asm,
  squiggles,
  editor,
  variables,
  memory,
  kernelPanel,
  viewer,
  longOutput,
];

// JupyterLab loads the default export, and no other.
export default plugins;

// Renders one tensor output below its cell: its line of facts and its heat map, or the sentence that says what is wrong with it.
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { element } from "./element.ts";
import { HeatMap } from "./heat-map.ts";
import { checkPayload } from "./payload.ts";
import type { Fact } from "./summary.ts";
import { factsOf } from "./summary.ts";
import { decodeTile } from "./tile.ts";

export class TensorRenderer extends Widget implements IRenderMime.IRenderer {
  private readonly mimeType: string;
  private heatMap: HeatMap | null = null;

  constructor({ mimeType }: IRenderMime.IRendererOptions) {
    super();
    this.mimeType = mimeType;
    this.addClass("warpcell-tensor");
  }

  override dispose(): void {
    this.heatMap?.dispose();
    super.dispose();
  }

  /** Never rejects: an output that cannot be read is itself the thing to show. */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.heatMap?.dispose();
    this.heatMap = null;
    this.node.replaceChildren(...this.contentOf(model.data[this.mimeType]));
  }

  private contentOf(data: unknown): HTMLElement[] {
    const payload = checkPayload(data);
    if (!payload.ok) return [problem(payload.problem)];
    const line = element("div", "warpcell-tensor-line", ...factsOf(payload.value).map(factNode));
    const { tile, size } = payload.value;
    if (!tile || size < 2) return [line];
    const picture = decodeTile(tile, payload.value.dtype);
    if (!picture.ok) return [line, problem(picture.problem)];
    this.heatMap = new HeatMap(payload.value, tile, picture.value);
    return [line, this.heatMap.node];
  }
}

function factNode({ kind, text, detail }: Fact): HTMLElement {
  const node = element("span", `warpcell-tensor-${kind}`, text);
  if (detail) node.title = detail;
  return node;
}

function problem(sentence: string): HTMLElement {
  return element("div", "warpcell-tensor-problem", sentence);
}

// Renders one tensor output below its cell: its line of facts and its heat map, or the sentence that says what is wrong
// with it.
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { element } from "./element.ts";
import { HeatMap } from "./heat-map.ts";
import type { TensorPayload } from "../../../kernel/mime.ts";
import { checkPayload, checkTile } from "./payload.ts";
import type { Open } from "../viewer/open.ts";
import type { SliceSource } from "./slice-source.ts";
import { Sliders } from "./sliders.ts";
import type { Fact } from "./summary.ts";
import { factsOf } from "./summary.ts";
import { trans } from "../drawing/trans.ts";
import { decodeTile, inRangeOf } from "./tile.ts";

/** Milliseconds after which a picture that may still change is asked for again. */
const unfinishedPause = 1000;

export class TensorRenderer extends Widget implements IRenderMime.IRenderer {
  private readonly mimeType: string;
  private readonly slices: SliceSource | null;
  private readonly openIn: () => Open | null;
  private heatMap: HeatMap | null = null;
  private again: number | undefined;
  /** The answer that the picture was made of. */
  private said = "";

  /** Without a source of slices, as in a file, the first one is shown, and nothing opens. */
  constructor(
    { mimeType }: IRenderMime.IRendererOptions,
    slices: SliceSource | null = null,
    openIn: () => Open | null = () => null,
  ) {
    super();
    this.openIn = openIn;
    this.slices = slices;
    this.mimeType = mimeType;
    this.addClass("warpcell-tensor");
  }

  override dispose(): void {
    window.clearTimeout(this.again);
    this.heatMap?.dispose();
    super.dispose();
  }

  /** Never rejects: an output that cannot be read is itself the thing to show. */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    window.clearTimeout(this.again);
    this.heatMap?.dispose();
    this.heatMap = null;
    this.said = "";
    this.node.replaceChildren(...this.contentOf(model.data[this.mimeType], model.data["image/png"]));
  }

  private contentOf(data: unknown, png: unknown): HTMLElement[] {
    const payload = checkPayload(data);
    if (!payload.ok) return [problem(payload.problem)];
    const line = element("div", "warpcell-tensor-line", ...factsOf(payload.value).map(factNode));
    line.append(...this.openButton(payload.value));
    const { tile, size } = payload.value;
    if (!tile || size < 2) return [line];
    const drawing = drawingOf(payload.value, png);
    const above = drawing === null ? [line] : [line, drawing];
    // A heat map whose columns are channels says nothing; one of a channel does.
    if (drawing !== null && payload.value.picture === "colours" && payload.value.shape.at(-1)! <= 4) return above;
    const picture = decodeTile(tile, payload.value.dtype);
    if (!picture.ok) return [...above, problem(picture.problem)];
    this.heatMap = new HeatMap(payload.value, tile, inRangeOf(payload.value, picture.value));
    const { id, shape } = payload.value;
    if (id === undefined || this.slices === null) return [...above, this.heatMap.node];
    const source = this.slices;
    source.prepare();
    if (shape.slice(0, -2).every((length) => length === 1)) return [...above, this.heatMap.node];
    const sliders = new Sliders(shape, (index) => void this.showSlice(source, sliders, payload.value, id, index));
    return [...above, sliders.node, this.heatMap.node];
  }

  private openButton({ id, shape, dtype, device }: TensorPayload): HTMLElement[] {
    const open = this.openIn();
    if (id === undefined || open === null) return [];
    const button = element("button", "warpcell-button warpcell-tensor-open", trans.__("Open"));
    button.type = "button";
    button.title = trans.__("Open the tensor in a tab: zoom, any axes, statistics");
    button.addEventListener("click", () => open({ id, shape, dtype, device }));
    return [button];
  }

  /**
   * One request at a time: while a slider is drawn, the kernel is asked for where it is, not for all the places where
   * it was.
   */
  private async showSlice(
    source: SliceSource,
    sliders: Sliders,
    payload: TensorPayload,
    id: string,
    index: number[],
  ): Promise<void> {
    window.clearTimeout(this.again);
    const isUnderWay = sliders.wanted !== null;
    sliders.wanted = index;
    if (isUnderWay) return;
    let isUnfinished = false;
    let asked: number[];
    do {
      asked = sliders.wanted;
      const reply = await source.request(id, asked);
      const tile = reply.ok ? checkTile(reply.value.tile, payload.shape) : reply;
      const picture = tile.ok ? decodeTile(tile.value, payload.dtype) : tile;
      // The output may have been replaced meanwhile.
      if (this.isDisposed || !this.heatMap || !this.node.contains(sliders.node)) break;
      sliders.say(picture.ok ? "" : picture.problem);
      isUnfinished = reply.ok && reply.value.unfinished;
      if (!reply.ok || !tile.ok || !picture.ok) continue;
      const said = JSON.stringify([asked, reply.value]);
      // The pointer may be reading an element of the picture that is there.
      if (said === this.said) continue;
      this.said = said;
      const shown = this.heatMap;
      this.heatMap = new HeatMap(payload, tile.value, inRangeOf(payload, picture.value), asked, isUnfinished);
      shown.node.replaceWith(this.heatMap.node);
      shown.dispose();
    } while (asked !== sliders.wanted);
    sliders.wanted = null;
    // What was read while the kernel worked is stale when it has ended.
    if (isUnfinished)
      this.again = window.setTimeout(() => void this.showSlice(source, sliders, payload, id, asked), unfinishedPause);
  }
}

/** What the output's own picture shows, where that is more than a heat map does. */
function drawingOf(payload: TensorPayload, png: unknown): HTMLElement | null {
  const { picture } = payload;
  if (picture === undefined || typeof png !== "string" || !/^[A-Za-z0-9+/\n]+={0,2}\n?$/.test(png)) return null;
  const image = element("img", `warpcell-tensor-picture warpcell-tensor-picture-${picture}`);
  image.src = `data:image/png;base64,${png}`;
  image.alt = `${drawings[picture]} of a tensor: ${factsOf(payload)
    .map(({ text }) => text)
    .join(", ")}`;
  return image;
}

const drawings = { line: "Line", colours: "Image", slices: "Slices" } as const;

function factNode({ kind, text, detail }: Fact): HTMLElement {
  const node = element("span", `warpcell-tensor-${kind}`, text);
  if (detail) node.title = detail;
  return node;
}

function problem(sentence: string): HTMLElement {
  return element("div", "warpcell-problem", sentence);
}

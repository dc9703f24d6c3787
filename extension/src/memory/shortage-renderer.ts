// Renders what held a device's memory when there was not enough of it, above the error of its cell.
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import type { ShortagePayload } from "../../../kernel/mime.ts";
import { formatBytes } from "../drawing/quantity.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";
import { CellHues } from "./cell-colours.ts";
import { largestTensors, legend, type ListActions } from "./lists.ts";
import { MemoryMap } from "./map.ts";
import { checkShortage } from "./shortage-payload.ts";
import { freeText } from "./words.ts";

export class ShortageRenderer extends Widget implements IRenderMime.IRenderer {
  private readonly mimeType: string;
  private readonly goTo: (from: Widget, ...place: Parameters<ListActions["goTo"]>) => void;

  constructor({ mimeType }: IRenderMime.IRendererOptions, goTo: ShortageRenderer["goTo"]) {
    super();
    this.mimeType = mimeType;
    this.goTo = goTo;
    this.addClass("warpcell-memory");
    this.addClass("warpcell-shortage");
  }

  /** Never rejects: an output that cannot be read is itself the thing to show. */
  async renderModel({ data }: IRenderMime.IMimeModel): Promise<void> {
    const payload = checkShortage(data[this.mimeType]);
    this.node.replaceChildren(
      ...(payload.ok ? this.parts(payload.value) : [element("div", "warpcell-problem", payload.problem)]),
    );
  }

  private parts({ requested, memory }: ShortagePayload): HTMLElement[] {
    const actions: ListActions = { hues: new CellHues(), goTo: (place) => this.goTo(this, place) };
    const map = new MemoryMap(actions.hues);
    map.show(memory);
    const figures = trans.__(
      "%1 in tensors of %2 held; %3.",
      formatBytes(memory.allocated),
      formatBytes(memory.reserved),
      freeText(memory),
    );
    return [
      element("h4", "", trans.__("Memory of %1 when %2 more were wanted", memory.device, formatBytes(requested))),
      element("p", "", figures),
      map.node,
      legend(memory, actions),
      largestTensors(memory, actions),
    ];
  }
}

// Renders one output of a kernel's assembly below its cell, or the sentence that says what is wrong with it.
import type { Extension } from "@codemirror/state";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { element } from "../tensor-view/element.ts";
import type { Compiles } from "./changes.ts";
import { checkAsm } from "./payload.ts";
import { AsmView } from "./view.ts";

export class AsmRenderer extends Widget implements IRenderMime.IRenderer {
  private readonly mimeType: string;
  private readonly language: Promise<Extension>;
  private view: AsmView | null = null;

  private readonly compiles: Compiles;

  /** `language`: of the source. */
  constructor({ mimeType }: IRenderMime.IRendererOptions, language: Promise<Extension>, compiles: Compiles) {
    super();
    this.compiles = compiles;
    this.mimeType = mimeType;
    this.language = language;
    this.addClass("warpcell-asm");
  }

  override dispose(): void {
    this.view?.dispose();
    super.dispose();
  }

  /** Never rejects: an output that cannot be read is itself the thing to show. */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.view?.dispose();
    this.view = null;
    const payload = checkAsm(model.data[this.mimeType]);
    if (!payload.ok) {
      this.node.replaceChildren(element("div", "warpcell-problem", payload.problem));
      return;
    }
    const view = new AsmView(payload.value, this.compiles.changes(payload.value));
    this.view = view;
    this.node.replaceChildren(view.node);
    const language = await this.language;
    // Another output, or none, may have taken its place.
    if (this.view === view && !this.isDisposed) view.speak(language);
  }
}

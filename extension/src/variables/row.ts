// One row of the table of variables, and below it the tensor's picture where it is open.
import type { NotebookVariable, TracePlace } from "../../../kernel/mime.ts";
import { tensorMime } from "../../../kernel/mime.ts";
import { formatBytes } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import { TensorRenderer } from "../tensor-view/renderer.ts";
import type { SliceSource } from "../tensor-view/slice-source.ts";
import type { Open } from "../viewer/open.ts";
import { columns } from "./columns.ts";
import { trans } from "../drawing/trans.ts";
import type { VariableSource } from "./payload.ts";

/** What rows need of the panel. */
export interface RowActions {
  readonly source: VariableSource;
  readonly slices: SliceSource;
  /** `null`: nothing opens tensors in tabs. */
  open(): Open | null;
  goTo(place: TracePlace): void;
  /** Something was disposed of. */
  changed(): void;
}

export class Row {
  readonly nodes: readonly [HTMLElement, HTMLElement];
  variable: NotebookVariable;
  private readonly actions: RowActions;
  private readonly cells: readonly HTMLElement[];
  private readonly name = element("button", "warpcell-variables-name");
  private readonly place = element("button", "warpcell-place");
  private readonly below = element("td", "warpcell-variables-below");
  private readonly picture = element("div", "warpcell-variables-picture");
  private readonly ask = element("div", "warpcell-variables-ask");
  private renderer: TensorRenderer | null = null;

  constructor(variable: NotebookVariable, actions: RowActions) {
    this.variable = variable;
    this.actions = actions;
    this.cells = columns.map(({ key, isNumber }) => {
      const cell = element(key === "name" ? "th" : "td", `warpcell-variables-${key}-cell`);
      cell.setAttribute("role", key === "name" ? "rowheader" : "cell");
      cell.classList.toggle("warpcell-number", isNumber);
      return cell;
    });
    const row = element("tr", "warpcell-variables-row", ...this.cells);
    row.setAttribute("role", "row");
    this.below.colSpan = columns.length;
    this.below.setAttribute("role", "cell");
    this.below.append(this.ask, this.picture);
    const opened = element("tr", "warpcell-variables-opened", this.below);
    opened.setAttribute("role", "row");
    opened.hidden = true;
    this.nodes = [row, opened];
    for (const button of [this.name, this.place]) button.type = "button";
    this.name.addEventListener("click", () => void this.toggle());
    this.name.addEventListener("keydown", (event) => this.onKey(event));
    this.place.addEventListener("click", () => this.variable.place && actions.goTo(this.variable.place));
    this.update(variable);
  }

  get isOpen(): boolean {
    return !this.nodes[1].hidden;
  }

  /** What takes the focus. */
  get handle(): HTMLButtonElement {
    return this.name;
  }

  /** Says what is so now; an open picture is drawn again. */
  update(variable: NotebookVariable): void {
    const before = this.variable;
    this.variable = variable;
    columns.forEach(({ key, text }, index) => {
      const cell = this.cells[index]!;
      const said = text(variable);
      if (key === "name") this.say(cell, this.name, said);
      else if (key === "place" && said !== "") this.say(cell, this.place, said);
      else {
        cell.textContent = said;
        cell.title = said;
      }
    });
    const canOpen = variable.id !== null;
    this.name.setAttribute("aria-disabled", String(!canOpen));
    if (canOpen) this.name.setAttribute("aria-expanded", String(this.isOpen));
    else this.name.removeAttribute("aria-expanded");
    this.name.title = canOpen ? trans.__("Show the tensor") : "";
    this.place.title = trans.__("Go to the line");
    if (!this.isOpen) return;
    if (variable.id === null || variable.id !== before.id) this.close();
    else void this.show(variable.id);
  }

  dispose(): void {
    this.renderer?.dispose();
    this.renderer = null;
    for (const node of this.nodes) node.remove();
  }

  private say(cell: HTMLElement, button: HTMLElement, text: string): void {
    button.textContent = text;
    if (button.parentElement !== cell) cell.replaceChildren(button);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key !== "Delete" || this.variable.id === null) return;
    event.preventDefault();
    void this.toggle(true).then(() => this.askToDispose());
  }

  private async toggle(open = !this.isOpen): Promise<void> {
    const { id } = this.variable;
    if (id === null) return;
    if (!open) return this.close();
    if (this.isOpen) return;
    this.nodes[1].hidden = false;
    this.name.setAttribute("aria-expanded", "true");
    this.offerToDispose();
    await this.show(id);
  }

  private close(): void {
    this.nodes[1].hidden = true;
    this.renderer?.dispose();
    this.renderer = null;
    this.picture.replaceChildren();
    if (this.variable.id !== null) this.name.setAttribute("aria-expanded", "false");
  }

  /** As an output shows it. */
  private async show(id: string): Promise<void> {
    const answer = await this.actions.source.preview(id);
    if (!this.isOpen || this.variable.id !== id) return;
    if (!answer.ok) return this.picture.replaceChildren(element("div", "warpcell-problem", answer.problem));
    const { payload, png } = answer.value;
    const renderer = new TensorRenderer(
      { mimeType: tensorMime } as ConstructorParameters<typeof TensorRenderer>[0],
      this.actions.slices,
      () => {
        const open = this.actions.open();
        return open && ((tensor) => open(tensor, this.variable.name));
      },
    );
    const data = { [tensorMime]: payload, ...(png === null ? {} : { "image/png": png }) };
    await renderer.renderModel({ data } as unknown as Parameters<TensorRenderer["renderModel"]>[0]);
    this.renderer?.dispose();
    this.renderer = renderer;
    this.picture.replaceChildren(renderer.node);
  }

  private offerToDispose(): void {
    const button = element("button", "warpcell-button", trans.__("Dispose…"));
    button.type = "button";
    button.title = trans.__("Free the memory of %1", this.variable.name);
    button.addEventListener("click", () => this.askToDispose());
    this.ask.replaceChildren(button);
  }

  private askToDispose(): void {
    const { name, bytes } = this.variable;
    const [yes, no] = [trans.__("Dispose"), trans.__("Keep")].map((text) => {
      const button = element("button", "warpcell-button", text);
      button.type = "button";
      return button;
    }) as [HTMLButtonElement, HTMLButtonElement];
    no.addEventListener("click", () => {
      this.offerToDispose();
      this.name.focus();
    });
    yes.addEventListener("click", () => void this.disposeOf());
    const question = trans.__("Dispose of %1 (%2)? Cells that use it will fail.", name, formatBytes(bytes));
    this.ask.replaceChildren(element("span", "", question), yes, no);
    this.ask.setAttribute("role", "group");
    this.ask.setAttribute("aria-label", question);
    no.focus();
  }

  private async disposeOf(): Promise<void> {
    const { id } = this.variable;
    if (id === null) return;
    const answer = await this.actions.source.dispose(id);
    if (!answer.ok) {
      this.offerToDispose();
      this.ask.append(element("span", "warpcell-problem", answer.problem));
      return;
    }
    this.name.focus();
    this.actions.changed();
  }
}

// Shows the call that is being written: from its bracket on, above it, with the parameter at the cursor marked.
import { trans } from "../drawing/trans.ts";
import type { Extension } from "@codemirror/state";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import type { EditorView, Tooltip, ViewUpdate } from "@codemirror/view";
import { keymap, showTooltip, ViewPlugin } from "@codemirror/view";
import type { EditorSignatures } from "../../../kernel/mime.ts";
import { element } from "../tensor-view/element.ts";
import type { Help } from "./help.ts";

const setCall = StateEffect.define<Tooltip | null>();

const field = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setCall)) return effect.value;
    return shown && { ...shown, pos: transaction.changes.mapPos(shown.pos) };
  },
  provide: (source) => showTooltip.from(source),
});

export function signatureHelp(help: Help, model: unknown): Extension {
  const plugin = ViewPlugin.define((view) => new CallFollower(view, help, model));
  return [
    field,
    plugin,
    Prec.highest(
      keymap.of([
        { key: "Escape", run: (view) => view.plugin(plugin)?.close() ?? false, stopPropagation: true },
        { key: "Mod-Shift-Space", run: (view) => view.plugin(plugin)?.open() ?? false },
        { key: "Alt-ArrowUp", run: (view) => view.plugin(plugin)?.choose(-1) ?? false },
        { key: "Alt-ArrowDown", run: (view) => view.plugin(plugin)?.choose(1) ?? false },
      ]),
    ),
  ];
}

class CallFollower {
  private readonly view: EditorView;
  private readonly help: Help;
  private readonly model: unknown;
  private isOpen = false;
  private isAsking = false;
  private isAgain = false;
  private shown: EditorSignatures | null = null;
  /** Which of several the user has chosen. */
  private chosen: number | null = null;
  private position = 0;

  constructor(view: EditorView, help: Help, model: unknown) {
    this.view = view;
    this.help = help;
    this.model = model;
  }

  update(update: ViewUpdate): void {
    if (update.docChanged) this.position = update.changes.mapPos(this.position);
    if (update.docChanged && this.help.settings.signatures && opensCall(update)) this.open();
    else if (this.isOpen && (update.docChanged || update.selectionSet)) void this.ask();
    if (this.isOpen && update.focusChanged && !update.view.hasFocus) queueMicrotask(() => this.close());
  }

  open(): boolean {
    if (!this.isOpen) {
      this.position = this.view.state.selection.main.head;
      this.chosen = null;
    }
    this.isOpen = true;
    void this.ask();
    return true;
  }

  /** Whether it was open. */
  close(): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.show(null);
    return true;
  }

  /** Goes to another signature of several. */
  choose(step: number): boolean {
    const count = this.shown?.signatures.length ?? 0;
    if (!this.isOpen || count < 2) return false;
    this.chosen = ((this.chosen ?? this.shown!.active) + step + count) % count;
    this.show(this.shown);
    return true;
  }

  destroy(): void {
    this.isOpen = false;
  }

  /** One question at a time; what has changed meanwhile is asked again. */
  private async ask(): Promise<void> {
    this.isAgain = this.isAsking;
    if (this.isAsking) return;
    this.isAsking = true;
    const asked = this.view.state;
    const found = await this.help.ask("signature", this.model, asked.selection.main.head);
    this.isAsking = false;
    if (!this.isOpen) return;
    if (this.isAgain) return void this.ask();
    if (found?.answer == null) this.close();
    else this.show(found.answer);
  }

  private show(call: EditorSignatures | null): void {
    this.shown = call;
    const dom = call && boxOf(call, this.chosen ?? call.active);
    const position = Math.min(this.position, this.view.state.doc.length);
    const tooltip = dom && { pos: position, above: true, create: () => ({ dom }) };
    if (tooltip === null && !this.view.state.field(field)) return;
    this.view.dispatch({ effects: setCall.of(tooltip) });
  }
}

/** Whether the user has just written `(` or `,`; a bracket that is closed at once stands behind the cursor. */
function opensCall({ transactions }: ViewUpdate): boolean {
  let opens = false;
  for (const transaction of transactions) {
    if (!transaction.isUserEvent("input.type")) continue;
    transaction.changes.iterChanges((_from, _to, _start, _end, inserted) => {
      if (/^(?:\(\)?|,)$/.test(inserted.toString())) opens = true;
    });
  }
  return opens;
}

function boxOf({ signatures }: EditorSignatures, index: number): HTMLElement {
  const signature = signatures[index] ?? signatures[0]!;
  const { label, parameter, markdown } = signature;
  const line = element("code", "warpcell-signature-label");
  if (parameter) {
    const [start, end] = parameter;
    line.append(
      label.slice(0, start),
      element("mark", "warpcell-signature-parameter", label.slice(start, end)),
      label.slice(end),
    );
  } else line.append(label);
  const box = element("div", "warpcell-signature", line);
  // Said when it changes, also to those who do not see it.
  box.setAttribute("role", "status");
  if (signatures.length > 1)
    box.append(
      element("div", "warpcell-signature-count", trans.__("%1 of %2 · Alt+↑ Alt+↓", index + 1, signatures.length)),
    );
  const [first] = markdown.split("\n\n");
  if (first) box.append(element("div", "warpcell-signature-text", first.replaceAll("`", "")));
  return box;
}

// Shows the names of a kernel's parameters before the arguments of its calls.
import type { Extension } from "@codemirror/state";
import { StateEffect, StateField } from "@codemirror/state";
import type { DecorationSet, EditorView, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView as View, ViewPlugin, WidgetType } from "@codemirror/view";
import type { EditorHint } from "../../../kernel/mime.ts";
import { element } from "../tensor-view/element.ts";
import type { Help } from "./help.ts";

/** So long nothing is asked after a key, in ms. */
const pause = 400;

class HintWidget extends WidgetType {
  private readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: HintWidget): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const made = element("span", "warpcell-hint", this.text);
    // It is no part of the text.
    made.setAttribute("aria-hidden", "true");
    return made;
  }
}

const setHints = StateEffect.define<readonly EditorHint[]>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setHints)) return hintsOf(effect.value, transaction.state.doc.length);
    return shown.map(transaction.changes);
  },
  provide: (source) => View.decorations.from(source),
});

function hintsOf(hints: readonly EditorHint[], length: number): DecorationSet {
  const within = hints.filter(({ offset }) => offset <= length);
  return Decoration.set(
    within.map(({ offset, text }) => Decoration.widget({ widget: new HintWidget(text), side: 1 }).range(offset)),
    true,
  );
}

export function parameterHints(help: Help, model: unknown): Extension {
  return [field, ViewPlugin.define((view) => new Hints(view, help, model))];
}

class Hints {
  private readonly view: EditorView;
  private readonly help: Help;
  private readonly model: unknown;
  private readonly forget: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, help: Help, model: unknown) {
    this.view = view;
    this.help = help;
    this.model = model;
    this.forget = help.whenChanged(() => this.later());
    this.later();
  }

  update({ docChanged }: ViewUpdate): void {
    if (docChanged) this.later();
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.forget();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), pause);
  }

  private async ask(): Promise<void> {
    const { doc } = this.view.state;
    const isWanted = this.help.settings.hints && /\.\s*(?:launch|over)\b/.test(doc.toString());
    const found = isWanted ? await this.help.ask("hints", this.model, 0) : null;
    if (!this.view.state.doc.eq(doc)) return;
    const hints = found?.answer ?? [];
    if (hints.length > 0 || this.view.state.field(field).size > 0) this.view.dispatch({ effects: setHints.of(hints) });
  }
}

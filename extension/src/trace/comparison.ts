// Compares a profile with another one, of the notebook or of a file: what each kernel or operation took in both.
import { Panel, Widget } from "@lumino/widgets";
import type { TracePayload } from "../../../kernel/mime.ts";
import { formatTime } from "../drawing/quantity.ts";
import { mostCharacters, shownText } from "../drawing/shown-text.ts";
import type { Show } from "../kernels/show.ts";
import { SortedTable } from "../kernels/sorted-table.ts";
import { element } from "../tensor-view/element.ts";
import { columns, type Compared, compared, subjects, type Subject } from "./compared.ts";
import { trans } from "../drawing/trans.ts";
import { checkTrace } from "./payload.ts";

/** A profile that another output of the notebook shows, as it came. */
export interface OtherProfile {
  readonly label: string;
  readonly value: unknown;
}

export class Comparison extends Panel {
  private readonly payload: TracePayload;
  private readonly choose: Show;
  private readonly others: () => readonly OtherProfile[];
  private readonly list = element("select", "warpcell-compare-list");
  private readonly subject = element("select", "warpcell-compare-list");
  private readonly status = element("span", "warpcell-kernels-status");
  private offered: readonly OtherProfile[] = [];
  private other: TracePayload | null = null;

  constructor(payload: TracePayload, show: Show, others: () => readonly OtherProfile[]) {
    super();
    [this.payload, this.choose, this.others] = [payload, show, others];
    this.addClass("warpcell-kernels");
    this.addClass("warpcell-compare");
    this.addWidget(new Widget({ node: this.bar() }));
    this.offer();
    this.say(trans.__("Choose a profile of this notebook, or a file that profile.save has written."));
  }

  private bar(): HTMLElement {
    const file = element("input", "warpcell-compare-file");
    file.type = "file";
    file.accept = ".profile,.json";
    file.hidden = true;
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      // The same file may be chosen again.
      file.value = "";
      if (chosen) void this.read(chosen);
    });
    const open = element("button", "warpcell-button", trans.__("File…"));
    open.type = "button";
    open.title = trans.__("Compare with a profile that profile.save has written");
    open.addEventListener("click", () => file.click());
    this.list.setAttribute("aria-label", trans.__("Compare with"));
    // What the notebook shows may have changed since.
    this.list.addEventListener("focus", () => this.offer());
    this.list.addEventListener("change", () => {
      const chosen = this.offered[Number(this.list.value)];
      if (this.list.value !== "" && chosen) this.take(chosen.value, chosen.label);
    });
    this.subject.setAttribute("aria-label", trans.__("What is compared"));
    this.subject.append(...Object.keys(subjects).map((each) => new Option(each)));
    this.subject.addEventListener("change", () => this.refresh());
    this.status.setAttribute("role", "status");
    return element("div", "warpcell-kernels-tools", this.list, open, file, this.subject, this.status);
  }

  private offer(): void {
    const chosen = this.offered[Number(this.list.value)]?.value;
    this.offered = this.others();
    this.list.replaceChildren(
      new Option(trans.__("Compare with…"), ""),
      ...this.offered.map(({ label }, index) => new Option(shownText(label, 80), String(index))),
    );
    const index = this.offered.findIndex(({ value }) => value === chosen);
    this.list.value = index < 0 || this.other === null ? "" : String(index);
  }

  private async read(file: File): Promise<void> {
    this.list.value = "";
    try {
      this.take(JSON.parse(await file.text()), file.name);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.say(trans.__("%1 is not a profile: it is not JSON.", shownText(file.name, 80)));
    }
  }

  private take(value: unknown, label: string): void {
    const checked = checkTrace(value);
    this.other = checked.ok ? checked.value.payload : null;
    this.say(checked.ok ? trans.__("Before: %1", shownText(label, 80)) : shownText(checked.problem, mostCharacters));
    this.refresh();
  }

  private refresh(): void {
    for (const widget of this.widgets.slice(1)) widget.dispose();
    if (this.other === null) return;
    const subject = this.subject.value as Subject;
    const rows = compared(this.other, this.payload, subject);
    this.addWidget(
      new SortedTable<Compared>(rows, columns, "difference", subjects[subject].words(), (row) =>
        this.choose(subjects[subject].target(row)),
      ),
    );
    const [before, after] = [this.other.duration, this.payload.duration].map(formatTime);
    this.status.title = trans.__("The whole took %1 before, and takes %2 now.", before, after);
  }

  private say(sentence: string): void {
    this.status.textContent = sentence;
  }
}

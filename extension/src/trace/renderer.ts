// Renders one profile below its cell, or the sentence that says what is wrong with it.
import { trans } from "../drawing/trans.ts";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Panel, Widget } from "@lumino/widgets";
import { Advice, KernelTable, makeOperators, Roofline } from "../kernels/index.ts";
import { saveAs } from "../drawing/save-as.ts";
import { element } from "../tensor-view/element.ts";
import type { CellLinks } from "./cell-links.ts";
import type { Tables } from "./columns.ts";
import { Comparison, type OtherProfile } from "./comparison.ts";
import type { Trace } from "./payload.ts";
import { checkTrace } from "./payload.ts";
import type { PanelKind } from "./trace-view.ts";
import { TraceView } from "./trace-view.ts";
import type { AskWindow } from "./window-feed.ts";

/** The views beside the timeline, in the order of their tabs. `others`: profiles to compare with. */
const panelsWith = (others: () => readonly OtherProfile[]): readonly PanelKind[] => [
  {
    get title() {
      return trans.__("Kernels");
    },
    make: (payload, show) => new KernelTable(payload, show),
  },
  {
    get title() {
      return trans.__("Operations");
    },
    make: makeOperators,
  },
  {
    get title() {
      return trans.__("Roofline");
    },
    make: (payload, show) => new Roofline(payload, show),
  },
  {
    get title() {
      return trans.__("Advice");
    },
    make: (payload, show) => new Advice(payload, show),
  },
  {
    get title() {
      return trans.__("Compare");
    },
    make: (payload, show) => new Comparison(payload, show, others),
  },
];

/** The notebook around an output; `null` in a console or a file. */
export interface NotebookSide {
  readonly windows: (tables: Tables) => AskWindow;
  readonly links: CellLinks;
  /** The profiles that its outputs show. */
  readonly profiles: () => readonly OtherProfile[];
}

export interface Shell {
  readonly notebook: NotebookSide | null;
  /** Opens a profile in a tab of the main area. */
  open(view: Widget, title: string): void;
}

/** Two profiles never take as long to the nanosecond. */
const isOf = ({ payload }: Trace, value: unknown): boolean =>
  (value as Partial<Trace["payload"]> | null)?.duration === payload.duration;

export class TraceRenderer extends Panel implements IRenderMime.IRenderer {
  private readonly mimeType: string;
  private readonly shell: Shell;
  constructor({ mimeType }: IRenderMime.IRendererOptions, shell: Shell) {
    super();
    this.mimeType = mimeType;
    this.shell = shell;
    this.addClass("warpcell-trace");
  }

  /** Never rejects: an output that cannot be read is itself the thing to show. */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    for (const widget of [...this.widgets]) widget.dispose();
    const value = model.data[this.mimeType];
    const trace = checkTrace(value);
    this.addWidget(
      trace.ok
        ? this.viewOf(trace.value, value, () => this.enlarge(trace.value, value))
        : new Widget({ node: element("div", "warpcell-problem", trace.problem) }),
    );
  }

  /** `value`: the profile as it came. */
  private viewOf(trace: Trace, value: unknown, enlarge: (() => void) | null): TraceView {
    const { notebook } = this.shell;
    return new TraceView(trace, {
      panels: panelsWith(() => notebook?.profiles().filter(({ value }) => !isOf(trace, value)) ?? []),
      ask: notebook?.windows(trace.tables) ?? null,
      links: notebook?.links ?? null,
      enlarge,
      save: trace.payload.complete ? () => saveAs("cell.profile", JSON.stringify(value)) : null,
      perfetto: trace.payload.complete
        ? () => void import("./perfetto.ts").then(({ openInPerfetto }) => openInPerfetto(trace))
        : null,
    });
  }

  private enlarge(trace: Trace, value: unknown): void {
    const view = this.viewOf(trace, value, null);
    view.addClass("warpcell-trace-large");
    this.shell.open(view, trace.payload.title);
  }
}

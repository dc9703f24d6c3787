// Lays panes out side by side with separators that are dragged or moved by keys, or one behind the other with tabs
// where there is little room.
import { keepKeys } from "../drawing/own-keys.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

/** Below this width there are tabs. */
const narrow = 600;
/** The least share of a pane, and what a key moves. */
const least = 0.08;
const step = 0.04;
let made = 0;

interface Item {
  readonly name: string;
  readonly node: HTMLElement;
}

export class Columns {
  readonly node = element("div", "warpcell-asm-columns-field");
  private readonly items: readonly Item[];
  private readonly tabs: readonly HTMLButtonElement[];
  private readonly separators: readonly HTMLElement[];
  private readonly tabList = element("div", "warpcell-asm-tabs");
  private readonly shares: number[];
  private readonly watch: ResizeObserver;
  private active = 0;
  isNarrow = false;

  constructor(items: readonly Item[]) {
    this.items = items;
    this.shares = items.map(() => 1 / items.length);
    const prefix = `warpcell-asm-${++made}`;
    this.tabs = items.map(({ name, node }, index) => {
      const tab = element("button", "warpcell-tab", name);
      tab.type = "button";
      tab.id = `${prefix}-tab-${index}`;
      tab.setAttribute("role", "tab");
      node.id = `${prefix}-pane-${index}`;
      tab.setAttribute("aria-controls", node.id);
      tab.addEventListener("click", () => this.activate(index));
      return tab;
    });
    this.tabList.setAttribute("role", "tablist");
    keepKeys(this.tabList);
    this.tabList.addEventListener("keydown", (event) => this.onTabKey(event));
    this.tabList.append(...this.tabs);
    this.separators = items.slice(1).map((_item, index) => this.separator(index));
    this.node.append(
      this.tabList,
      element(
        "div",
        "warpcell-asm-panes",
        ...items.flatMap(({ node }, index) => (index === 0 ? [node] : [this.separators[index - 1]!, node])),
      ),
    );
    this.watch = new ResizeObserver(
      ([entry]) => entry && entry.contentRect.width > 0 && this.fit(entry.contentRect.width < narrow),
    );
    this.watch.observe(this.node);
    this.fit(false);
  }

  dispose(): void {
    this.watch.disconnect();
  }

  /** What a tab says beside its name, such as how many of its lines are lit. */
  note(index: number, text: string): void {
    this.tabs[index]!.dataset["note"] = text;
  }

  /** Brings a pane to the front where there are tabs. */
  activate(index: number): void {
    this.active = index;
    this.arrange();
  }

  private fit(isNarrow: boolean): void {
    this.isNarrow = isNarrow;
    this.arrange();
  }

  private arrange(): void {
    this.node.classList.toggle("warpcell-asm-tabbed", this.isNarrow);
    this.tabList.hidden = !this.isNarrow || this.items.length < 2;
    for (const [index, { node }] of this.items.entries()) {
      const isActive = index === this.active;
      node.hidden = this.isNarrow && !isActive;
      node.style.flexGrow = String(this.isNarrow ? 1 : this.shares[index]);
      if (this.isNarrow) {
        node.setAttribute("role", "tabpanel");
        node.setAttribute("aria-labelledby", this.tabs[index]!.id);
      } else {
        node.removeAttribute("role");
        node.removeAttribute("aria-labelledby");
      }
      this.tabs[index]!.setAttribute("aria-selected", String(isActive));
      this.tabs[index]!.tabIndex = isActive ? 0 : -1;
    }
    for (const [index, node] of this.separators.entries()) {
      node.hidden = this.isNarrow;
      const [before, after] = [this.shares[index]!, this.shares[index + 1]!];
      node.setAttribute("aria-valuenow", String(Math.round((before / (before + after)) * 100)));
    }
  }

  private separator(index: number): HTMLElement {
    const node = element("div", "warpcell-asm-separator");
    node.tabIndex = 0;
    node.setAttribute("role", "separator");
    node.setAttribute("aria-orientation", "vertical");
    node.setAttribute(
      "aria-label",
      trans.__("Width of %1 beside %2", this.items[index]!.name, this.items[index + 1]!.name),
    );
    node.setAttribute("aria-valuemin", "0");
    node.setAttribute("aria-valuemax", "100");
    keepKeys(node);
    node.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.move(index, by);
    });
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", (event) => {
      if (node.hasPointerCapture(event.pointerId))
        this.move(index, event.movementX / Math.max(1, this.node.clientWidth));
    });
    node.addEventListener("dblclick", () => {
      this.shares.fill(1 / this.items.length);
      this.arrange();
    });
    return node;
  }

  /** Takes from one neighbour what it gives to the other. */
  private move(index: number, by: number): void {
    const [before, after] = [this.shares[index]!, this.shares[index + 1]!];
    const moved = Math.max(least - before, Math.min(after - least, by));
    [this.shares[index], this.shares[index + 1]] = [before + moved, after - moved];
    this.arrange();
  }

  private onTabKey(event: KeyboardEvent): void {
    const last = this.items.length - 1;
    const next = {
      ArrowLeft: this.active === 0 ? last : this.active - 1,
      ArrowRight: this.active === last ? 0 : this.active + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.activate(next);
    this.tabs[next]!.focus();
  }
}

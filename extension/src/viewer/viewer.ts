// A tab that shows a tensor: any two axes as colours or numbers with zoom and pan, the others by sliders; a line where
// there is one axis, a number where there is none. What is drawn stays when the tensor is gone.
import { trans } from "../drawing/trans.ts";
import { Widget } from "@lumino/widgets";
import type { FoundKind, NotebookVariable, OpenPayload } from "../../../kernel/mime.ts";
import { keepKeys } from "../drawing/own-keys.ts";
import { element } from "../tensor-view/element.ts";
import { listen, type Point, zoomStep } from "./canvas-input.ts";
import { AxisSlider, button, check, choice } from "./controls.ts";
import {
  type Camera,
  elementAt,
  type Extent,
  fit,
  levelOf,
  moved,
  overviewLevel,
  revealing,
  tileSide,
  tilesInView,
  zoomed,
} from "./geometry.ts";
import { type LineColours, paintLine } from "./line-drawing.ts";
import { type Painter, paintTiles } from "./painting.ts";
import { RangeControls } from "./range-controls.ts";
import { canvasLabel, noneOf, readingAt } from "./reading.ts";
import type { Subject, ViewerSource } from "./source.ts";
import { StatisticsView } from "./statistics-view.ts";
import { TileStore } from "./tile-store.ts";

/** What the viewer needs of the notebook around it. */
export interface ViewerNotebook {
  readonly source: ViewerSource;
  /** Names of tensors of the same shape. */
  others(shape: readonly number[]): Promise<readonly NotebookVariable[]>;
}

/** Milliseconds between the pictures of a tensor that plays, or is live. */
const [playPause, livePause] = [120, 250];

export class TensorViewer extends Widget {
  private readonly tensor: OpenPayload;
  private readonly notebook: ViewerNotebook;
  private readonly canvas = element("canvas", "warpcell-viewer-canvas");
  private readonly mark = element("div", "warpcell-viewer-mark");
  private readonly reading = element("div", "warpcell-viewer-reading");
  private readonly status = element("div", "warpcell-viewer-status");
  private readonly sliders = element("div", "warpcell-viewer-sliders");
  private readonly statistics = new StatisticsView();
  private readonly range: RangeControls;
  private readonly store: TileStore;
  private readonly watch = new ResizeObserver(() => this.onSize());
  private readonly rowsChoice;
  private readonly columnsChoice;
  private readonly minusChoice;
  private readonly live = check(trans.__("live"), () => this.onLive());
  private readonly refreshButton = button(trans.__("Refresh"), trans.__("Read the tensor again"), () => this.refresh());
  private axisSliders = new Map<number, AxisSlider>();
  private minus: string | null = null;
  private rows: number | null;
  private columns: number | null;
  private readonly index: number[];
  private size = { width: 0, height: 0 };
  private camera: Camera | null = null;
  private isWhole = true;
  private cursor: { row: number; column: number } | null = null;
  private painter: Painter;
  private playing: number | null = null;
  private timer: number | undefined;
  private isDue = false;
  private isRunning = false;
  private hasChanged = false;
  private isAsking = false;
  private areStatisticsDue = false;

  constructor(tensor: OpenPayload, notebook: ViewerNotebook) {
    super();
    this.addClass("warpcell-viewer");
    this.tensor = tensor;
    this.notebook = notebook;
    const { shape, dtype } = tensor;
    this.index = shape.map(() => 0);
    this.rows = shape.length > 1 ? shape.length - 2 : null;
    this.columns = shape.length > 0 ? shape.length - 1 : null;
    this.range = new RangeControls(dtype, () => this.draw());
    this.painter = { colouring: this.range.colouring, shown: this.range.shown, dtype };
    this.store = new TileStore(
      (at) => notebook.source.tile(this.subject, this.placeOf(at)),
      () => this.onTile(),
    );
    const axes = shape.map((length, axis) => [String(axis), trans.__("axis %1 (%2)", axis, length)] as const);
    this.rowsChoice = choice(trans.__("rows"), axes, (axis) => this.layOut(Number(axis), this.columns));
    this.columnsChoice = choice(trans.__("columns"), axes, (axis) => this.layOut(this.rows, Number(axis)));
    this.minusChoice = choice<string>(trans.__("minus"), [["", trans.__("nothing")]], (id) => this.subtract(id));
    this.node.append(this.makeToolbar(), this.sliders, this.makeField(), this.makeFoot());
    this.makeSliders();
    this.setUpCanvas();
    void this.offerOthers();
  }

  private get subject(): Subject {
    return { id: this.tensor.id, minus: this.minus };
  }

  private get extent(): Extent {
    const lengthOf = (axis: number | null) => (axis === null ? 1 : this.tensor.shape[axis]!);
    return { rows: lengthOf(this.rows), columns: lengthOf(this.columns) };
  }

  private get isLine(): boolean {
    return this.rows === null && this.columns !== null;
  }

  private placeOf(at: { level: number; row: number; column: number }) {
    return { index: [...this.index], rows: this.rows, columns: this.columns, ...at };
  }

  /** A cell begins or has ended: what is shown may be of before. */
  cellRan(isRunning: boolean): void {
    this.isRunning = isRunning;
    if (this.live.box.checked) this.refresh();
    else this.hasChanged ||= isRunning;
    if (!isRunning) void this.offerOthers();
    this.say();
  }

  /** The kernel is another one. */
  kernelChanged(): void {
    this.isRunning = false;
    this.refresh();
  }

  override dispose(): void {
    window.clearTimeout(this.timer);
    this.watch.disconnect();
    this.notebook.source.close();
    super.dispose();
  }

  protected override onActivateRequest(): void {
    this.canvas.focus();
  }

  private makeToolbar(): HTMLElement {
    const { shape } = this.tensor;
    const jumps: readonly [FoundKind, string][] = [
      ["nan", "NaN"],
      ["infinity", "±∞"],
      ["maximum", trans.__("max")],
      ["minimum", trans.__("min")],
    ];
    const facts = element(
      "span",
      "warpcell-viewer-facts",
      `[${shape.join(", ")}] · ${this.tensor.dtype} · ${this.tensor.device}`,
    );
    const group = (label: string, ...nodes: HTMLElement[]) => {
      const made = element("span", "warpcell-viewer-group", ...nodes);
      made.setAttribute("role", "group");
      made.setAttribute("aria-label", label);
      return made;
    };
    const zoom = [
      button("−", trans.__("Zoom out"), () => this.zoom(1 / zoomStep)),
      button("+", trans.__("Zoom in"), () => this.zoom(zoomStep)),
      button(trans.__("Fit"), trans.__("Show all of it"), () => this.showWhole()),
    ];
    const next = jumps.map(([kind, text]) => {
      const made = button(text, trans.__("Go to the next %1", text), () => void this.jump(kind));
      made.ariaLabel = made.title;
      return made;
    });
    return element(
      "div",
      "warpcell-viewer-toolbar",
      facts,
      ...(shape.length > 1 ? [group(trans.__("Axes"), this.rowsChoice.node, this.columnsChoice.node)] : []),
      ...(shape.length > 0 ? [group(trans.__("Zoom"), ...zoom)] : []),
      group(trans.__("Scale"), ...this.range.nodes),
      group(trans.__("Jump"), element("span", "warpcell-viewer-word", trans.__("next")), ...next),
      this.minusChoice.node,
      group(trans.__("Changes"), this.live.node, this.refreshButton),
    );
  }

  private makeField(): HTMLElement {
    this.mark.hidden = true;
    return element("div", "warpcell-viewer-field", this.canvas, this.mark);
  }

  private makeFoot(): HTMLElement {
    this.reading.setAttribute("aria-live", "polite");
    this.status.setAttribute("role", "status");
    const figures = element("div", "warpcell-viewer-line", this.range.legend, this.statistics.node);
    return element("div", "warpcell-viewer-foot", this.reading, this.status, figures);
  }

  private makeSliders(): void {
    this.axisSliders.clear();
    this.tensor.shape.forEach((length, axis) => {
      if (axis === this.rows || axis === this.columns || length < 2) return;
      const slider = new AxisSlider(
        axis,
        length,
        (at) => this.moveTo(axis, at),
        () => this.play(axis),
      );
      this.axisSliders.set(axis, slider);
    });
    this.sliders.replaceChildren(...[...this.axisSliders.values()].map(({ node }) => node));
    this.showPositions();
  }

  private showPositions(): void {
    for (const [axis, slider] of this.axisSliders) slider.show(this.index[axis]!, this.playing === axis);
    if (this.rows !== null) this.rowsChoice.value = String(this.rows);
    if (this.columns !== null) this.columnsChoice.value = String(this.columns);
  }

  private setUpCanvas(): void {
    const { canvas } = this;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.ariaLabel = canvasLabel(this.tensor);
    keepKeys(canvas);
    listen(canvas, {
      zoom: (factor, point) => this.zoom(factor, point),
      pan: (x, y) => this.pan(x, y),
      step: (across, down) => this.step(across, down),
      showWhole: () => this.showWhole(),
      jump: (kind) => void this.jump(kind),
      refresh: () => this.refresh(),
      point: (at) => this.pointAt(at),
    });
    this.watch.observe(canvas);
  }

  private onSize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const isFirst = this.camera === null;
    this.size = { width, height };
    const ratio = window.devicePixelRatio;
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.camera =
      this.camera === null || this.isWhole
        ? fit(this.extent, this.size)
        : moved(this.camera, 0, 0, this.extent, this.size);
    if (isFirst) void this.askStatistics();
    this.view();
  }

  /** The camera has moved, or what it looks at is another one. */
  private view(): void {
    if (this.camera === null) return;
    const { extent } = this;
    if (extent.rows === 0 || extent.columns === 0 || this.tensor.shape.includes(0)) return this.say();
    const overview = { level: overviewLevel(extent), row: 0, column: 0 };
    const tiles = tilesInView(this.camera, extent, this.size, this.level);
    // What comes first gives way to what is finer.
    this.store.want(this.store.find(overview) === null ? [overview, ...tiles] : tiles);
    this.draw();
  }

  private get level(): number {
    return Math.min(levelOf(this.camera!, this.extent, window.devicePixelRatio), overviewLevel(this.extent));
  }

  private onTile(): void {
    this.draw();
    this.say();
    if (!this.store.isComplete || this.store.problem !== null) return;
    window.clearTimeout(this.timer);
    if (this.playing !== null) this.timer = window.setTimeout(() => this.playOn(), playPause);
    else if (this.live.box.checked && this.isRunning) this.timer = window.setTimeout(() => this.refresh(), livePause);
  }

  /** Once for all that changes before the next frame. */
  private draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (!this.isDisposed && this.camera !== null) this.paint(this.camera);
    });
  }

  private paint(camera: Camera): void {
    const { colouring, shown } = this.range;
    if (JSON.stringify(colouring) !== JSON.stringify(this.painter.colouring) || shown !== this.painter.shown)
      this.painter = { colouring, shown, dtype: this.tensor.dtype };
    const ratio = window.devicePixelRatio;
    const held = this.store.inOrder(this.level);
    if (this.isLine) paintLine(this.canvas, held, camera, this.level, this.painter, this.lineColours(), ratio);
    else paintTiles(this.canvas, held, camera, this.level, this.painter, ratio);
    this.range.say(colouring);
    this.showCursor(camera);
  }

  private lineColours(): LineColours {
    const style = getComputedStyle(this.node);
    const of = (name: string) => style.getPropertyValue(`--warpcell-viewer-${name}`).trim();
    return { line: of("line"), band: of("band"), axis: of("axis"), missing: of("missing") };
  }

  private showCursor(camera: Camera): void {
    const { cursor } = this;
    this.mark.hidden = cursor === null;
    const text = cursor === null ? "" : this.read(cursor);
    if (this.reading.textContent !== text) this.reading.textContent = text;
    if (cursor === null) return;
    const [width, height] = [Math.max(3, camera.across), this.isLine ? this.size.height : Math.max(3, camera.down)];
    const left = (cursor.column + 0.5 - camera.left) * camera.across - width / 2;
    const top = this.isLine ? 0 : (cursor.row + 0.5 - camera.top) * camera.down - height / 2;
    Object.assign(this.mark.style, {
      transform: `translate(${left}px, ${top}px)`,
      width: `${width}px`,
      height: `${height}px`,
    });
  }

  private read({ row, column }: { row: number; column: number }): string {
    const { level } = this;
    const side = tileSide * 2 ** level;
    const held = this.store.find({ level, row: Math.floor(row / side), column: Math.floor(column / side) });
    return held === null ? "" : readingAt(held, row, column, this.placeOf(held), this.tensor);
  }

  private say(): void {
    const { problem, isUnfinished } = this.store;
    const isEmpty = this.tensor.shape.includes(0);
    this.refreshButton.classList.toggle("warpcell-viewer-due", this.hasChanged);
    this.status.classList.toggle("warpcell-problem", problem !== null);
    this.status.textContent =
      (problem && this.store.hasTiles ? trans.__("%1 This is the last picture.", problem) : problem) ??
      (isEmpty
        ? trans.__("The tensor has no elements.")
        : this.hasChanged
          ? trans.__("A cell has run since: the tensor may have changed.")
          : isUnfinished && this.isRunning
            ? trans.__("While a cell runs.")
            : "");
  }

  private refresh(): void {
    this.hasChanged = false;
    this.store.renew();
    void this.askStatistics();
    this.view();
    this.say();
  }

  /** One question at a time; what was wanted meanwhile is asked once more. */
  private async askStatistics(): Promise<void> {
    this.areStatisticsDue = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.areStatisticsDue && !this.isDisposed) {
      this.areStatisticsDue = false;
      const { subject } = this;
      const answer = await this.notebook.source.statistics(subject);
      if (this.isDisposed || !answer.ok || subject.minus !== this.minus) continue;
      this.statistics.show(answer.value.value);
      this.range.learn(answer.value.value);
    }
    this.isAsking = false;
  }

  private async offerOthers(): Promise<void> {
    const others = await this.notebook.others(this.tensor.shape);
    const own = others.filter(({ id }) => id !== null && id !== this.tensor.id);
    this.minusChoice.offer([["", trans.__("nothing")], ...own.map(({ id, name }) => [id!, name] as const)]);
    this.minusChoice.node.hidden = own.length === 0 && this.minus === null;
  }

  private subtract(id: string): void {
    this.minus = id === "" ? null : id;
    this.store.clear();
    this.refresh();
  }

  private layOut(rows: number | null, columns: number | null): void {
    // The axis that was chosen changes places with the one that was there.
    if (rows === columns) [rows, columns] = rows === this.rows ? [this.columns, columns] : [rows, this.rows];
    [this.rows, this.columns] = [rows, columns];
    this.playing = null;
    this.cursor = null;
    this.store.clear();
    this.makeSliders();
    this.showWhole();
  }

  private moveTo(axis: number, at: number): void {
    this.index[axis] = at;
    this.store.renew();
    this.showPositions();
    this.view();
  }

  private play(axis: number): void {
    this.playing = this.playing === axis ? null : axis;
    this.showPositions();
    if (this.playing !== null) this.playOn();
  }

  private playOn(): void {
    const axis = this.playing;
    if (axis !== null && this.isVisible) this.moveTo(axis, (this.index[axis]! + 1) % this.tensor.shape[axis]!);
  }

  private onLive(): void {
    if (this.live.box.checked) this.refresh();
    else window.clearTimeout(this.timer);
  }

  private async jump(kind: FoundKind): Promise<void> {
    const after = this.cursor === null ? null : this.indexOf(this.cursor);
    const answer = await this.notebook.source.find(this.subject, kind, after, this.tensor.shape);
    if (this.isDisposed) return;
    const found = answer.ok ? answer.value.value : null;
    if (found === null) {
      this.status.textContent = answer.ok ? noneOf[kind]() : answer.problem;
      return;
    }
    const isElsewhere = found.some((at, axis) => this.axisSliders.has(axis) && at !== this.index[axis]);
    for (const axis of this.axisSliders.keys()) this.index[axis] = found[axis]!;
    if (isElsewhere) this.store.renew();
    this.showPositions();
    const at = (axis: number | null) => (axis === null ? 0 : found[axis]!);
    this.lookAt({ row: at(this.rows), column: at(this.columns) });
  }

  private indexOf({ row, column }: { row: number; column: number }): number[] {
    return this.index.map((at, axis) => (axis === this.rows ? row : axis === this.columns ? column : at));
  }

  /** Brings an element into the middle of single elements. */
  private lookAt(cursor: { row: number; column: number }): void {
    if (this.camera === null) return;
    this.cursor = cursor;
    this.isWhole = false;
    const { extent, size } = this;
    const near = zoomed(this.camera, 1e9, { x: 0, y: 0 }, extent, size);
    const left = cursor.column + 0.5 - size.width / near.across / 2;
    const top = cursor.row + 0.5 - size.height / near.down / 2;
    this.camera = moved({ ...near, left, top }, 0, 0, extent, size);
    this.view();
  }

  private showWhole(): void {
    this.isWhole = true;
    this.camera = fit(this.extent, this.size);
    this.view();
  }

  private zoom(factor: number, point: Point = this.middle()): void {
    if (this.camera === null) return;
    this.camera = zoomed(this.camera, factor, point, this.extent, this.size);
    this.isWhole = this.camera.across === fit(this.extent, this.size).across;
    this.view();
  }

  /** The cursor where there is one in view, else the middle of the canvas. */
  private middle(): Point {
    const { camera, cursor, size } = this;
    const whole = { x: size.width / 2, y: size.height / 2 };
    if (camera === null || cursor === null) return whole;
    const x = (cursor.column + 0.5 - camera.left) * camera.across;
    const y = (cursor.row + 0.5 - camera.top) * camera.down;
    return x >= 0 && x <= size.width && y >= 0 && y <= size.height ? { x, y } : whole;
  }

  private pan(x: number, y: number): void {
    if (this.camera === null) return;
    this.camera = moved(this.camera, x, y, this.extent, this.size);
    this.view();
  }

  private pointAt(point: Point): void {
    if (this.camera === null) return;
    this.cursor = elementAt(this.camera, this.isLine ? { ...point, y: this.size.height / 2 } : point, this.extent);
    this.draw();
  }

  /** To the next element, or the next cell where it is smaller. */
  private step(x: number, y: number): void {
    if (this.camera === null) return;
    const { rows, columns } = this.extent;
    const step = 2 ** this.level;
    const start = { row: Math.max(0, Math.floor(this.camera.top)), column: Math.max(0, Math.floor(this.camera.left)) };
    const from = this.cursor ?? { row: start.row - y * step, column: start.column - x * step };
    const within = (at: number, length: number) => Math.max(0, Math.min(length - 1, at));
    this.cursor = { row: within(from.row + y * step, rows), column: within(from.column + x * step, columns) };
    this.camera = revealing(this.camera, this.cursor.row, this.cursor.column, this.extent, this.size);
    this.view();
  }
}

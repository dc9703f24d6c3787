// The map of a device's memory: each piece that the device gave as a bar, its blocks in the colours of their cells. The
// pointer, or the arrow keys, read what a block is.
import { trans } from "../drawing/trans.ts";
import type { DeviceMemory, MemoryBlock } from "../../../kernel/mime.ts";
import { formatBytes, grouped } from "../drawing/quantity.ts";
import { keepKeys } from "../drawing/own-keys.ts";
import { svg } from "../drawing/svg.ts";
import { element } from "../tensor-view/element.ts";
import { cellOfPlace, type CellHues } from "./cell-colours.ts";
import { blockText } from "./words.ts";

interface Place {
  readonly segment: number;
  readonly block: number;
}

const width = 1000;
/** A bar has at least this part of the longest, in percent. */
const leastBar = 6;

export class MemoryMap {
  readonly node: HTMLElement;
  private readonly bars = element("div", "warpcell-map-bars");
  private readonly reading = element("div", "warpcell-map-reading");
  private readonly hues: CellHues;
  private memory: DeviceMemory | null = null;
  private blocks: SVGRectElement[][] = [];
  private chosen: Place | null = null;

  constructor(hues: CellHues) {
    this.hues = hues;
    this.bars.tabIndex = 0;
    this.bars.setAttribute("role", "img");
    this.reading.setAttribute("aria-live", "polite");
    keepKeys(this.bars);
    this.bars.addEventListener("keydown", (event) => this.onKey(event));
    this.bars.addEventListener("pointermove", (event) => this.onPointer(event));
    this.bars.addEventListener("pointerleave", () => this.choose(null));
    this.bars.addEventListener("blur", () => this.choose(null));
    this.bars.addEventListener("focus", () => this.chosen ?? this.choose({ segment: 0, block: 0 }));
    this.node = element("div", "warpcell-map", this.bars, this.reading);
  }

  show(memory: DeviceMemory): void {
    this.memory = memory;
    const { segments, places } = memory;
    const longest = segments.reduce((most, { bytes }) => Math.max(most, bytes), 1);
    this.blocks = segments.map(({ blocks, bytes }) => {
      let start = 0;
      return blocks.map((block) => {
        const rect = this.rect(block, places, start / bytes, block.bytes / bytes);
        start += block.bytes;
        return rect;
      });
    });
    this.bars.replaceChildren(
      ...segments.map(({ bytes }, index) => {
        const bar = svg(
          "svg",
          { class: "warpcell-map-bar", viewBox: `0 0 ${width} 1`, preserveAspectRatio: "none" },
          ...this.blocks[index]!,
        );
        bar.style.width = `${Math.max(leastBar, (bytes / longest) * 100)}%`;
        return element("div", "warpcell-map-segment", bar, element("span", "warpcell-map-bytes", formatBytes(bytes)));
      }),
    );
    this.bars.setAttribute("aria-label", this.label(memory));
    const { chosen } = this;
    const isThere = chosen !== null && this.blocks[chosen.segment]?.[chosen.block] !== undefined;
    this.choose(isThere ? chosen : null);
  }

  private label({ segments, reserved }: DeviceMemory): string {
    const blocks = segments.reduce((sum, each) => sum + each.blocks.length, 0);
    return trans.__(
      "Map of %1 in %2 with %3. Arrow keys move over its blocks.",
      formatBytes(reserved),
      trans._n("%2 piece", "%2 pieces", segments.length, grouped(segments.length)),
      trans._n("%2 block", "%2 blocks", blocks, grouped(blocks)),
    );
  }

  private rect({ place }: MemoryBlock, places: DeviceMemory["places"], start: number, share: number): SVGRectElement {
    const rect = svg("rect", { x: start * width, y: 0, width: Math.max(share * width, 0.5), height: 1 });
    const hue = place > 0 ? this.hues.of(cellOfPlace(places[place - 1]!.text)) : null;
    rect.classList.add(place < 0 ? "warpcell-map-free" : hue === null ? "warpcell-map-other" : "warpcell-map-used");
    if (hue !== null) rect.style.setProperty("--warpcell-hue", String(hue));
    return rect;
  }

  private onPointer({ target }: PointerEvent): void {
    for (const [segment, rects] of this.blocks.entries()) {
      const block = rects.indexOf(target as SVGRectElement);
      if (block >= 0) return this.choose({ segment, block });
    }
  }

  private onKey(event: KeyboardEvent): void {
    const { chosen } = this;
    if (!chosen || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.ledTo(event.key, chosen);
    if (!to) return;
    event.preventDefault();
    this.choose(to);
  }

  private ledTo(key: string, { segment, block }: Place): Place | null {
    const within = (value: number, length: number) => Math.max(0, Math.min(length - 1, value));
    const last = (this.blocks[segment]?.length ?? 1) - 1;
    const across = (step: number): Place => {
      const next = within(segment + step, this.blocks.length);
      return { segment: next, block: within(block, this.blocks[next]?.length ?? 1) };
    };
    switch (key) {
      case "ArrowRight":
        return { segment, block: within(block + 1, last + 1) };
      case "ArrowLeft":
        return { segment, block: within(block - 1, last + 1) };
      case "ArrowDown":
        return across(1);
      case "ArrowUp":
        return across(-1);
      case "Home":
        return { segment, block: 0 };
      case "End":
        return { segment, block: last };
      default:
        return null;
    }
  }

  private choose(place: Place | null): void {
    for (const rect of this.blocks.flat()) rect.classList.remove("warpcell-map-chosen");
    this.chosen = place;
    const block = place && this.memory?.segments[place.segment]?.blocks[place.block];
    if (!place || !block) {
      this.chosen = null;
      this.reading.textContent = "";
      return;
    }
    this.blocks[place.segment]![place.block]!.classList.add("warpcell-map-chosen");
    this.reading.textContent = blockText(block, this.memory!, Date.now());
  }
}

// The tiles of a picture: asks for those in view, a few at a time, and keeps those that were seen last. What is out of
// date stays until something newer has come.
import type { TileAt } from "./geometry.ts";
import type { Tile, ViewerSource } from "./source.ts";

/** Tiles with their paintings take about a megabyte each. */
const most = 96;
/** Questions that the kernel has at a time: the next ones are of where the user is by then. */
const mostAsked = 3;

export interface HeldTile extends TileAt {
  readonly tile: Tile;
  /** Of a state of the tensor before. */
  isOld: boolean;
  /** What was painted of it last, by its painter. */
  painted: { readonly painter: object; readonly canvas: HTMLCanvasElement } | null;
}

export class TileStore {
  /** The tensor may be changing: a cell was at work meanwhile. */
  isUnfinished = false;
  /** Why the last question had no answer; `null`: it had one. */
  problem: string | null = null;
  private readonly held = new Map<string, HeldTile>();
  private wanted: readonly TileAt[] = [];
  private readonly asked = new Set<string>();
  private generation = 0;
  private readonly ask: (at: TileAt) => ReturnType<ViewerSource["tile"]>;
  private readonly changed: () => void;

  constructor(ask: TileStore["ask"], changed: () => void) {
    this.ask = ask;
    this.changed = changed;
  }

  /** All that is wanted is here, and of now. */
  get isComplete(): boolean {
    return this.wanted.every((at) => this.held.get(keyOf(at))?.isOld === false);
  }

  /** There is something to draw. */
  get hasTiles(): boolean {
    return this.held.size > 0;
  }

  /** These are in view, the most important ones first. */
  want(tiles: readonly TileAt[]): void {
    this.wanted = tiles;
    for (const at of tiles) {
      const known = this.held.get(keyOf(at));
      if (known === undefined) continue;
      this.held.delete(keyOf(at));
      this.held.set(keyOf(at), known);
    }
    this.fetch();
  }

  /** What is here is of before: it is asked for again. */
  renew(): void {
    this.generation++;
    this.asked.clear();
    for (const each of this.held.values()) each.isOld = true;
    this.fetch();
  }

  /** What is here is of something else. */
  clear(): void {
    this.generation++;
    this.asked.clear();
    this.held.clear();
    this.wanted = [];
  }

  /** Those of a level and coarser ones, the new ones last and from coarse to fine: so they are painted over each other. */
  inOrder(level: number): HeldTile[] {
    return [...this.held.values()]
      .filter((held) => held.level >= level)
      .sort((a, b) => Number(b.isOld) - Number(a.isOld) || b.level - a.level);
  }

  find(at: TileAt): HeldTile | null {
    return this.held.get(keyOf(at)) ?? null;
  }

  private fetch(): void {
    for (const at of this.wanted) {
      if (this.asked.size >= mostAsked) return;
      const key = keyOf(at);
      if (this.asked.has(key) || this.held.get(key)?.isOld === false) continue;
      this.asked.add(key);
      void this.take(at, key, this.generation);
    }
  }

  private async take(at: TileAt, key: string, generation: number): Promise<void> {
    const answer = await this.ask(at);
    if (generation !== this.generation) return;
    this.asked.delete(key);
    this.problem = answer.ok ? null : answer.problem;
    if (answer.ok) {
      this.isUnfinished = answer.value.unfinished;
      this.held.delete(key);
      this.held.set(key, { ...at, tile: answer.value.value, isOld: false, painted: null });
      for (const [other] of this.held) {
        if (this.held.size <= most) break;
        this.held.delete(other);
      }
      this.fetch();
    } else this.wanted = [];
    this.changed();
  }
}

const keyOf = ({ level, row, column }: TileAt): string => `${level}/${row}/${column}`;

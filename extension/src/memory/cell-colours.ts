// Gives each cell a hue: cells that come one after the other differ most.

/** The golden angle: no two of many are near each other. */
const step = 137.508;
const first = 255;

/** By "Cell [3]"; the same cell always has the same. Nobody's has none. */
export class CellHues {
  private readonly hues = new Map<string, number>();

  of(cell: string): number | null {
    if (cell === "") return null;
    const known = this.hues.get(cell);
    if (known !== undefined) return known;
    const hue = Math.round((first + step * this.hues.size) % 360);
    this.hues.set(cell, hue);
    return hue;
  }
}

/** "Cell [3]" of "Cell [3]:4". */
export const cellOfPlace = (text: string): string => text.slice(0, text.lastIndexOf(":"));

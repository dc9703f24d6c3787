// The names of the notebook: where each was declared, and what can be said of their values without running any code of
// the user's.
import type * as Host from "warpcell/host";
import type { Definition } from "../../language/definitions.ts";
import type { CompiledCode, NotebookVariable, TracePlace } from "../../mime.ts";
import type { CellRegistry, RanCell } from "./cell-registry.ts";
import type { Slots } from "./slots.ts";
import { dataOf, reachable, typeOf, valueText } from "./value-facts.ts";

type Storage = NonNullable<ReturnType<typeof Host.storageOf>>;

interface Declared {
  readonly cell: RanCell;
  readonly definition: Definition;
}

export class Names {
  readonly #slots: Slots;
  readonly #cells: CellRegistry;
  readonly #declared = new Map<string, Declared>();
  #host: typeof Host | null = null;

  constructor(slots: Slots, cells: CellRegistry) {
    this.#slots = slots;
    this.#cells = cells;
  }

  /** Once, when the library is there. */
  use(host: typeof Host): void {
    this.#host = host;
  }

  declaredBy(cell: RanCell, declared: ReadonlyMap<string, Definition>): void {
    for (const [name, definition] of declared) this.#declared.set(name, { cell, definition });
  }

  /** All that have a value, in the order in which they were first declared. `identify` gives tensors their ids. */
  list(identify: (tensor: object) => string | null = () => null): NotebookVariable[] {
    return this.#slots.entries().map(([name, value]) => this.#variable(name, value, identify));
  }

  /** By which names each storage is found. */
  holders(): Map<Storage, string[]> {
    const holders = new Map<Storage, string[]>();
    for (const [name, value] of this.#slots.entries()) {
      for (const storage of this.#storagesIn(value)) {
        const names = holders.get(storage);
        if (names === undefined) holders.set(storage, [name]);
        else names.push(name);
      }
    }
    return holders;
  }

  /** The kernels and host functions that names lead to, each once, in the order of their places. */
  compiled(): CompiledCode[] {
    const host = this.#host;
    if (host === null) return [];
    const seen = new Set<object>();
    const found: CompiledCode[] = [];
    for (const [name, value] of this.#slots.entries()) {
      const isWhole = (each: object) => host.storageOf(each) !== undefined || host.compiledCodeOf(each) !== null;
      for (const object of reachable(value, isWhole)) {
        for (const [compiled, code] of host.compiledCodeOf(object) ?? []) {
          if (!seen.has(compiled)) found.push({ ...code, place: code.place ?? this.#placeOf(name) });
          seen.add(compiled);
        }
      }
    }
    const numbers = ({ place }: CompiledCode) => [place?.count ?? 0, place?.line ?? 0] as const;
    return found.toSorted((one, other) => {
      const [[cell, line], [otherCell, otherLine]] = [numbers(one), numbers(other)];
      return cell - otherCell || line - otherLine;
    });
  }

  /** A value in one line. */
  describe(value: unknown): string {
    if (value === undefined || value === null) return String(value);
    const own = typeof value === "object" ? this.#host?.storageOf(value) : undefined;
    if (own === null) return "Tensor disposed";
    const facts = own === undefined ? null : tensorFacts(value as object, own);
    const text = valueText(value);
    if (facts !== null)
      return [typeOf(value), facts.dtype, `[${(facts.shape ?? []).join(", ")}]`, facts.device].join(" ");
    if (typeof value !== "object" && typeof value !== "function") return text;
    return text === "" ? typeOf(value) : `${typeOf(value)} ${text}`;
  }

  /** Whether a name has a value, and which. */
  find(name: string): { value: unknown } | undefined {
    const entry = this.#slots.entries().find(([known]) => known === name);
    return entry && { value: entry[1] };
  }

  /** The names that have a value, with it. */
  entries(): [name: string, value: unknown][] {
    return this.#slots.entries();
  }

  #variable(name: string, value: unknown, identify: (tensor: object) => string | null): NotebookVariable {
    const isImport = this.#declared.get(name)?.definition.isImport === true;
    const own = typeof value === "object" && value !== null ? this.#host?.storageOf(value) : undefined;
    const facts = own === undefined ? null : tensorFacts(value as object, own);
    const storages = this.#storagesIn(value);
    return {
      name,
      type: typeOf(value),
      value: facts === null ? valueText(value) : own === null ? "disposed" : "",
      isImport,
      shape: facts?.shape ?? null,
      dtype: facts?.dtype ?? null,
      device: facts?.device ?? null,
      tensors: storages.size,
      bytes: facts === null ? bytesOf(storages) : own === null ? 0 : facts.bytes,
      id: own ? identify(value as object) : null,
      place: (own ? this.#placeOfOrigin(own.origin) : null) ?? this.#placeOf(name),
    };
  }

  #storagesIn(value: unknown): Set<Storage> {
    const host = this.#host;
    const found = new Set<Storage>();
    if (host === null) return found;
    for (const object of reachable(value, (each) => host.storageOf(each) !== undefined)) {
      for (const storage of host.storagesOf(object)) found.add(storage);
    }
    return found;
  }

  #placeOfOrigin(origin: number): TracePlace | null {
    const place = origin === 0 ? undefined : this.#cells.placeOfOrigin(origin);
    return place === undefined ? null : this.#host!.placeOf(place);
  }

  #placeOf(name: string): TracePlace | null {
    const { cell, definition } = this.#declared.get(name) ?? {};
    if (cell === undefined) return null;
    const { offset } = definition!;
    const line = offset === null ? undefined : cell.positions?.ofOffset(offset)?.line;
    return placeIn(cell, line ?? lineOf(name, cell.source));
  }
}

const placeIn = ({ label, id = null, count }: RanCell, line: number): TracePlace => ({
  text: `${label}:${line}`,
  cell: id,
  count,
  line,
});

/** Of a kernel, in CUDA C++; the first line where it does not stand there. */
function lineOf(name: string, source: string): number {
  const lines = source.split("\n");
  const found = lines.findIndex((line) => line.includes(`${name}(`) || line.includes(`${name} (`));
  return Math.max(0, found) + 1;
}

function bytesOf(storages: ReadonlySet<Storage>): number {
  let bytes = 0;
  for (const storage of storages) bytes += storage.bytes;
  return bytes;
}

/** Own properties that the library gave it; the user may have put others in their place. */
function tensorFacts(tensor: object, storage: Storage | null) {
  const [shape, dtype, bytes] = [dataOf(tensor, "shape"), dataOf(tensor, "dtype"), dataOf(tensor, "bytes")];
  return {
    shape:
      Array.isArray(shape) && shape.every((length) => typeof length === "number") ? ([...shape] as number[]) : null,
    dtype: typeof dtype === "string" ? dtype : null,
    bytes: typeof bytes === "number" ? bytes : 0,
    device: storage?.device.name ?? null,
  };
}

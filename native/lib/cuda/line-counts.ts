// Counts of launches, line by line: sums of what the device counts in each, with the text of the line.
import { Scoped } from "../scoped.ts";

/** What accesses of a line ask of memory, all threads and launches together. */
export interface MemoryCounters {
  /** A request is one access of a warp, by those of its threads that make it. */
  readonly requests: number;
  /** Of global memory: sectors of 32 bytes that are moved. Of shared memory: passes over its 32 banks. */
  readonly transactions: number;
  /** As few as the bytes that are asked for would take. */
  readonly fewest: number;
  /**
   * Transactions of the worst request. Of shared memory: the degree of the worst bank conflict, the different words of
   * one bank; 1 where there is none.
   */
  readonly worst: number;
  /** The most threads of a warp that an atomic function has at one address; 0 where there is none. */
  readonly contention: number;
}

/** What a launch did in a line. Counts of the line itself are `null` where it has accesses only. */
export interface SourceCounterRow {
  /** As messages call the source: "Cell [3]". */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Threads that came to it. */
  readonly threads: number | null;
  /** How often threads ran it; a loop's line: its condition. */
  readonly executions: number | null;
  /** How often warps ran it, with all of their threads or with some. */
  readonly warpExecutions: number | null;
  /** How often a warp ran it with only some of its threads; this and the next of the statement that diverges most. */
  readonly divergent: number | null;
  /** Threads of a warp that run it at once, on average. */
  readonly activeThreads: number | null;
  readonly global: MemoryCounters | null;
  readonly shared: MemoryCounters | null;
}

/** An access for a picture: the worst request of a line. */
export interface Request {
  readonly space: "global" | "shared";
  readonly line: number;
  readonly file: string;
  readonly worst: number;
  /** How many times as many transactions as are needed. */
  readonly excess: number;
  /** Of each lane, bytes from the first sector; −1 where it takes no part. */
  readonly lanes: readonly number[];
  readonly bytes: number;
}

/** As the device process writes it (engine/cpu/check/counters.cc). */
interface StatementCounts {
  readonly kind: "statement";
  readonly file: string;
  readonly line: number;
  readonly threads: number;
  readonly executions: number;
  readonly warps: number;
  readonly divergent: number;
}
interface AccessCounts extends MemoryCounters {
  readonly kind: "global" | "shared";
  readonly file: string;
  readonly line: number;
  /** Accesses that were too many to be put together. */
  readonly lost: number;
  readonly lanes: readonly number[];
  readonly bytes: number;
}
type Counts = StatementCounts | AccessCounts;

/** A source of a launch: its name and its text. */
export interface CountedSource {
  readonly name: string;
  readonly source: string;
}

type Row = { -readonly [K in keyof SourceCounterRow]: SourceCounterRow[K] };

/** Takes the counts of launches. */
export class CountCollector {
  readonly #rows = new Map<string, Row>();
  readonly #requests = new Map<string, Request>();
  /** What the statements ran that diverge most. */
  readonly #apart = new Map<Row, { executions: number; warps: number }>();
  launches = 0;
  lost = 0;
  hasStatements = true;

  add(sources: readonly CountedSource[], texts: readonly string[]): void {
    const counts = texts.map((text) => JSON.parse(text) as Counts).filter(({ line }) => line > 0);
    this.launches++;
    if (!counts.some(({ kind }) => kind === "statement")) this.hasStatements = false;
    const statements = new Map<Row, StatementCounts[]>();
    for (const each of counts) {
      const row = this.#rowOf(sources, each);
      if (each.kind === "statement") statements.set(row, [...(statements.get(row) ?? []), each]);
      else this.#addAccess(row, each);
    }
    for (const [row, each] of statements) this.#addStatements(row, each);
  }

  /** Of the statements of a line the one that runs most often counts, and for divergence the one that diverges most. */
  #addStatements(row: Row, statements: readonly StatementCounts[]): void {
    const most = statements.reduce((one, two) => (two.executions > one.executions ? two : one));
    const apart = statements.reduce((one, two) => (activeIn(two) < activeIn(one) ? two : one));
    row.threads = (row.threads ?? 0) + most.threads;
    row.executions = (row.executions ?? 0) + most.executions;
    row.warpExecutions = (row.warpExecutions ?? 0) + most.warps;
    row.divergent = (row.divergent ?? 0) + apart.divergent;
    const known = this.#apart.get(row) ?? { executions: 0, warps: 0 };
    const sums = { executions: known.executions + apart.executions, warps: known.warps + apart.warps };
    this.#apart.set(row, sums);
    row.activeThreads = activeIn(sums);
  }

  #rowOf(sources: readonly CountedSource[], { file, line }: Counts): Row {
    const source = sources.find(({ name }) => file === name || file.endsWith(`/${name}`));
    const name = source?.name ?? file;
    const key = `${name}:${line}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row: Row = {
      file: name,
      line,
      text: source?.source.split("\n")[line - 1] ?? "",
      threads: null,
      executions: null,
      warpExecutions: null,
      divergent: null,
      activeThreads: null,
      global: null,
      shared: null,
    };
    this.#rows.set(key, row);
    return row;
  }

  #addAccess(row: Row, { kind, requests, transactions, fewest, worst, contention, lost, lanes, bytes }: AccessCounts) {
    const known = row[kind];
    row[kind] = {
      requests: (known?.requests ?? 0) + requests,
      transactions: (known?.transactions ?? 0) + transactions,
      fewest: (known?.fewest ?? 0) + fewest,
      worst: Math.max(known?.worst ?? 0, worst),
      contention: Math.max(known?.contention ?? 0, contention),
    };
    this.lost += lost;
    const key = `${row.file}:${row.line}:${kind}`;
    const excess = transactions / fewest;
    if (excess > (this.#requests.get(key)?.excess ?? 1))
      this.#requests.set(key, { space: kind, line: row.line, file: row.file, worst, excess, lanes, bytes });
  }

  rows(): SourceCounterRow[] {
    const files = [...new Set([...this.#rows.values()].map(({ file }) => file))];
    return [...this.#rows.values()].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
  }

  requests(): Request[] {
    return [...this.#requests.values()].sort((a, b) => b.excess - a.excess);
  }
}

/** Threads of a warp that run a statement at once, on average. */
const activeIn = ({ executions, warps }: Pick<StatementCounts, "executions" | "warps">): number => executions / warps;

/** Takes the counts of launches, while they are counted. */
export const counting = new Scoped<CountCollector | null>(null);

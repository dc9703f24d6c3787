// A cell on its way: what every language is given to run one, and what it gives back. Types only.
import type { RanCell } from "./cell-registry.ts";
import type { Guard } from "../requests/interrupts.ts";
import type { Request } from "../requests/request.ts";
import type { Session } from "../session.ts";

export interface Run {
  session: Session;
  request: Request;
  /** How the user knows the cell, and its text: for tracebacks. */
  ran: RanCell;
  /** Calls user code so that it can be interrupted. */
  guard: Guard;
}

/** What a cell came to: `value` is absent when it has none. `after` runs when the value has been shown. */
export interface CellResult {
  value?: unknown;
  /** The text of a cell that a front end puts below this one. */
  next?: string;
  after?: () => Promise<void>;
}

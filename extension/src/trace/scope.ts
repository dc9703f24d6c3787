// Says in a few words which slices are searched and added up, where a profile is too large for the page to hold them
// all.
import { trans } from "../drawing/trans.ts";

/**
 * `overview` and `partly`: neighbours that are short are one. `part`, `partly`: of the window of time that was asked
 * for last.
 */
export type Scope = "all" | "overview" | "part" | "partly";

export interface ScopeWords {
  /** After "60 slices". */
  readonly text: string;
  /** What to do for more. */
  readonly hint: string;
}

const zoomIn = (): string => trans.__("Short neighbours are merged here: zoom in to tell them apart.");
const zoomOut = (): string =>
  trans.__("The page holds only an overview of the rest of the profile: show the whole profile to search it.");

export const scopeWords: Readonly<Record<Scope, () => ScopeWords>> = {
  all: () => ({ text: "", hint: "" }),
  overview: () => ({ text: trans.__(" in the overview"), hint: zoomIn() }),
  part: () => ({ text: trans.__(" in this part"), hint: zoomOut() }),
  partly: () => ({ text: trans.__(" in an overview of this part"), hint: `${zoomIn()} ${zoomOut()}` }),
};

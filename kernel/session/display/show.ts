// Gives cells `show`: a tensor below the cell, and in a viewer of its own where the front end has one.
import { viewerTarget } from "../../mime.ts";
import type { LibraryLoader } from "../cells/library.ts";
import type { CommClass } from "./comm.ts";
import { ofDisplay, type Display } from "./display.ts";

/** The global `show`. */
export type Show = (tensor: unknown, name?: string) => Promise<void>;

export function createShow(Comm: CommClass, display: Display, library: LibraryLoader): Show {
  const open = async (tensor: unknown, name: string | undefined): Promise<void> => {
    const { loaded } = library;
    if (loaded === null || !(tensor instanceof loaded.warpcell.Tensor))
      throw new TypeError(`show takes a tensor, not ${kindOf(tensor)}. display shows any value.`);
    const opened = loaded.host.openedOf(tensor);
    await display(tensor);
    // A front end without a viewer closes it at once; one that has opened the viewer does, too.
    new Comm(viewerTarget, { data: { ...opened, ...(name === undefined ? {} : { name }) } });
  };
  return (tensor, name) => ofDisplay(open(tensor, name));
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

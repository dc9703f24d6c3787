// Says what an instruction does where the pointer rests on its name.
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import type { AsmListing } from "../../../kernel/mime.ts";
import { element } from "../tensor-view/element.ts";
import { meaningOf } from "./meanings.ts";

export function instructionMeaning(name: AsmListing["name"]): Extension {
  return hoverTooltip((view, position) => {
    const line = view.state.doc.lineAt(position);
    const meaning = meaningOf(name, line.text);
    if (meaning === null) return null;
    const from = line.from + meaning.from;
    const end = from + meaning.name.length;
    if (position < from || position > end) return null;
    const dom = element("div", "warpcell-asm-meaning", element("b", "", meaning.name), ` ${meaning.text}`);
    return { pos: from, end, above: true, create: () => ({ dom }) };
  });
}

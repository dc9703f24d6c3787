// Says where the pointer rests what stands there.
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { element } from "../tensor-view/element.ts";
import type { Help } from "./help.ts";

/** So long the pointer rests, in ms. */
const pause = 300;

export function hovers(help: Help, model: unknown): Extension {
  return hoverTooltip(
    async (view, position) => {
      if (
        !help.settings.hover ||
        !isOnText(view.state.doc.lineAt(position).text, position - view.state.doc.lineAt(position).from)
      )
        return null;
      const asked = view.state.doc;
      const found = await help.ask("hover", model, position);
      if (found?.answer == null || !view.state.doc.eq(asked)) return null;
      const { start, end, markdown } = found.answer;
      const dom = await hoverBox(help, markdown);
      return { pos: start, end: Math.min(end, asked.length), above: true, create: () => ({ dom }) };
    },
    { hoverTime: pause },
  );
}

/** Between words nothing is asked. */
function isOnText(line: string, column: number): boolean {
  return /\S/.test(line.slice(Math.max(0, column - 1), column + 1));
}

export async function hoverBox(help: Help, markdown: string): Promise<HTMLElement> {
  const box = element("div", "warpcell-hover");
  box.append(await help.render(markdown));
  return box;
}

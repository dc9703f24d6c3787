// The profiles that the outputs of a notebook show.
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { ICodeCellModel } from "@jupyterlab/cells";
import { traceMime } from "../../../kernel/mime.ts";
import { trans } from "../drawing/trans.ts";
import type { OtherProfile } from "./comparison.ts";

/** In the order of their cells, each called by its title and its cell. */
export function profilesIn({ content: { model } }: NotebookPanel): OtherProfile[] {
  return [...(model?.cells ?? [])].flatMap((cell) => {
    if (cell.type !== "code") return [];
    const { outputs, executionCount } = cell as ICodeCellModel;
    return Array.from({ length: outputs.length }, (_, index) => outputs.get(index)).flatMap(({ data }) => {
      const value = data[traceMime] as { title?: unknown } | undefined;
      return value === undefined
        ? []
        : [
            {
              label: trans.__("%1 · cell [%2]", String(value?.title ?? trans.__("Profile")), executionCount ?? " "),
              value,
            },
          ];
    });
  });
}

// What opens a viewer: a command with the tensor and the notebook whose kernel has it.
import { trans } from "../drawing/trans.ts";
import type { CommandRegistry } from "@lumino/commands";
import type { OpenPayload } from "../../../kernel/mime.ts";
import { checkOutput, counts, exactly, text, type Checked, type Expectations } from "../kernel-link/fields.ts";

export const openTensor = "warpcell:open-tensor";

/** The command's arguments. */
export interface OpenRequest {
  readonly tensor: OpenPayload;
  /** The id of the notebook's panel. */
  readonly notebook: string;
  /** What the tensor is called, where that is known. */
  readonly name?: string;
}

const fields: Expectations<OpenPayload> = { version: exactly(1), id: text, shape: counts, dtype: text, device: text };

/** What a cell asks to open may be anything. */
export const checkOpen = (value: unknown): Checked<OpenPayload> =>
  checkOutput(trans.__("a tensor to open"), value, fields);

/** Opens a tensor of a notebook; `null` where there is no viewer: its plugin can be disabled. */
export type Open = (tensor: Omit<OpenPayload, "version">, name?: string) => void;

export function openIn(commands: CommandRegistry, notebookOf: () => string | null): () => Open | null {
  return () => {
    if (!commands.hasCommand(openTensor)) return null;
    return ({ id, shape, dtype, device }, name) => {
      const notebook = notebookOf();
      const tensor: OpenPayload = { version: 1, id, shape, dtype, device };
      if (notebook !== null)
        void commands.execute(openTensor, { tensor, notebook, ...(name === undefined ? {} : { name }) } as never);
    };
  };
}

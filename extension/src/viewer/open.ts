// What opens a viewer: a command with the tensor and the notebook whose kernel has it.
import type { CommandRegistry } from "@lumino/commands";
import type { OpenPayload } from "../../../kernel/mime.ts";

export const openTensor = "warpcell:open-tensor";

/** The command's arguments. */
export interface OpenRequest {
  readonly tensor: OpenPayload;
  /** The id of the notebook's panel. */
  readonly notebook: string;
  /** What the tensor is called, where that is known. */
  readonly name?: string;
}

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

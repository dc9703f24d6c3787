// Memory that this process and another one both see: for programs that hand large buffers over without sending them.
import { binding } from "./binding.ts";

export const { shareMemory, mapMemory, lendMemory } = binding;

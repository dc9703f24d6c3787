// The size of the largest message that is read, which a variable may set.
import { constants } from "node:buffer";

/** Bytes of all frames of a message. */
export const messageLimit = fromEnvironment("WARPCELL_MESSAGE_LIMIT") ?? 2 ** 30;

/** Bytes of its header, content and what else is text: more, JavaScript has no string for. */
export const textLimit = Math.min(messageLimit, constants.MAX_STRING_LENGTH);

function fromEnvironment(name: string): number | null {
  const text = process.env[name];
  if (text === undefined || text === "") return null;
  const bytes = Number(text);
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  process.stderr.write(`warpcell: ${name} is "${text}", which is not a number of bytes; it is ignored.\n`);
  return null;
}

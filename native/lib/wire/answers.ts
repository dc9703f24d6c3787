// The answers of a device process: turns the fields of an answer into its values or the error it stands for.
import { binding } from "./binding.ts";
import { Op } from "./commands.ts";
import { answerOf, requestFields } from "./messages.ts";
import {
  CompileError,
  DeviceError,
  DeviceUnavailable,
  InterruptedError,
  LaunchError,
  OutOfMemory,
  WarpcellError,
} from "../errors.ts";
import { type DeviceProperties, parseProperties } from "./properties.ts";

const text = new TextDecoder();

/** The error class of a refusal, by its code; any other code is a {@link DeviceError}. */
const refusals: Record<string, (sentence: string, details: string, device: string, code: string) => WarpcellError> = {
  COMPILE: (sentence, details) => new CompileError(sentence, details),
  OUT_OF_MEMORY: (sentence, _details, device) => new OutOfMemory(sentence, device, 0),
  INVALID_LAUNCH: (sentence, _details, _device, code) => new LaunchError(code, sentence),
};

/** The fields after "ok". Throws the error that the answer stands for. */
export function answerFields(answer: Uint8Array[], device: string): Uint8Array[] {
  const [status, ...fields] = answer;
  if (status !== undefined && text.decode(status) === "ok") return fields;

  const { code, sentence, details } = errorFields(answer);
  const refuse = refusals[code];
  throw refuse === undefined
    ? new DeviceError(code, device, sentence, details)
    : refuse(sentence, details, device, code);
}

/**
 * Says hello to a new device process and returns what it says of itself. Throws {@link DeviceUnavailable} with its
 * reason.
 */
export function greet(client: number, device: string): DeviceProperties {
  const sequence = binding.request(client, Op.hello, requestFields("hello", {}), 0);
  const outcome = sequence > 0 ? binding.wait(client, 0, sequence, -1) : "died";
  const answer = sequence > 0 ? binding.reply(client, sequence) : null;

  if (answer === null) {
    if (outcome === "interrupted")
      throw new InterruptedError(`The start of ${device} was interrupted.`, device, undefined, undefined);
    throw new DeviceUnavailable(
      "NO_PROCESS",
      device,
      `The device process of ${device} ended before it answered (${binding.state(client)}). What it printed before that may say why.`,
    );
  }

  const [status, ...fields] = answer;
  if (status !== undefined && text.decode(status) === "ok")
    return parseProperties(answerOf("hello", fields).properties);
  const { code, sentence } = errorFields(answer);
  throw new DeviceUnavailable(code, device, sentence);
}

function errorFields(answer: Uint8Array[]): { code: string; sentence: string; details: string } {
  const [status, code, sentence, details] = answer.map((field) => text.decode(field));
  if (status !== "error" || code === undefined || sentence === undefined) {
    throw new WarpcellError(
      "PROTOCOL",
      `An answer must start with "ok" or "error", but is ${JSON.stringify(answer.map((field) => text.decode(field.subarray(0, 80))))}.`,
    );
  }
  return { code, sentence, details: details ?? "" };
}

// Reads and checks a connection file. Opens no socket.
import { readFileSync, statSync } from "node:fs";
import { Problem, kindOf } from "./problem.ts";

/** The kernel's sockets. */
export type Channel = "shell" | "control" | "stdin" | "iopub" | "hb";

export interface Connection {
  transport: "tcp" | "ipc";
  /** Host name or address for tcp, path prefix for ipc. */
  ip: string;
  ports: Record<Channel, number>;
  /** Key of the HMAC; empty: messages are not signed. */
  key: string;
  /** Name of the hash in Node's spelling, such as "sha256". */
  hash: string;
}

const channels: readonly Channel[] = ["shell", "control", "stdin", "iopub", "hb"];

/** Reads and checks the file a Jupyter client wrote. Throws a `Problem` that names the field. */
export function readConnection(file: string): Connection {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Problem(
      "CONNECTION_UNREADABLE",
      `The connection file ${file} cannot be read: ${reason(error)}. A Jupyter client writes this file and starts the kernel with its path.`,
    );
  }
  return parseConnection(text, file);
}

/** The sentence to print when others may read the key in the file, else `null`. */
export function exposure(file: string): string | null {
  const { mode, uid } = statSync(file);
  if (typeof process.getuid === "function" && uid !== process.getuid())
    return `The connection file ${file} belongs to user ${uid}, who can run code here by writing to it.`;
  return (mode & 0o077) === 0
    ? null
    : `The connection file ${file} can be read by other users, who can then run code here: chmod 600 it.`;
}

/** Checks the text of a connection file; `file` is for the sentences. */
export function parseConnection(text: string, file: string): Connection {
  const fields = parseObject(text, file);

  const expect = (name: string, expected: string, accepted: boolean): void => {
    if (!accepted)
      throw new Problem(
        "CONNECTION_INVALID",
        `"${name}" in ${file} must be ${expected}, but is ${shown(fields[name])}.`,
      );
  };
  const transport = fields["transport"] ?? "tcp";
  expect("transport", `"tcp" or "ipc"`, transport === "tcp" || transport === "ipc");
  const ip = fields["ip"];
  expect("ip", "an address or, for ipc, a path", typeof ip === "string" && ip !== "");
  const key = fields["key"] ?? "";
  expect("key", "a string", typeof key === "string");
  const scheme = fields["signature_scheme"] ?? "hmac-sha256";
  expect("signature_scheme", `"hmac-sha256"`, scheme === "hmac-sha256" || scheme === "hmac-sha512");
  const ports = {} as Record<Channel, number>;
  for (const channel of channels) {
    const port = fields[`${channel}_port`];
    expect(
      `${channel}_port`,
      "a port from 1 to 65535",
      Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65535,
    );
    ports[channel] = port as number;
  }
  const twice = channels.find(
    (channel, index) => channels.findIndex((other) => ports[other] === ports[channel]) !== index,
  );
  if (twice !== undefined)
    throw new Problem(
      "CONNECTION_INVALID",
      `The five ports in ${file} must differ, but "${twice}_port" repeats ${ports[twice]}.`,
    );

  return {
    transport: transport as "tcp" | "ipc",
    ip: ip as string,
    ports,
    key: key as string,
    hash: (scheme as string).slice("hmac-".length),
  };
}

/** Where a channel is found. */
export function address(connection: Connection, channel: Channel): string {
  const port = connection.ports[channel];
  return connection.transport === "tcp" ? `tcp://${connection.ip}:${port}` : `ipc://${connection.ip}-${port}`;
}

function parseObject(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem(
      "CONNECTION_INVALID",
      `The connection file ${file} ${text.trim() === "" ? "is empty" : `is not JSON (${reason(error)})`}.`,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Problem(
      "CONNECTION_INVALID",
      `The connection file ${file} must have a JSON object, but has ${kindOf(value)}.`,
    );
  return value as Record<string, unknown>;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Checks a value from a session's channel, where code in a cell may write too: an event of the protocol, or an error.
import type { DeviceGauge } from "./mime.ts";
import type {
  AgentEvent,
  CarriedBuffer,
  CellError,
  DebugAnswer,
  Declaration,
  DeviceSummary,
  Event,
  UserExpression,
  ViewAnswer,
} from "./session-protocol.ts";

type Check<T> = (value: unknown) => value is T;
type Fields<T> = { [Name in keyof T]-?: Check<T[Name]> };
/** The checks of every field of every message: a type without a row, or a field without a check, does not compile. */
type Table<Message extends { type: string }> = {
  [Type in Message["type"]]: Fields<Omit<Extract<Message, { type: Type }>, "type">>;
};

const string: Check<string> = (value) => typeof value === "string";
const boolean: Check<boolean> = (value) => typeof value === "boolean";
const number: Check<number> = (value) => typeof value === "number";
const count: Check<number> = (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const anything: Check<unknown> = (_value): _value is unknown => true;
const record: Check<Record<string, unknown>> = (value): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const bytes: Check<Uint8Array> = (value) => value instanceof Uint8Array;
const oneOf =
  <T extends string>(...words: T[]): Check<T> =>
  (value): value is T =>
    words.includes(value as T);
const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value): value is T | null =>
    value === null || check(value);
const either =
  <A, B>(a: Check<A>, b: Check<B>): Check<A | B> =>
  (value): value is A | B =>
    a(value) || b(value);
const listOf =
  <T>(check: Check<T>): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(check);
const object =
  <T>(fields: Fields<T>): Check<T> =>
  (value): value is T =>
    record(value) && wrongField(fields, value) === null;
const recordOf =
  <T>(check: Check<T>): Check<Record<string, T>> =>
  (value): value is Record<string, T> =>
    record(value) && Object.values(value).every(check);

/** Nothing but a descriptor of a process: other files may block whoever opens them. */
const descriptorPath: Check<string> = (value): value is string => string(value) && /^\/proc\/\d+\/fd\/\d+$/.test(value);
const buffers = listOf<CarriedBuffer>(either(bytes, object({ file: descriptorPath, bytes: count })));
const device = object<DeviceSummary>({ device: string, name: string, reason: string });
const cellError = object<CellError>({ name: string, message: string, traceback: listOf(string) });
const declaration = object<Declaration>({ name: string, text: string });
const userExpression = either<UserExpression, UserExpression>(
  object<Extract<UserExpression, { status: "ok" }>>({ status: oneOf("ok"), data: record, metadata: record }),
  object<Extract<UserExpression, { status: "error" }>>({
    status: oneOf("error"),
    ename: string,
    evalue: string,
    traceback: listOf(string),
  }),
);
const gauge = object<DeviceGauge>({
  device: string,
  name: string,
  active: boolean,
  memoryTotal: nullable(number),
  memoryUsed: nullable(number),
  allocated: number,
  reserved: number,
  peak: number,
  utilization: nullable(number),
  temperature: nullable(number),
  power: nullable(number),
  sampled: nullable(number),
});

const events: Table<Event> = {
  ready: { version: number, process: number, device },
  stream: { request: count, name: oneOf("stdout", "stderr"), text: string },
  display: { request: count, data: record, metadata: record, displayId: nullable(string), update: boolean, buffers },
  result: { request: count, data: record, metadata: record },
  clearOutput: { request: count, wait: boolean },
  commOpen: { request: count, comm: string, target: string, data: anything, metadata: record, buffers },
  commMessage: { request: count, comm: string, data: anything, metadata: record, buffers },
  commClose: { request: count, comm: string, data: anything },
  commTargets: { targets: listOf(string) },
  declared: { request: count, declarations: listOf(declaration) },
  device: { device },
  released: { requests: listOf(count) },
  done: {
    request: count,
    status: oneOf("ok", "error"),
    token: string,
    error: nullable(cellError),
    userExpressions: recordOf(userExpression),
    payload: listOf(record),
  },
};

const agentEvents: Table<AgentEvent> = {
  gauges: { devices: listOf(gauge) },
  interrupted: { request: count },
  viewed: {
    view: count,
    answer: nullable(
      object<ViewAnswer>({
        data: record,
        buffers: listOf(either(string, object({ file: descriptorPath, bytes: count }))),
      }),
    ),
  },
  debugged: { debug: count, answer: object<DebugAnswer>({ success: boolean, message: string, body: record }) },
  debugEvent: { event: string, body: record },
  inputRequest: { request: count, prompt: string, password: boolean },
};

/** Throws a TypeError that names what is wrong. */
export function eventOf(value: unknown): Event {
  return messageOf<Event>("event", events, value);
}

/** Of the agent's pipe. Throws a TypeError that names what is wrong. */
export function agentEventOf(value: unknown): AgentEvent {
  return messageOf<AgentEvent>("event of the agent", agentEvents, value);
}

function messageOf<Message extends { type: string }>(kind: string, table: Table<Message>, value: unknown): Message {
  const type: unknown = record(value) ? value["type"] : undefined;
  if (!string(type) || !Object.hasOwn(table, type))
    throw new TypeError(
      `The session sent an ${kind} of an unknown type${string(type) ? ` ("${type.slice(0, 100)}")` : ""}.`,
    );
  const wrong = wrongField(table[type as Message["type"]], value as Record<string, unknown>);
  if (wrong !== null)
    throw new TypeError(`The session sent an ${kind} "${type}" whose "${wrong}" is missing or of another type.`);
  return value as Message;
}

/** `null`: none. */
function wrongField<T>(fields: Fields<T>, value: Record<string, unknown>): string | null {
  return (Object.keys(fields) as (keyof T & string)[]).find((name) => !fields[name](value[name])) ?? null;
}

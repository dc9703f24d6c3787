// Runs an execute command and sends its events: output, result, error, and `done` at the very end.
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { parse } from "../language/cell.ts";
import type { CellError, Command, MimeBundle, UserExpression } from "../session-protocol.ts";
import type { RanCell } from "./cells/cell-registry.ts";
import { isOfDisplay } from "./display/display.ts";
import { Interrupted, type Guard } from "./requests/interrupts.ts";
import { isLeave, Leave, leavePayload } from "./requests/leave.ts";
import { runCell } from "./cells/languages.ts";
import { whosText } from "./display/whos.ts";
import { bundleOf } from "./display/mime-bundle.ts";
import { text } from "./display/text.ts";
import type { Request } from "./requests/request.ts";
import { runCode } from "./cells/run-typescript.ts";
import { writeCellFile } from "./cells/write-file.ts";
import type { Session } from "./session.ts";

type ExecuteCommand = Extract<Command, { type: "execute" }>;

/** Runs one cell to its end. Never rejects: what goes wrong is the error in `done`. */
export async function execute(session: Session, command: ExecuteCommand): Promise<void> {
  const { output } = session;
  const request = session.requests.create(command.request, command.allowStdin);
  const { count, cellId: id, code: source } = command;
  const ran: RanCell = { label: `Cell [${count}]`, count, id, source, positions: null };
  const payload: Record<string, unknown>[] = [];
  let error: CellError | null = null;
  let isStopped = false;
  let isLeaving = false;
  let userExpressions: Record<string, UserExpression> = {};

  // Whatever ran since the last cell.
  restoreBuiltins(session, request, "Code that ran before this cell");
  session.faults.begin(request);
  session.memory.begin(ran);
  try {
    try {
      await session.interrupts.run(request.id, (guard) =>
        session.requests.run(request, () => runAndShow(session, command, request, ran, guard, payload)),
      );
    } finally {
      restoreBuiltins(session, request, ran.label);
    }
    userExpressions = await evaluateExpressions(session, command, request);
  } catch (thrown) {
    session.profiles.abandon();
    isLeaving = thrown instanceof Leave;
    isStopped = thrown instanceof Interrupted;
    if (isLeaving) payload.push(leavePayload);
    else error = fail(session, thrown, ran);
    const shortage = session.memory.shortage(thrown);
    if (shortage !== null)
      output.send({
        type: "display",
        request: request.id,
        data: shortage,
        metadata: {},
        displayId: null,
        update: false,
        buffers: [],
      });
  }
  try {
    await session.live.flush();
  } catch (thrown) {
    error ??= fail(session, thrown, ran);
  }
  const unsettled = await settle(session, ran, isStopped);
  session.memory.end(ran);
  const stray = session.faults.end();
  const ofDevice = unsettled ?? (stray === null ? null : fail(session, stray, ran));
  if (ofDevice !== null) {
    // What the cell threw is not lost behind the device's error, which came first. That it was stopped, the device's
    // error says too.
    const own = error !== null && !isStopped && error.message !== ofDevice.message ? error : null;
    if (own !== null) session.requests.run(request, () => output.write("stderr", `${own.traceback.join("\n")}\n`));
    error = ofDevice;
  }

  session.interrupts.end(request.id);
  output.flush();
  const token = `\u001e${randomBytes(16).toString("hex")}\u001e`;
  writeToken(1, token);
  writeToken(2, token);
  output.send({
    type: "done",
    request: request.id,
    status: error === null ? "ok" : "error",
    token,
    error,
    userExpressions,
    payload,
  });
  if (isLeaving) process.exit(0);
  // Behind the answer, which does not wait for it.
  ran.positions?.settle();
}

async function runAndShow(
  session: Session,
  command: ExecuteCommand,
  request: Request,
  ran: RanCell,
  guard: Guard,
  payload: Record<string, unknown>[],
): Promise<void> {
  const cell = parse(command.code);
  if (cell.help !== null) {
    const { value } = await runCode(cell.help.expression, { session, request, ran, guard });
    payload.push({ source: "page", start: 0, data: { "text/plain": text(value) } });
    return;
  }
  for (const page of cell.magics.pages ?? []) session.output.write("stdout", page);
  if (cell.magics.file !== undefined) session.output.write("stdout", writeCellFile(cell.magics.file));
  if (cell.magics.whos === true) session.output.write("stdout", whosText(session.names.list()));
  for (const given of cell.magics.npm ?? []) await session.npm.run(given);
  if (cell.magics.profile !== undefined)
    session.profiles.begin(await session.library.load(), ran.label, cell.magics.profile);
  const start = performance.now();
  const result = await runCell(cell, { session, request, ran, guard }).catch(async (error: unknown) => {
    if (!session.interrupts.isInterrupted(request.id)) await session.profiles.endAfterError(ran.label);
    throw error;
  });
  try {
    const next = result.next ?? session.following.after(command.code);
    if (next !== undefined) payload.push({ source: "set_next_input", text: next, replace: false });
    await session.profiles.end(ran.label);
    if ("value" in result && isLeave(result.value)) throw new Leave();
    if (cell.magics.time === true) {
      // A launch does not wait for its kernel; who asks for the time means that of the kernel too.
      await session.library.loaded?.host.settle();
      session.output.write("stdout", `Wall time: ${duration(performance.now() - start)}\n`);
    }
    if (!("value" in result) || result.value === undefined || isOfDisplay(result.value)) return;
    const data: MimeBundle = await guard(() => bundleOf(result.value));
    if (command.silent) return;
    remember(session, "_", result.value);
    if (session.live.has(result.value)) session.live.show(result.value, data, request.id);
    else session.output.send({ type: "result", request: request.id, data, metadata: {} });
  } finally {
    await result.after?.();
  }
}

function restoreBuiltins({ builtins, output, requests }: Session, request: Request, who: string): void {
  const names = builtins.restore();
  if (names !== "")
    requests.run(request, () =>
      output.write(
        "stderr",
        `${who} removed or replaced ${names}, which the kernel itself needs. It has been restored; all variables are kept.\n`,
      ),
    );
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds.toPrecision(3)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

/** A name that the notebook has declared is the notebook's: `import _ from "lodash"`. */
function remember({ slots }: Session, name: "_" | "_error", value: unknown): void {
  if (!slots.scope.has(name)) Object.assign(globalThis, { [name]: value });
}

function fail(session: Session, thrown: unknown, ran: RanCell): CellError {
  remember(session, "_error", thrown);
  session.faults.told(thrown);
  return session.tracebacks.describe(thrown, ran);
}

/**
 * Waits for what the cell launched; a kernel that failed fails its cell. An interrupt that came too late to be used is
 * used up.
 */
/** The error that the devices' work of a cell ends with: of one that was stopped, which kernel was. */
async function settle(session: Session, ran: RanCell, isStopped: boolean): Promise<CellError | null> {
  const host = session.library.loaded?.host;
  if (host === undefined) return null;
  if (isStopped) host.endInterrupted();
  try {
    await host.settle();
    // What the cell awaited may have met the interrupt before: then nothing is left to meet.
    const interruption = isStopped ? host.lastInterruption() : null;
    return interruption === null ? null : fail(session, interruption, ran);
  } catch (thrown) {
    return fail(session, thrown, ran);
  } finally {
    host.clearInterrupt();
  }
}

async function evaluateExpressions(
  session: Session,
  command: ExecuteCommand,
  request: Request,
): Promise<Record<string, UserExpression>> {
  const results: Record<string, UserExpression> = {};
  for (const [name, code] of Object.entries(command.userExpressions)) {
    const ran: RanCell = { label: `Expression ${name}`, count: 0, source: code, positions: null };
    try {
      const value = await session.interrupts.run(request.id, (guard) =>
        session.requests.run(request, () => runCode(code, { session, request, ran, guard })),
      );
      results[name] = { status: "ok", data: await bundleOf(value.value), metadata: {} };
    } catch (thrown) {
      if (thrown instanceof Interrupted) throw thrown;
      const { name: ename, message: evalue, traceback } = session.tracebacks.describe(thrown, ran);
      results[name] = { status: "error", ename, evalue, traceback };
    }
  }
  return results;
}

/**
 * One write, so that nothing of native code comes between. A full pipe that does not block is tried again: the
 * supervisor reads it.
 */
function writeToken(descriptor: number, token: string): void {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      writeSync(descriptor, token);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(waiting, 0, 0, 1);
    }
  }
}

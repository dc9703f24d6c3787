// Checks what the kernel says of itself, and asks for it.
import { trans } from "../drawing/trans.ts";
import type {
  CacheSize,
  ClearCacheReply,
  CompiledCode,
  Finding,
  KernelReply,
  OpenDevice,
  TracePlace,
} from "../../../kernel/mime.ts";
import { kernelTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import { checkFields, count, finite, flag, oneOf, orNull, problemIn, record, text } from "../kernel-link/fields.ts";
import type { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { placeFields } from "../variables/payload.ts";

export type KernelState = Pick<KernelReply, "code" | "cache" | "devices" | "running">;

const codeFields: Expectations<CompiledCode> = {
  kind: oneOf("kernel", "host function"),
  name: text,
  signature: text,
  device: text,
  registers: orNull(count),
  shared: orNull(count),
  execution: orNull(text),
  lastTime: orNull(finite),
  place: orNull(record),
};
const deviceFields: Expectations<OpenDevice> = { device: text, name: text, keepsArrays: flag };
const cacheFields: Expectations<CacheSize> = { directory: text, files: count, bytes: count };
const removedFields: Expectations<Pick<ClearCacheReply, "files" | "bytes">> = { files: count, bytes: count };
const findingFields: Expectations<Finding> = { device: orNull(text), what: text, found: text, isMissing: flag };

export function checkKernel(data: unknown): Checked<KernelState> {
  const { code, cache, devices, running } = data as { [Name in keyof KernelState]?: unknown };
  if (!Array.isArray(code) || !Array.isArray(devices))
    return { ok: false, problem: trans.__("The kernel's answer has no lists of code and devices.") };
  const what = trans.__("the notebook");
  const placed = (code as { place?: TracePlace | null }[]).filter((each) => (each?.place ?? null) !== null);
  const problem =
    problemIn(trans.__("code"), what, code, codeFields) ??
    problemIn(
      trans.__("place"),
      what,
      placed.map(({ place }) => place),
      placeFields,
    ) ??
    problemIn(trans.__("device"), what, devices, deviceFields);
  if (problem !== null) return { ok: false, problem };
  const size = cache === null ? null : checkFields(trans.__("the compile cache"), cache, cacheFields);
  if (size?.ok === false) return size;
  return { ok: true, value: { code, devices, cache: size?.value ?? null, running: running === true } };
}

export function checkFindings(data: unknown): Checked<readonly Finding[]> {
  const { findings } = data as { findings?: unknown };
  if (!Array.isArray(findings)) return { ok: false, problem: trans.__("The kernel's answer has no list of findings.") };
  const problem = problemIn(trans.__("finding"), trans.__("the machine"), findings, findingFields);
  return problem === null ? { ok: true, value: findings } : { ok: false, problem };
}

const gone = () => trans.__("The kernel does not say: it has ended, or is older than this panel.");

export class KernelSource {
  private readonly questions: CommQuestions;

  constructor(front: NotebookInFront) {
    this.questions = new CommQuestions(kernelTarget, gone, () => front.kernel);
  }

  close(): void {
    this.questions.close();
  }

  async state(): Promise<Checked<KernelState>> {
    const answer = await this.questions.ask({ kernel: true });
    return answer.ok ? checkKernel(answer.value.data) : answer;
  }

  async machine(): Promise<Checked<readonly Finding[]>> {
    const answer = await this.questions.ask({ machine: true });
    return answer.ok ? checkFindings(answer.value.data) : answer;
  }

  /** What was removed. */
  async clearCache(): Promise<Checked<Pick<ClearCacheReply, "files" | "bytes">>> {
    const answer = await this.questions.ask({ clear: true });
    return answer.ok ? checkFields(trans.__("what was removed"), answer.value.data, removedFields) : answer;
  }

  restartDevice(device: string): Promise<Checked<unknown>> {
    return this.questions.ask({ restart: device });
  }
}

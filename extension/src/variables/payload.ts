// Checks what the kernel says of the notebook's names, and asks for it.
import { trans } from "../drawing/trans.ts";
import type { Kernel } from "@jupyterlab/services";
import type { NotebookVariable, PreviewReply, TracePlace } from "../../../kernel/mime.ts";
import { variablesTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import { checkFields, count, counts, flag, orNull, problemIn, record, text } from "../kernel-link/fields.ts";

const variableFields: Expectations<NotebookVariable> = {
  name: text,
  type: text,
  value: text,
  isImport: flag,
  shape: orNull(counts),
  dtype: orNull(text),
  device: orNull(text),
  tensors: count,
  bytes: count,
  id: orNull(text),
  place: orNull(record),
};

export const placeFields: Expectations<TracePlace> = { text, cell: orNull(text), count, line: count };

export interface Variables {
  readonly variables: readonly NotebookVariable[];
  readonly running: boolean;
}

const gone = () => trans.__("The kernel does not say: it has ended, or is older than this panel.");

export class VariableSource {
  private readonly questions: CommQuestions;

  constructor(kernelOf: () => Kernel.IKernelConnection | null) {
    this.questions = new CommQuestions(variablesTarget, gone, kernelOf);
  }

  close(): void {
    this.questions.close();
  }

  async list(): Promise<Checked<Variables>> {
    const answer = await this.questions.ask({ variables: true });
    return answer.ok ? checkVariables(answer.value.data) : answer;
  }

  /** What an output of the tensor shows, of which the payload is checked by its renderer. */
  async preview(id: string): Promise<Checked<Pick<PreviewReply, "payload" | "png">>> {
    const answer = await this.questions.ask({ preview: id });
    return answer.ok ? { ok: true, value: answer.value.data as unknown as PreviewReply } : answer;
  }

  /** How many bytes are free since. */
  async dispose(id: string): Promise<Checked<number>> {
    const answer = await this.questions.ask({ dispose: id });
    return answer.ok ? { ok: true, value: Number((answer.value.data as { freed?: unknown }).freed) } : answer;
  }
}

export function checkVariables(data: unknown): Checked<Variables> {
  const { variables, running } = data as { variables?: unknown; running?: unknown };
  if (!Array.isArray(variables))
    return { ok: false, problem: trans.__("The kernel's answer has no list of variables.") };
  const places = (variables as { place?: unknown }[]).map((variable) => variable?.place ?? null);
  const problem =
    problemIn(trans.__("variable"), trans.__("the notebook"), variables, variableFields) ??
    problemIn(
      trans.__("place"),
      trans.__("the notebook"),
      places.filter((place) => place !== null),
      placeFields,
    );
  if (problem !== null) return { ok: false, problem };
  return { ok: true, value: { variables: variables as NotebookVariable[], running: running === true } };
}

export const checkPlace = (place: unknown): Checked<TracePlace> => checkFields(trans.__("a place"), place, placeFields);

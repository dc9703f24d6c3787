// A viewer beside its notebook: asks that kernel, hears of its cells, and knows its names.
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import type { OpenPayload } from "../../../kernel/mime.ts";
import { VariableSource } from "../variables/payload.ts";
import { ViewerSource } from "./source.ts";
import { TensorViewer } from "./viewer.ts";

export function viewerOf({ sessionContext }: NotebookPanel, tensor: OpenPayload): TensorViewer {
  const kernelOf = () => sessionContext.session?.kernel ?? null;
  const view = new TensorViewer(tensor, {
    source: new ViewerSource(kernelOf),
    async others(shape) {
      // A comm of its own, which is closed: one that stays open costs every cell something.
      const names = new VariableSource(kernelOf);
      const answer = await names.list();
      names.close();
      const isSame = (other: readonly number[] | null) => other !== null && other.join() === shape.join();
      return answer.ok ? answer.value.variables.filter((variable) => isSame(variable.shape)) : [];
    },
  });
  // Questions make a kernel busy, too: cells alone count.
  const onMessage = (_: unknown, { header, parent_header, content }: KernelMessage.IMessage): void => {
    if (header.msg_type !== "status" || (parent_header as { msg_type?: string }).msg_type !== "execute_request") return;
    view.cellRan((content as { execution_state: string }).execution_state === "busy");
  };
  const onKernel = (): void => view.kernelChanged();
  // A kernel that restarts is the same one to JupyterLab, and hears nothing before it is there again.
  let hasRestarted = false;
  const onStatus = (_: unknown, status: Kernel.Status): void => {
    if (status === "idle" && hasRestarted) view.kernelChanged();
    hasRestarted = status !== "idle" && (hasRestarted || status === "restarting" || status === "autorestarting");
  };
  sessionContext.statusChanged.connect(onStatus);
  sessionContext.iopubMessage.connect(onMessage);
  sessionContext.kernelChanged.connect(onKernel);
  view.disposed.connect(() => {
    sessionContext.statusChanged.disconnect(onStatus);
    sessionContext.iopubMessage.disconnect(onMessage);
    sessionContext.kernelChanged.disconnect(onKernel);
  });
  return view;
}

// Opens tensors in tabs of the main area: by a command, and where a cell asks for it. What a tab shows is loaded with the
// first one.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { MainAreaWidget, Notification } from "@jupyterlab/apputils";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { INotebookTracker } from "@jupyterlab/notebook";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { ITranslator } from "@jupyterlab/translation";
import type { OpenPayload } from "../../../kernel/mime.ts";
import { viewerTarget } from "../../../kernel/mime.ts";
import { speakBy, trans } from "../drawing/trans.ts";
import { mostCharacters, shownText } from "../drawing/shown-text.ts";
import { addTab } from "../side-panel/add-tab.ts";
import { checkOpen, openTensor, type OpenRequest } from "./open.ts";

export const viewer: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:viewer",
  description: "Shows a tensor in a tab: any two of its axes, from an overview to single numbers.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: ({ shell, commands }: JupyterFrontEnd, tracker: INotebookTracker, translator: ITranslator | null) => {
    speakBy(translator);
    const opened = new Map<string, MainAreaWidget>();
    let count = 0;

    const open = async (panel: NotebookPanel, tensor: OpenPayload, name?: string): Promise<void> => {
      const key = `${panel.id} ${tensor.id}`;
      const known = opened.get(key);
      if (known !== undefined && !known.isDisposed) return shell.activateById(known.id);
      const { viewerOf } = await import("./notebook-side.ts");
      const tab = new MainAreaWidget({ content: viewerOf(panel, tensor) });
      tab.id = `warpcell-viewer-${count++}`;
      tab.title.label = name ?? `[${tensor.shape.join(", ")}]`;
      tab.title.caption = trans.__("Tensor %1 of %2", tab.title.label, panel.title.label);
      tab.title.closable = true;
      tab.toolbar.hide();
      // Beside the notebook, where there is a viewer already as a tab of the same place.
      const beside = [...opened.values()].find(({ isAttached }) => isAttached);
      opened.set(key, tab);
      panel.disposed.connect(() => tab.dispose());
      tab.disposed.connect(() => opened.delete(key));
      if (beside === undefined) addTab(shell, tab, { mode: "split-right", ref: panel.id });
      else addTab(shell, tab, { mode: "tab-after", ref: beside.id });
    };

    commands.addCommand(openTensor, {
      label: () => `Warpcell: ${trans.__("Open a tensor")}`,
      execute: async (args) => {
        const { tensor, notebook, name } = args as unknown as Partial<OpenRequest>;
        const panel = tracker.find(({ id }) => id === notebook);
        const checked = checkOpen(tensor);
        if (panel !== undefined && checked.ok) await open(panel, checked.value, name);
      },
    });

    /** A cell of the notebook's kernel asks for a viewer. */
    const listen = (panel: NotebookPanel): void => {
      const register = (kernel: Kernel.IKernelConnection | null | undefined): void =>
        kernel?.registerCommTarget(viewerTarget, (comm: Kernel.IComm, { content }: KernelMessage.ICommOpenMsg) => {
          const checked = checkOpen(content.data);
          comm.close();
          if (!checked.ok)
            return void Notification.error(shownText(checked.problem, mostCharacters), { autoClose: 10_000 });
          const { name } = content.data as { name?: unknown };
          return open(panel, checked.value, typeof name === "string" ? shownText(name, 80) : undefined);
        });
      panel.sessionContext.kernelChanged.connect((_sender, { newValue }) => register(newValue));
      register(panel.sessionContext.session?.kernel);
    };
    tracker.forEach(listen);
    tracker.widgetAdded.connect((_tracker, panel) => listen(panel));
  },
};

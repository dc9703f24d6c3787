// Helps with writing cells: says what stands under the pointer and which call is written, completes with imports, names the
// parameters of kernels, goes to definitions, renames, formats.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import type { IEditorExtensionFactory } from "@jupyterlab/codemirror";
import { EditorExtensionRegistry, IEditorExtensionRegistry } from "@jupyterlab/codemirror";
import { ICompletionProviderManager } from "@jupyterlab/completer";
import { INotebookTracker, NotebookActions } from "@jupyterlab/notebook";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator } from "@jupyterlab/translation";
import { speakBy } from "../drawing/trans.ts";
import { addCommands, definitionCommand } from "./commands.ts";
import { Completions } from "./completion.ts";
import { ctrlClick } from "./ctrl-click.ts";
import { Help } from "./help.ts";
import { hovers } from "./hover.ts";
import { parameterHints } from "./parameter-hints.ts";
import { popups } from "./popup.ts";
import { settingsFrom } from "./settings.ts";
import { signatureHelp } from "./signature-help.ts";

const id = "@warpcell/jupyterlab:editor";

/** JupyterLab's name for Markdown, whose cells are not asked about. */
const markdown = "text/x-ipythongfm";

export const editor: JupyterFrontEndPlugin<void> = {
  id,
  description: "Helps with writing cells: hover, signatures, imports, definitions, references, rename, format.",
  autoStart: true,
  requires: [IEditorExtensionRegistry, INotebookTracker, IRenderMimeRegistry],
  optional: [ICompletionProviderManager, ISettingRegistry, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    extensions: IEditorExtensionRegistry,
    tracker: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    completers: ICompletionProviderManager | null,
    settings: ISettingRegistry | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    speakBy(translator);
    const help = new Help(rendermime);
    const completions = new Completions(help);
    completers?.registerProvider(completions);
    extensions.addExtension({
      name: id,
      factory: ({ model }: IEditorExtensionFactory.IOptions) =>
        model.mimeType === markdown
          ? null
          : EditorExtensionRegistry.createImmutableExtension([
              popups,
              hovers(help, model),
              signatureHelp(help, model),
              parameterHints(help, model),
              completions.imports(model),
              ctrlClick(help, model, () => void app.commands.execute(definitionCommand)),
            ]),
    });
    addCommands(app, palette, tracker, help);
    tracker.forEach((panel) => help.serve(panel));
    tracker.widgetAdded.connect((_tracker, panel) => help.serve(panel));
    // What a kernel takes is known once its cell has run.
    NotebookActions.executed.connect(() => help.changed());
    void settings?.load(id).then((loaded) => {
      const read = () => {
        help.settings = settingsFrom((name) => loaded.get(name).composite);
        help.changed();
      };
      loaded.changed.connect(read);
      read();
    });
  },
};

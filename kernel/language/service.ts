// Type errors, completions and hovers for the code of cells, from a type checker in a process of its own.
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { isCuda } from "./cell.ts";
import { checked, drafted, edited, root, CellsProgram, type Wrapped } from "./cells-program.ts";
import { checkerExecutable } from "./checker-executable.ts";
import { choose, completionOf, prefixAt, type Completion, type CompletionItem } from "./complete.ts";
import { completeMagic, withoutMagics } from "./complete-magic.ts";
import { diagnosticsOf, filesThatAreNoModules, type Diagnostic, type Mistake } from "./diagnostics.ts";
import { declarationsOf } from "./declarations.ts";
import { Drafts } from "./drafts.ts";
import { configuration, configurationFile, globals, globalsFile } from "./environment.ts";
import { calleeBefore, fromHover, fromSignature, nameAt, nothing, withSource, type Inspection } from "./inspect.ts";
import { LocalFiles, type FileChange } from "./local-files.ts";
import { LspClient } from "./lsp-client.ts";
import { Questions } from "./questions.ts";

export type { Completion, Diagnostic, Inspection, Mistake };
export { isComplete } from "./is-complete.ts";

/** Signatures cost a request each; more than so many matches are not read anyway. */
const signaturesShown = 16;

const capabilities = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    diagnostic: {},
    completion: { completionItem: { snippetSupport: false, documentationFormat: ["markdown"] } },
    hover: { contentFormat: ["markdown"] },
    signatureHelp: { signatureInformation: { documentationFormat: ["markdown"] } },
  },
};

/** Loads what nearly every notebook needs before its first cell asks. */
const warmUp = `import * as library from "warpcell"; import fs from "node:fs"; console.log(library, fs, [1].map(String));`;

/**
 * The types of one notebook. Never throws and never waits longer than 2 s: without the checker, or when it takes
 * longer, answers are empty and a line on stderr says why.
 */
export class TypeService {
  readonly #program = new CellsProgram();
  readonly #drafts = new Drafts(this.#program);
  readonly #directory: string;
  readonly #files: LocalFiles;
  readonly #client: LspClient;
  readonly #reported = new Set<string>();
  readonly #known = new Set<string>();
  readonly #checks: Questions;
  readonly #edits: Questions;
  readonly #writing: Questions;
  #shownDrafts: readonly string[] = [];
  /** The checker knows all cells that ran. */
  #isShown = true;
  #warm = false;

  /**
   * `directory`: where the imports of the notebook resolve from, its own folder. `bound`: another limit than 2 s, for
   * whoever wants the answer itself.
   */
  constructor(options: { directory: string; bound?: number }) {
    this.#directory = options.directory;
    this.#files = new LocalFiles(options.directory);
    this.#checks = new Questions((sentence) => this.#report(sentence));
    this.#edits = new Questions((sentence) => this.#report(sentence));
    this.#writing = new Questions((sentence) => this.#report(sentence));
    this.#client = new LspClient({
      executable: checkerExecutable(),
      directory: options.directory,
      bound: options.bound,
      capabilities,
      // Left to itself it runs `npm install` for types in the background, where there may be no network, and offers
      // what any package exports, which takes seconds to find and is no name here: what completes a name cannot write
      // its import.
      initializationOptions: {
        disablePushDiagnostics: true,
        userPreferences: { disableAutomaticTypeAcquisition: true, includeCompletionsForModuleExports: false },
      },
      report: (sentence) => this.#report(sentence),
    });
  }

  /** Starts the checker. It is started again when it dies and ends with this process. */
  start(): void {
    const files = [root, edited, ...Object.values(checked), ...Object.values(drafted)];
    this.#client.setDocument(this.#uri(configurationFile), "json", configuration(files, this.#directory));
    this.#client.setDocument(this.#uri(globalsFile), "typescript", globals);
    for (const name of [root, edited]) this.#client.setDocument(this.#uri(name), "typescript", "export {};\n");
    for (const { javascript } of [checked, drafted])
      this.#client.setDocument(this.#uri(javascript), "javascript", "export {};\n");
    this.#client.setDocument(this.#uri(drafted.typescript), "typescript", "export {};\n");
    this.#client.setDocument(this.#uri(checked.typescript), "typescript", warmUp);
    this.#client.start();
    void this.#findings(checked.typescript).then((result) => {
      this.#warm = result !== null;
    });
  }

  /** It has answered its first question; before that, answers may take longer. */
  get warm(): boolean {
    return this.#warm && this.#client.running;
  }

  /** The checker's process while it runs. */
  get processId(): number | null {
    return this.#client.processId;
  }

  stop(): void {
    this.#client.stop();
  }

  /**
   * Type errors of a cell that is about to run. `code` is TypeScript with magics blanked; code that does not parse has
   * none.
   */
  async diagnose(cell: number, code: string): Promise<Diagnostic[]> {
    // Both are of now: when the checker comes to it, later cells may have redeclared what this one uses.
    const wrapped = this.#program.forCheck(code);
    if (wrapped === null) return [];
    const setting = this.#program.setting(code, wrapped.language === "javascript");

    return this.#checks.ask([], async () => {
      this.#noticeFiles(code);
      this.#show(wrapped);
      const first = await this.#findings(wrapped.name);
      const unread = filesThatAreNoModules(first);
      // A package's file may have been read while it was being written.
      this.#tellChanged(unread.map((path) => ({ path, type: 2 })));
      const result = unread.length === 0 ? first : await this.#findings(wrapped.name);
      this.#warm ||= result !== null;
      return diagnosticsOf(cell, wrapped, setting, result);
    });
  }

  /**
   * Mistakes in a cell that is being written, whose text may hold magics, behind the cells `before`: those that have
   * not run are taken as they are written. `null`: the checker has not answered.
   */
  mistakes(text: string, before: readonly string[]): Promise<Mistake[] | null> {
    return this.#writing.ask<Mistake[] | null>(null, async () => {
      const draft = this.#drafts.of(text, before);
      if (draft === null) return [];
      this.#noticeFiles(text);
      for (const module of draft.modules)
        this.#client.setDocument(this.#uri(module.name), module.language, module.text);
      this.#show(draft.wrapped);
      const result = await this.#findings(draft.wrapped.name);
      const names = draft.modules.map(({ name }) => name);
      for (const name of this.#shownDrafts) if (!names.includes(name)) this.#client.closeDocument(this.#uri(name));
      this.#shownDrafts = names;
      return result === null ? null : draft.mistakes(result);
    });
  }

  /** The cell ran: later cells see its declarations, the newest of each name. */
  commit(cell: number, code: string): void {
    this.#program.add(cell, code);
    this.#drafts.ran(code);
    this.#isShown = false;
  }

  /** Names that a cell declares without TypeScript text: the kernels of a `%%cuda` cell, as `declare const …`. */
  declare(cell: number, declarations: { name: string; text: string }[]): void {
    if (declarations.length === 0) return;
    this.#program.declare(cell, declarations);
    this.#drafts.ran(null);
    this.#isShown = false;
  }

  /**
   * What may stand at `offset` (UTF-16) of the code being written. Nothing is run. `start` … `end`: the text that a
   * match replaces.
   */
  complete(code: string, offset: number): Promise<{ matches: Completion[]; start: number; end: number }> {
    const magic = completeMagic(code, offset);
    if (magic !== null) return Promise.resolve(magic);

    const none = { matches: [], start: offset, end: offset };
    return this.#edits.ask(none, async () => {
      if (isCuda(code)) return none;
      const text = withoutMagics(code);
      const wrapped = this.#program.forEdit(text, prefixAt(text, offset));
      this.#noticeFiles(text);
      this.#show(wrapped);
      const result = await this.#client.request("textDocument/completion", {
        ...this.#place(wrapped, text, offset),
        context: { triggerKind: 1 },
      });
      const { items, start } = choose(text, offset, result);
      const detailed = await Promise.all(
        items.map((item, index) =>
          index < signaturesShown && items.length <= 4 * signaturesShown ? this.#detailed(item) : item,
        ),
      );
      const matches = detailed.map((item) => completionOf(item, start, offset)).map((match) => this.#withKind(match));
      return { matches, start, end: offset };
    });
  }

  /**
   * What stands at `offset` (UTF-16) of the code: type and documentation; within the arguments of a call, the function.
   * Detail 1 adds a cell's source.
   */
  inspect(code: string, offset: number, detail: 0 | 1): Promise<Inspection> {
    return this.#edits.ask(nothing, async () => {
      if (isCuda(code)) return nothing;
      const text = withoutMagics(code);
      const wrapped = this.#program.forEdit(text, "");
      this.#show(wrapped);
      const found = await this.#describe(wrapped, text, offset);
      const name = nameAt(text, offset);
      if (detail === 0 || name === null) return found;

      const own = declarationsOf(text)?.declarations.find((declaration) => declaration.name === name);
      const declaration = own ?? this.#program.declarationOf(name);
      return declaration === null ? found : withSource(found, declaration.source);
    });
  }

  /** What a name is: one of the notebook, else one of the library, or a member of its tensors. */
  async explain(name: string, detail: 0 | 1): Promise<Inspection> {
    const member = name.replace(/^Tensor\.(?=.)/, "");
    const setting = 'import * as $library from "warpcell"; declare const $tensor: $library.Tensor<"float32">;\n';
    for (const code of [name, `${setting}$library.${name}`, `${setting}$tensor.${member}`]) {
      const { found, text, markdown } = await this.inspect(code, code.length, detail);
      if (found)
        return { found, text: text.replaceAll("$library.", ""), markdown: markdown.replaceAll("$library.", "") };
    }
    return nothing;
  }

  async #describe(wrapped: Wrapped, code: string, offset: number): Promise<Inspection> {
    const place = this.#place(wrapped, code, offset);
    const hover = fromHover(await this.#client.request("textDocument/hover", place));
    if (hover.found) return hover;
    const type = await this.#describeType(code, offset);
    if (type.found) return type;
    const call = fromSignature(await this.#client.request("textDocument/signatureHelp", place));
    if (call.found || offset === 0) return call;
    const callee = calleeBefore(code, offset);
    return callee === offset
      ? nothing
      : fromHover(await this.#client.request("textDocument/hover", this.#place(wrapped, code, callee)));
  }

  /** Where a value may stand, the checker says nothing of a name that is only a type. */
  async #describeType(code: string, offset: number): Promise<Inspection> {
    const name = nameAt(code, offset);
    if (name === null) return nothing;
    const asked = `${code}\n;type $asked = ${name}`;
    const wrapped = this.#program.forEdit(asked, "");
    this.#show(wrapped);
    const found = fromHover(
      await this.#client.request("textDocument/hover", this.#place(wrapped, asked, asked.length)),
    );
    this.#show(this.#program.forEdit(code, ""));
    return found.text.endsWith("= /*unresolved*/ any") ? nothing : found;
  }

  /**
   * To a cell, everything that comes from another one is an import; what kind of declaration that is, the other cell
   * says.
   */
  #withKind(match: Completion): Completion {
    if (match.type !== "variable") return match;
    const source = this.#program.declarationOf(match.text)?.source ?? "";
    const keyword =
      /^(?:export\s+|declare\s+|async\s+|abstract\s+)*(const|let|var|class|function|enum|interface|type|namespace)\b/.exec(
        source,
      )?.[1];
    return keyword === undefined ? match : { ...match, type: keyword };
  }

  async #detailed(item: CompletionItem): Promise<CompletionItem> {
    return ((await this.#client.request("completionItem/resolve", item)) as CompletionItem | null) ?? item;
  }

  #findings(name: string): Promise<unknown> {
    return this.#client.request("textDocument/diagnostic", { textDocument: { uri: this.#uri(name) } });
  }

  #show(wrapped: Wrapped): void {
    this.#showModules();
    this.#client.setDocument(this.#uri(wrapped.name), wrapped.language, wrapped.text);
  }

  /** Once for all cells that ran since the last question: the checker takes its time for each change. */
  #showModules(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    const modules = this.#program.modules();
    const names = new Set(modules.map(({ name }) => name));
    for (const { name, language, text } of modules) {
      this.#client.setDocument(this.#uri(name), language, text);
      this.#known.add(name);
    }
    for (const name of this.#known) {
      if (names.has(name)) continue;
      this.#client.closeDocument(this.#uri(name));
      this.#known.delete(name);
    }
  }

  #noticeFiles(code: string): void {
    this.#tellChanged(this.#files.changes(code));
  }

  #tellChanged(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    this.#client.notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type })),
    });
  }

  #place(
    wrapped: Wrapped,
    code: string,
    offset: number,
  ): { textDocument: { uri: string }; position: { line: number; character: number } } {
    const lines = code.slice(0, offset).split("\n");
    return {
      textDocument: { uri: this.#uri(wrapped.name) },
      position: { line: wrapped.firstLine + lines.length - 1, character: lines.at(-1)!.length },
    };
  }

  #uri(name: string): string {
    return pathToFileURL(join(this.#directory, name)).href;
  }

  #report(sentence: string): void {
    if (this.#reported.has(sentence)) return;
    this.#reported.add(sentence);
    process.stderr.write(`${sentence}\n`);
  }
}

// Type errors, completions and hovers for the code of cells, from a type checker in a process of its own.
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { isCuda } from "./cell.ts";
import { checked, drafted, edited, linked, root, CellsProgram, type Module, type Wrapped } from "./cells-program.ts";
import { checkerExecutable } from "./checker-executable.ts";
import { choose, completionOf, prefixAt, type Completion, type CompletionItem } from "./complete.ts";
import { completeMagic, withoutMagics } from "./complete-magic.ts";
import { diagnosticsOf, filesThatAreNoModules, type Diagnostic, type Mistake } from "./diagnostics.ts";
import { declarationsOf } from "./declarations.ts";
import { Drafts, type Draft } from "./drafts.ts";
import { CellEditor, unanswered, type Asked } from "./editor/cell-editor.ts";
import { hoverAt, placeOf, type Documents, type Group } from "./editor/documents.ts";
import { withoutOffers } from "./editor/imports-offered.ts";
import { configuration, configurationFile, globals, globalsFile } from "./environment.ts";
import {
  calleeBefore,
  fromHover,
  fromSignature,
  inspection,
  nameAt,
  nothing,
  withSource,
  type Inspection,
} from "./inspect.ts";
import { LocalFiles, type FileChange } from "./local-files.ts";
import { LspClient } from "./lsp-client.ts";
import { Questions } from "./questions.ts";
import type { EditorAnswers, EditorQuestion } from "warpcell/payloads";

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

/** A cell that is run again and again, each time as another text, is no other cell. */
const deviceCellsKept = 64;

/** Enough for the cells of a long notebook, each as it is and as it was before the last changes. */
const findingsKept = 1024;

/** What the checker says of a module, and of a name of the notebook that has one. */
const isRoom = /^(?:module ".*"|(?:const|let|var) \S+: typeof \S+)$/;

/** Documents that the checker's configuration names: they stay, whatever they hold. */
const lasting = [edited];

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
  readonly #documents: Documents;
  readonly #editor: CellEditor;
  /** The code of `%%cuda` cells that ran, the newest last. */
  readonly #device = new Set<string>();
  /** What each group has the checker see beside the cells that ran. */
  readonly #shown = new Map<Group, readonly string[]>();
  /** Modules of linked cells that the checker has open. */
  readonly #linked = new Set<string>();
  /** What was found in drafts, by their keys: what one cell declares anew changes little in most others. */
  #found = new Map<string, unknown>();
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
      // Left to itself it runs `npm install` for types in the background, where there may be no network.
      initializationOptions: {
        disablePushDiagnostics: true,
        userPreferences: {
          disableAutomaticTypeAcquisition: true,
          includeCompletionsForModuleExports: true,
          includeInlayParameterNameHints: "all",
          includeInlayParameterNameHintsWhenArgumentMatchesName: false,
        },
      },
      report: (sentence) => this.#report(sentence),
    });
    this.#documents = {
      directory: options.directory,
      show: (group, modules) => this.#showOf(group, modules),
      link: (modules) => this.#link(modules),
      request: (method, parameters) => this.#client.request(method, parameters),
      uri: (name) => this.#uri(name),
      notice: (code) => this.#noticeFiles(code),
    };
    this.#editor = new CellEditor(this.#drafts, this.#documents, (match, program) => withKind(match, program));
  }

  /** Starts the checker. It is started again when it dies and ends with this process. */
  start(): void {
    const files = [root, edited, linked, ...Object.values(checked), ...Object.values(drafted)];
    this.#client.setDocument(this.#uri(configurationFile), "json", configuration(files, this.#directory));
    this.#client.setDocument(this.#uri(globalsFile), "typescript", globals);
    for (const name of [root, edited, linked]) this.#client.setDocument(this.#uri(name), "typescript", "export {};\n");
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
      // What a cell above imports it may hand on.
      this.#noticeFiles([...before, text].join("\n"));
      const result = this.#found.get(draft.key) ?? (await this.#find(draft));
      return result === null ? null : draft.mistakes(result);
    });
  }

  async #find({ key, modules, wrapped }: Draft): Promise<unknown> {
    const found = this.#found;
    this.#showOf("mistakes", modules);
    this.#show(wrapped);
    const result = await this.#findings(wrapped.name);
    if (result === null) return null;
    found.set(key, result);
    if (found.size > findingsKept) found.delete(found.keys().next().value!);
    return result;
  }

  /** The cell ran: later cells see its declarations, the newest of each name. */
  commit(cell: number, code: string): void {
    this.#program.add(cell, code);
    this.#ran(code);
  }

  /** Names that a cell declares without TypeScript text: the kernels of a `%%cuda` cell, as `declare const …`. */
  declare(cell: number, declarations: { name: string; text: string }[]): void {
    if (declarations.length === 0) return;
    this.#program.declare(cell, declarations);
    this.#ran(null);
  }

  #ran(code: string | null): void {
    this.#drafts.ran(code);
    // It may have installed packages.
    this.#found = new Map();
    this.#isShown = false;
  }

  /** A `%%cuda` cell ran: later ones may use what it declares. `code` is without its magic line. */
  commitDevice(code: string): void {
    this.#device.delete(code);
    this.#device.add(code);
    if (this.#device.size > deviceCellsKept) this.#device.delete(this.#device.values().next().value!);
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
      if (isCuda(code.trimStart())) return this.#completeDevice(code, offset);
      const text = withoutMagics(code);
      const wrapped = this.#program.forEdit(text, prefixAt(text, offset));
      this.#noticeFiles(text);
      this.#show(wrapped);
      const result = await this.#client.request("textDocument/completion", {
        ...placeOf(this.#documents, wrapped, text, offset),
        context: { triggerKind: 1 },
      });
      // What asks here cannot write an import.
      const { items, start } = choose(text, offset, withoutOffers(result));
      const detailed = await Promise.all(
        items.map((item, index) =>
          index < signaturesShown && items.length <= 4 * signaturesShown ? this.#detailed(item) : item,
        ),
      );
      const matches = detailed.map((item) => withKind(completionOf(item, start, offset), this.#program));
      return { matches, start, end: offset };
    });
  }

  /**
   * What stands at `offset` (UTF-16) of the code: type and documentation; within the arguments of a call, the function.
   * Detail 1 adds a cell's source.
   */
  inspect(code: string, offset: number, detail: 0 | 1): Promise<Inspection> {
    return this.#edits.ask(nothing, async () => {
      if (isCuda(code.trimStart())) return this.#inspectDevice(code, offset);
      const text = withoutMagics(code);
      const found = await this.#describe(text, offset);
      const name = nameAt(text, offset);
      if (detail === 0 || name === null) return found;

      const own = declarationsOf(text)?.declarations.find((declaration) => declaration.name === name);
      const declaration = own ?? this.#program.declarationOf(name);
      return declaration === null ? found : withSource(found, declaration.source);
    });
  }

  /** What an editor asks of cells that are being written. Nothing is run. */
  edit<Question extends EditorQuestion>(question: Question, asked: Asked): Promise<EditorAnswers[Question]> {
    return this.#edits.ask(unanswered[question], () => this.#editor.answer(question, asked));
  }

  /** What a name is: one of the notebook, else one of the library, a member of one of its classes, a tensor's or a kernel's. */
  async explain(name: string, detail: 0 | 1): Promise<Inspection> {
    const member = name.replace(/^Tensor\.(?=.)/, "");
    const setting = 'import * as $library from "warpcell"; declare const $tensor: $library.Tensor<"float32">;\n';
    const [, owner, last] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
    const isOfClass = owner !== undefined && /(?:^|\.)\p{Lu}[^.]*$/u.test(owner);
    const ofLibrary = [
      ...(isOfClass ? [`$library.${owner}.prototype.${last}`] : []),
      `$library.${name}`,
      `$tensor.${member}`,
      `$library.Kernel.prototype.${name}`,
    ];
    for (const code of [name, ...ofLibrary.map((each) => setting + each)]) {
      const { found, text, markdown } = await this.inspect(code, code.length, detail);
      if (found && isRoom.test(text)) return this.#explainRoom(name, code);
      if (found)
        return { found, text: text.replaceAll("$library.", ""), markdown: markdown.replaceAll("$library.", "") };
    }
    return nothing;
  }

  /** Of a room such as `nn` the checker says where its file is: what it holds says more. */
  async #explainRoom(name: string, code: string): Promise<Inspection> {
    const { matches } = await this.complete(`${code}.`, code.length + 1);
    const held = matches.map(({ text }) => text);
    return inspection(`${name} has ${held.join(", ")}.\n\n%help ${name}.${held[0]} says what one of them is.`);
  }

  /** A `%%cuda` cell behind those that ran. */
  #behindDevice(code: string, offset: number): Omit<Asked, "question"> {
    const before = [...this.#device].map((text) => `%%cuda${text}`);
    return { cells: [...before, code], cell: before.length, offset };
  }

  async #completeDevice(code: string, offset: number): Promise<{ matches: Completion[]; start: number; end: number }> {
    const asked = this.#behindDevice(code, offset);
    const { matches, start, end } = await this.#editor.answer("complete", { ...asked, question: "complete" });
    return {
      matches: matches.map(({ text, type, signature, documentation }) => {
        return { text, type, signature, documentation, start, end };
      }),
      start,
      end,
    };
  }

  async #inspectDevice(code: string, offset: number): Promise<Inspection> {
    const asked = this.#behindDevice(code, offset);
    const hover = await this.#editor.answer("hover", { ...asked, question: "hover" });
    if (hover !== null) return inspection(hover.markdown);
    const call = await this.#editor.answer("signature", { ...asked, question: "signature" });
    const signature = call?.signatures[call.active];
    return signature === undefined
      ? nothing
      : inspection(`\`\`\`c++\n${signature.label}\n\`\`\`\n\n${signature.markdown}`);
  }

  async #describe(code: string, offset: number): Promise<Inspection> {
    const wrap = (text: string) => this.#program.forEdit(text, "");
    const known = await hoverAt(this.#documents, { code, wrap, modules: [] }, offset);
    if (known.found) return known;
    const wrapped = wrap(code);
    const call = fromSignature(
      await this.#client.request("textDocument/signatureHelp", placeOf(this.#documents, wrapped, code, offset)),
    );
    if (call.found || offset === 0) return call;
    const callee = calleeBefore(code, offset);
    return callee === offset
      ? nothing
      : fromHover(await this.#client.request("textDocument/hover", placeOf(this.#documents, wrapped, code, callee)));
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

  /** Beside the cells that ran: these, and none that the group had shown before and no other group shows. */
  #showOf(group: Group, modules: readonly Module[]): void {
    this.#showModules();
    const before = this.#shown.get(group) ?? [];
    this.#shown.set(
      group,
      modules.map(({ name }) => name),
    );
    for (const { name, language, text } of modules) this.#client.setDocument(this.#uri(name), language, text);
    const shown = new Set([...[...this.#shown.values()].flat(), ...lasting]);
    for (const name of before) if (!shown.has(name)) this.#client.closeDocument(this.#uri(name));
  }

  /** What is not linked now is empty: the checker takes its time to open a document, and none to change it. */
  #link(modules: readonly Module[]): void {
    for (const { name } of modules) this.#linked.add(name);
    const imports = [...this.#linked].map((name) => `import "./${name}";\n`).join("");
    // The root comes first: a module that nothing imports would belong to no project.
    this.#client.setDocument(this.#uri(linked), "typescript", `${imports}export {};\n`);
    for (const { name, language, text } of modules) this.#client.setDocument(this.#uri(name), language, text);
    const shown = new Set(modules.map(({ name }) => name));
    for (const name of this.#linked)
      if (!shown.has(name)) this.#client.setDocument(this.#uri(name), "typescript", "export {};\n");
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
    this.#found = new Map();
    this.#client.notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type })),
    });
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

/**
 * To a cell, everything that comes from another one is an import; what kind of declaration that is, the other cell
 * says.
 */
function withKind(match: Completion, program: CellsProgram): Completion {
  if (match.type !== "variable") return match;
  const source = program.declarationOf(match.text)?.source ?? "";
  const keyword =
    /^(?:export\s+|declare\s+|async\s+|abstract\s+)*(const|let|var|class|function|enum|interface|type|namespace)\b/.exec(
      source,
    )?.[1];
  return keyword === undefined ? match : { ...match, type: keyword };
}

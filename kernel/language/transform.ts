// Transforms the TypeScript of one cell to a JavaScript function over the notebook's slots: text in, text out.
import MagicString from "magic-string";
import type {
  Class,
  ExportDefaultDeclaration,
  ImportDeclaration,
  Node,
  Program,
  Statement,
  VariableDeclaration,
} from "oxc-parser";
import { writeAround } from "./around.ts";
import { type Definition, definitionsOf } from "./definitions.ts";
import { boundNames, type Declared, isFunction } from "./hoisting.ts";
import { type Importing, importCall, importHead, isEmptyExport, isReexport } from "./imports.ts";
import { Initialisations } from "./initialisations.ts";
import { inserted, replaced } from "./inserted.ts";
import { Positions } from "./positions.ts";
import { type Analysis, analyse, type Reference } from "./references.ts";
import type { Scope } from "./scope.ts";
import { truthsBelow } from "./truths.ts";
import { asObjectLiteral, takeUsing, toJavaScript, toTree, type Using } from "./syntax.ts";

/**
 * What runs: `code` is an expression, a function of the helpers (cell-helpers.ts) and of the chunks of slots. Called,
 * it returns `{ value }` with the value of the last expression, or `undefined` when the cell does not end in one; a
 * promise of that when `isAsync`.
 */
export interface Transformed {
  code: string;
  isAsync: boolean;
  /** Number of slot objects that the function takes after the helpers. */
  chunks: number;
  /** The names that the cell declares at its top level. */
  declared: Map<string, Definition>;
  positions: Positions;
  /**
   * `origins[i]` is where the launch stands that sets `origin.current` to `firstOrigin + i`: an offset for
   * `positions.ofOffset`.
   */
  origins: readonly number[];
}

/** Statements that run others: calls within them are of their first line. */
const control: ReadonlySet<string> = new Set([
  "ForStatement",
  "ForOfStatement",
  "ForInStatement",
  "WhileStatement",
  "DoWhileStatement",
  "IfStatement",
  "SwitchStatement",
  "TryStatement",
  "BlockStatement",
]);
const anonymous = new Set(["ArrowFunctionExpression", "FunctionExpression", "ClassExpression"]);

/**
 * Transforms a cell and declares its names in `scope`. Throws CellSyntaxError with a position in the cell.
 * @param firstOrigin number of the cell's first launch site
 * @param folder the notebook's
 */
export function transform(source: string, scope: Scope, firstOrigin: number, folder: string): Transformed {
  const object = asObjectLiteral(source);
  const taken = takeUsing(object ?? source);
  // A first line for the shell is a comment to everybody else; of the same length, so that all positions stay.
  const { code, map, byTypeScript } = toJavaScript(taken.source.replace(/^#!/, "//"), "stay", folder);
  const program = toTree(code);
  const positions = { map, shift: object === null ? 0 : 1 };
  const analysis = byTypeScript ? withoutTemporaries(analyse(program), source) : analyse(program);
  return new CellRewriter({
    source,
    code,
    program,
    positions,
    using: taken.using,
    byTypeScript,
    analysis,
    scope,
    firstOrigin,
  }).rewrite();
}

/** Helpers and temporary variables that TypeScript adds stay in the cell: they are no names of the notebook. */
function withoutTemporaries(analysis: Analysis, source: string): Analysis {
  const written = new Set(source.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
  const temporary = new Set([...analysis.declared.keys()].filter((name) => !written.has(name)));
  return {
    ...analysis,
    declared: new Map([...analysis.declared].filter(([name]) => !temporary.has(name))),
    references: analysis.references.filter(({ name }) => !temporary.has(name)),
  };
}

interface Parts {
  source: string;
  /** The cell as JavaScript, printed by oxc, and its tree. */
  code: string;
  program: Program;
  positions: { map: ConstructorParameters<typeof Positions>[0]; shift: number };
  using: Using[];
  byTypeScript: boolean;
  analysis: Analysis;
  scope: Scope;
  firstOrigin: number;
}

class CellRewriter {
  readonly #parts: Parts;
  readonly #code: string;
  readonly #program: Program;
  readonly #analysis: Analysis;
  readonly #scope: Scope;
  readonly #output: MagicString;
  readonly #positions: Positions;
  readonly #declared: Map<string, Declared>;
  readonly #initialisations: Initialisations;
  /** Names of the helpers and of the slots start with this, which the cell itself never uses. */
  readonly #prefix: string;
  /** Runs before the first statement: what JavaScript hoists. */
  readonly #head: string[] = [];
  readonly #origins: number[] = [];
  #modules = 0;

  constructor(parts: Parts) {
    const { code, positions } = parts;
    this.#parts = parts;
    this.#code = code;
    this.#program = parts.program;
    this.#analysis = parts.analysis;
    this.#declared = parts.analysis.declared;
    this.#initialisations = new Initialisations(parts.program, parts.analysis);
    this.#scope = parts.scope;
    this.#output = new MagicString(code);
    this.#positions = new Positions(
      positions.map,
      () => this.#output.generateMap({ hires: "boundary" }),
      code,
      positions.shift,
    );
    let prefix = "$$";
    while (code.includes(prefix)) prefix += "$";
    this.#prefix = prefix;
  }

  rewrite(): Transformed {
    for (const [name, declared] of this.#declared)
      this.#scope.declare(name, declared === "const" || declared === "import" ? "constant" : "variable");
    this.#markLaunchers();
    this.#rewriteReferences();
    this.#rewriteExpressions();
    this.#rewriteLoops();
    for (const { start, end } of this.#analysis.importMetas) this.#output.overwrite(start, end, `${this.#prefix}.meta`);
    for (const node of this.#analysis.dynamicImports)
      this.#output.overwrite(node.start, node.start + "import".length, `${this.#prefix}.dynamic`);
    this.#rewriteVariables();
    for (const statement of this.#program.body) this.#rewriteStatement(statement);
    this.#returnLastValue();
    for (const statement of this.#program.body) this.#noteCalls(statement);

    const isAsync =
      this.#analysis.awaits ||
      this.#program.body.some((statement) => statement.type === "ImportDeclaration" || isReexport(statement));
    const chunks = this.#scope.chunks;
    const parameters = [this.#prefix, ...Array.from({ length: chunks }, (_, chunk) => this.#prefix + chunk)].join(", ");
    this.#head.push(
      this.#exposed(
        [...this.#declared]
          .filter(([, declared]) => declared === "var" || declared === "function" || declared === "import")
          .map(([name]) => name),
      ),
    );
    const [before, after] = this.#watch();
    this.#output
      .prepend(`(${isAsync ? "async " : ""}function (${parameters}) { "use strict"; ${before}${this.#head.join(" ")} `)
      .append(`\n${after}})`);
    return {
      code: this.#output.toString(),
      isAsync,
      chunks,
      declared: definitionsOf(this.#program, this.#analysis),
      positions: this.#positions,
      origins: this.#origins,
    };
  }

  #slot(name: string): string {
    return `${this.#prefix}${this.#scope.chunk(name)}.${name}`;
  }

  #isSlot(name: string): boolean {
    return this.#declared.has(name) || (this.#scope.has(name) && !this.#analysis.declared.has(name));
  }

  // References

  #rewriteReferences(): void {
    for (const reference of this.#analysis.references) {
      if (this.#isSlot(reference.name))
        this.#output.overwrite(reference.start, reference.end, this.#replacement(reference));
    }
  }

  #replacement(reference: Reference): string {
    const { name, form, start } = reference;
    const slot = this.#slot(name);
    const uninitialised = `${this.#prefix}.uninitialised(${JSON.stringify(name)})`;
    const earliness = this.#initialisations.earliness(reference);
    const mayBeEarly = earliness === "maybe";
    // A cell that failed before the declaration leaves functions behind that may read it when a later cell has given it
    // a value.
    const isReady = `${this.#flag(name)} && ${JSON.stringify(name)} in ${this.#prefix}${this.#scope.chunk(name)}`;
    const read =
      earliness === "surely" ? uninitialised : mayBeEarly ? `(${isReady} || ${uninitialised}, ${slot})` : slot;
    const target = this.#scope.isConstant(name) ? `${this.#prefix}.constant(${JSON.stringify(name)}).v` : slot;
    const initialised =
      this.#initialisations.watched.has(name) && this.#initialisations.isPattern(name)
        ? `({ set v(${this.#prefix}v) { ${slot} = ${this.#prefix}v; ${this.#flag(name)} = true; } }).v`
        : slot;
    switch (form) {
      case "read":
        return read;
      // Called as a member, the function would get the slots as its `this`.
      case "call":
        return mayBeEarly && !this.#scope.isLauncher(name)
          ? read
          : `(${this.#scope.isLauncher(name) ? this.#originAt(start) : "0"}, ${read})`;
      case "shorthand":
        return `${name}: ${read}`;
      case "write":
        return target;
      case "shorthandWrite":
        return `${name}: ${target}`;
      case "initialise":
        return initialised;
      case "shorthandInitialise":
        return `${name}: ${initialised}`;
    }
  }

  /** Whether the declaration of a watched name has run, or the cell has ended. */
  #flag(name: string): string {
    return `${this.#prefix}_${name}`;
  }

  #watch(): [before: string, after: string] {
    const flags = [...this.#initialisations.watched].map((name) => this.#flag(name));
    return flags.length === 0
      ? ["", ""]
      : [`let ${flags.join(", ")}; try { `, `} finally { ${flags.join(" = ")} = true; }`];
  }

  // Launches: the line of a launch is a number stored right before it, which costs no stack trace.

  #originAt(offset: number): string {
    this.#origins.push(offset);
    return `${this.#prefix}.origin.current = ${this.#parts.firstOrigin + this.#origins.length - 1}`;
  }

  /**
   * What is written around expressions: the line of a launch, what a tensor would answer as an object, and, since
   * nothing else can stop an async function that an interrupt found waiting, what is asked behind each `await`.
   */
  #rewriteExpressions(): void {
    const { conditions, equalities } = truthsBelow(this.#program, this.#code);
    const asked = (call: string, { start, end }: { start: number; end: number }, more = "") => ({
      start,
      end,
      open: this.#inserted(`${this.#prefix}.${call}(`),
      close: this.#inserted(`${more})`),
    });
    const around = [
      ...this.#analysis.launches.map((site) => ({ ...site, open: `(${this.#originAt(site.start)}, `, close: ")" })),
      ...this.#analysis.awaitExpressions.map((node) => asked("resumed", node)),
      ...conditions.map((condition) => asked("truth", condition, `, ${condition.isCall}`)),
      ...equalities.map((equality) => asked("loosely", equality, `, "${equality.operator.text}"`)),
    ];
    writeAround(this.#output, around);
    for (const { operator } of equalities)
      this.#output.overwrite(
        operator.start,
        operator.start + operator.text.length,
        replaced(operator.text, ",", this.#prefix),
      );
  }

  #rewriteLoops(): void {
    for (const { type, start, end } of this.#analysis.awaitBodies) {
      if (type === "BlockStatement") this.#output.appendLeft(start + 1, this.#inserted(` ${this.#prefix}.resumed();`));
      else
        this.#output
          .prependRight(start, this.#inserted(`{ ${this.#prefix}.resumed(); `))
          .appendLeft(end, this.#inserted(" }"));
    }
  }

  #inserted(code: string): string {
    return inserted(code, this.#prefix);
  }

  #markLaunchers(): void {
    for (const statement of this.#program.body) {
      if (statement.type !== "VariableDeclaration") continue;
      for (const { id, init } of statement.declarations) {
        const isOver =
          init?.type === "CallExpression" &&
          init.callee.type === "MemberExpression" &&
          init.callee.property.type === "Identifier" &&
          init.callee.property.name === "over";
        if (isOver && id.type === "Identifier") this.#scope.markLauncher(id.name);
      }
    }
  }

  // Declarations

  #rewriteVariables(): void {
    const statements = new Set<Node>(
      this.#program.body.map((statement) =>
        statement.type === "ExportNamedDeclaration" ? (statement.declaration ?? statement) : statement,
      ),
    );
    const hoisted = new Set<string>();
    for (const [name, declared] of this.#declared) if (declared === "var") hoisted.add(name);
    for (const name of hoisted)
      this.#head.push(
        `if (!(${JSON.stringify(name)} in ${this.#prefix}${this.#scope.chunk(name)})) ${this.#slot(name)} = undefined;`,
      );
    for (const variable of this.#analysis.variables) if (!statements.has(variable)) this.#rewriteDeclaration(variable);
  }

  /** `const a = 1, { b } = c;` becomes `($0.a = 1, { b: $0.b } = c);`. */
  #rewriteDeclaration(declaration: VariableDeclaration): void {
    const { declarations, start, end } = declaration;
    if (declarations.every(({ id }) => id.type === "Identifier" && !this.#declared.has(id.name))) return;
    const isStatement = this.#code[end - 1] === ";";
    const isLoopTarget = !isStatement && /^\s*(in|of)\b/.test(this.#code.slice(end));
    this.#output.overwrite(start, declarations[0]!.start, isLoopTarget ? "" : "(");
    for (const declarator of declarations) {
      const { id, init } = declarator;
      if (isLoopTarget) continue;
      if (id.type === "Identifier") this.#name(id.name, init);
      const using =
        id.type === "Identifier" && declaration.kind === "const"
          ? this.#parts.using.find(({ name }) => name === id.name)
          : undefined;
      // Each at once: the initialiser of the next may throw.
      if (init !== null && using !== undefined)
        this.#output.prependRight(init.start, `${this.#prefix}.using(`).appendLeft(init.end, `, ${using.isAsync})`);
      if (init !== null) this.#dropEnumReuse(declarator);
      else if (declaration.kind !== "var" || this.#isEnum(id)) this.#output.appendLeft(declarator.end, " = undefined");
      if (id.type === "Identifier" && this.#initialisations.watched.has(id.name))
        this.#output.appendLeft(declarator.end, `, ${this.#flag(id.name)} = true`);
    }
    if (isLoopTarget) return;
    this.#output.appendLeft(isStatement ? end - 1 : end, ")");
  }

  /** Assigned to a property, a function has no name; as a property of a literal it has that of the property. */
  #name(name: string, init: Node | null): void {
    if (init === null || !anonymous.has(init.type) || ("id" in init && init.id !== null)) return;
    this.#output.appendRight(init.start, `{ ${name}: `).appendLeft(init.end, ` }.${name}`);
  }

  /**
   * An enum that is declared again is a new one: oxc's `}(Color || {})` would go on with the members of the earlier
   * cell's.
   */
  #dropEnumReuse({ id, init }: VariableDeclaration["declarations"][number]): void {
    if (!/\benum\b/.test(this.#parts.source) || id.type !== "Identifier" || init?.type !== "CallExpression") return;
    const [argument] = init.arguments;
    if (argument?.type !== "LogicalExpression" || argument.left.type !== "Identifier" || argument.left.name !== id.name)
      return;
    if (argument.right.type === "ObjectExpression") this.#output.overwrite(argument.start, argument.end, "{}");
  }

  /** TypeScript declares an enum by `var`, and goes on with the one that there is. */
  #isEnum(id: Node): boolean {
    const { byTypeScript, source } = this.#parts;
    return (
      byTypeScript &&
      id.type === "Identifier" &&
      new RegExp(`\\b(?:enum|namespace)\\s+${id.name.replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`, "u").test(source)
    );
  }

  #rewriteStatement(statement: Statement | Program["body"][number]): void {
    switch (statement.type) {
      case "VariableDeclaration":
        this.#rewriteDeclaration(statement);
        if (statement.kind !== "var")
          this.#output.appendLeft(
            statement.end,
            ` ${this.#exposed(statement.declarations.flatMap(({ id }) => boundNames(id)))}`,
          );
        return;
      case "ExpressionStatement":
        if (
          statement.expression.type === "AssignmentExpression" &&
          statement.expression.operator === "=" &&
          statement.expression.left.type === "Identifier"
        ) {
          this.#name(statement.expression.left.name, statement.expression.right);
        }
        return;
      case "FunctionDeclaration":
        if (statement.id !== null) this.#head.push(`${this.#slot(statement.id.name)} = ${statement.id.name};`);
        return;
      case "ClassDeclaration":
        return this.#rewriteClass(statement);
      case "ImportDeclaration":
        return this.#rewriteImport(statement);
      case "ExportNamedDeclaration":
      case "ExportAllDeclaration":
        if (isReexport(statement))
          this.#head.push(`${importCall(statement.source, statement.start, this.#importing)};`);
        if (statement.type === "ExportAllDeclaration" || statement.declaration === null) {
          this.#output.remove(statement.start, statement.end);
          return;
        }
        this.#output.remove(statement.start, statement.declaration.start);
        return this.#rewriteStatement(statement.declaration as Statement);
      case "ExportDefaultDeclaration":
        return this.#rewriteDefault(statement);
      default:
        return;
    }
  }

  /** Library calls launch kernels too; at the top level a store per statement is cheap enough to name their line. */
  #noteCalls({ type, start, end }: Node): void {
    const isControl = control.has(type);
    if (!isControl && type !== "VariableDeclaration" && type !== "ExpressionStatement") return;
    const hasCall = this.#analysis.calls.some((call) => call >= start && call < end);
    const isNoted = !isControl && this.#analysis.launches.some((launch) => launch.start >= start && launch.end <= end);
    if (hasCall && !isNoted) this.#output.prependRight(start, `${this.#originAt(start)}; `);
  }

  #rewriteClass(statement: Class): void {
    if (statement.id === null) return;
    const { name } = statement.id;
    const flag = this.#initialisations.watched.has(name) ? `${this.#flag(name)} = true; ` : "";
    this.#output
      .appendRight(statement.start, `${this.#slot(name)} = `)
      .appendLeft(statement.end, `; ${flag}${this.#exposed([name])}`);
  }

  #exposed(names: readonly string[]): string {
    return names.length === 0 ? "" : `${this.#prefix}.expose(${names.map((name) => JSON.stringify(name)).join(", ")});`;
  }

  /** Nobody imports a cell: its default export is the value of a statement. */
  #rewriteDefault({ start, declaration }: ExportDefaultDeclaration): void {
    this.#output.remove(start, declaration.start);
    const isNamed =
      (isFunction(declaration) || declaration.type === "ClassDeclaration") &&
      "id" in declaration &&
      declaration.id !== null;
    if (isNamed) return this.#rewriteStatement(declaration as Statement);
    this.#output.prependRight(declaration.start, "void (").appendLeft(declaration.end, ");");
  }

  // Imports

  #rewriteImport(statement: ImportDeclaration): void {
    this.#output.remove(statement.start, statement.end);
    const used = new Set(this.#analysis.references.map(({ name }) => name));
    this.#head.push(...importHead(statement, this.#modules++, this.#importing, (name) => used.has(name)));
  }

  get #importing(): Importing {
    return { prefix: this.#prefix, slot: (name) => this.#slot(name), place: (offset) => this.#place(offset) };
  }

  #place(offset: number): { line: number; column: number } {
    return this.#positions.ofOffset(offset) ?? { line: 1, column: 1 };
  }

  // The value of the cell

  #returnLastValue(): void {
    const last = this.#program.body.findLast((statement) => !isEmptyExport(statement));
    if (last?.type !== "ExpressionStatement") return;
    // Of `a, b` the value is that of b; as a property of a literal an anonymous function would be called after it.
    const open = anonymous.has(last.expression.type) ? "(0, " : "(";
    this.#output
      .prependRight(last.start, `return { value: ${open}`)
      .appendLeft(this.#code[last.end - 1] === ";" ? last.end - 1 : last.end, ") }");
  }
}

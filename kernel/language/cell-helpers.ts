// What the JavaScript of a cell calls at run time: written into it by the transform, provided by the session.

/** What the code of a cell calls. The session provides it. */
export interface CellHelpers {
  /** Loads a module as `import` would from the notebook's directory. */
  import(
    specifier: string,
    options: ImportCallOptions | undefined,
    line: number,
    column: number,
  ): Promise<Record<string, unknown>>;
  /** `import(…)` of the cell, which V8 would not resolve. */
  dynamic(specifier: unknown, options?: ImportCallOptions): Promise<Record<string, unknown>>;
  /** Throws a SyntaxError: the cell uses a name that the module does not export. */
  missing(specifier: string, name: string, line: number, column: number): never;
  meta: ImportMeta;
  /** Throws a TypeError: the name is a constant. The return type lets it stand where a target of an assignment must. */
  constant(name: string): { v: unknown };
  /** Throws a ReferenceError: the name is used before its declaration. */
  uninitialised(name: string): never;
  /** These names have their values from here on: what is no code of this cell may find them. */
  expose(...names: string[]): void;
  /** Returns the value that code awaited; throws when its request was interrupted meanwhile. */
  resumed<T>(value?: T): T;
  /** Returns a value that a condition asks for. Throws for a tensor whose elements may be meant: see truths.ts. */
  truth<T>(value: T, isCall: boolean): T;
  /** `left == right` or `left != right`. Throws for two tensors. */
  loosely(left: unknown, right: unknown, operator: "==" | "!="): boolean;
  /** Returns the value of a `using` of the top level, to be disposed of when the cell ends. */
  using<T>(value: T, isAsync: boolean): T;
  origin: { current: number };
}

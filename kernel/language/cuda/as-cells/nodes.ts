// The parts of host code, as the reader of C++ finds them.

export interface TypeName {
  readonly words: readonly string[];
  readonly args: readonly (TypeName | Expression)[];
  /** `*` behind it, and `[]` where a parameter has them. */
  readonly stars: number;
  readonly isReference: boolean;
  readonly isConst: boolean;
}

export type Expression =
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "char"; readonly text: string }
  | { readonly kind: "name"; readonly name: string; readonly args: readonly (TypeName | Expression)[] | null }
  | { readonly kind: "unary"; readonly op: string; readonly of: Expression }
  | { readonly kind: "postfix"; readonly op: string; readonly of: Expression }
  | { readonly kind: "binary"; readonly op: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "assign"; readonly op: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "condition";
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly kind: "call"; readonly of: Expression; readonly args: readonly Expression[] }
  | { readonly kind: "index"; readonly of: Expression; readonly at: Expression }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "cast"; readonly type: TypeName; readonly of: Expression }
  | { readonly kind: "make"; readonly type: TypeName; readonly args: readonly Expression[]; readonly isList: boolean }
  | { readonly kind: "new"; readonly type: TypeName; readonly length: Expression | null }
  | { readonly kind: "sizeof"; readonly type: TypeName | null; readonly of: Expression | null }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | (Span & {
      readonly kind: "lambda";
      /** What it has copies of: the names, none for all; `null`: of nothing. */
      readonly copies: readonly string[] | null;
      readonly parameters: readonly Parameter[];
      /** As it is written behind the arrow. */
      readonly result: TypeName | null;
      readonly body: readonly Statement[];
    })
  | {
      readonly kind: "launch";
      readonly of: Expression;
      readonly sizes: readonly Expression[];
      readonly args: readonly Expression[];
    };

export interface Declarator {
  readonly name: string;
  readonly type: TypeName;
  readonly lengths: readonly (Expression | null)[];
  readonly first: Expression | null;
  /** `x(1, 2)`: what a constructor is given. */
  readonly args: readonly Expression[] | null;
}

/** Tokens from `from` to `to`, both included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export type Statement = Span &
  (
    | { readonly kind: "declaration"; readonly declarators: readonly Declarator[]; readonly isConst: boolean }
    | { readonly kind: "expression"; readonly of: Expression }
    | { readonly kind: "if"; readonly test: Expression; readonly yes: Statement; readonly no: Statement | null }
    | {
        readonly kind: "for";
        readonly first: Statement | null;
        readonly test: Expression | null;
        readonly step: Expression | null;
        readonly body: Statement;
      }
    | { readonly kind: "each"; readonly of: Declarator; readonly items: Expression; readonly body: Statement }
    | { readonly kind: "while"; readonly test: Expression; readonly body: Statement; readonly isLast: boolean }
    /** Without a label: default. */
    | { readonly kind: "switch"; readonly of: Expression; readonly cases: readonly Case[] }
    | { readonly kind: "block"; readonly body: readonly Statement[] }
    | { readonly kind: "return"; readonly of: Expression | null }
    | { readonly kind: "jump"; readonly word: "break" | "continue" }
    | { readonly kind: "empty" }
    /** What the reader does not know. */
    | { readonly kind: "unread"; readonly why: string }
  );

export interface Case {
  readonly label: Expression | null;
  readonly body: readonly Statement[];
}

export interface Parameter {
  readonly name: string;
  readonly type: TypeName;
  readonly first: Expression | null;
}

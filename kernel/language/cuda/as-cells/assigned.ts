// Which names code gives something to: what decides between `const` and `let`, and which vectors grow.
import type { Expression, Statement } from "./nodes.ts";

/** How often each name is assigned to, stepped, or handed over by its address. */
export function assignedIn(code: readonly (Statement | Expression | null)[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (of: unknown): void => {
    const name = nameOf(of);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  visit(code, (node) => {
    const { kind, op } = node as { kind?: string; op?: string };
    if (kind === "assign") count((node as { left: unknown }).left);
    else if (kind === "postfix" || (kind === "unary" && /^(\+\+|--|&)$/.test(op ?? "")))
      count((node as { of: unknown }).of);
    else if (kind === "call" && nameOf((node as { of: unknown }).of) === "swap")
      (node as { args: unknown[] }).args.forEach(count);
  });
  return counts;
}

const growing = /^(push_back|emplace_back|pop_back|clear|resize|insert|erase|assign)$/;

/** Vectors that get more elements than they begin with. */
export function growingIn(code: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  visit(code, (node) => {
    const { kind, name } = node as { kind?: string; name?: string };
    const owner = kind === "member" && growing.test(name ?? "") ? nameOf((node as { of: unknown }).of) : null;
    if (owner !== null) names.add(owner);
  });
  return names;
}

function nameOf(of: unknown): string | null {
  const { kind, name } = (of ?? {}) as { kind?: string; name?: string };
  return kind === "name" ? name! : null;
}

function visit(node: unknown, see: (node: object) => void): void {
  if (Array.isArray(node)) for (const each of node) visit(each, see);
  else if (typeof node === "object" && node !== null) {
    see(node);
    for (const each of Object.values(node)) if (typeof each === "object") visit(each, see);
  }
}

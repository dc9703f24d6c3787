// Tells what of a value cannot be written as JSON, where the cell that made it can still be told.

interface Fault {
  what: string;
  path: string[];
}

/**
 * Throws a TypeError that names the place of a bigint, or of an object that contains itself. `name` is how the value is
 * called.
 */
export function requireJson(value: unknown, name: string): void {
  const fault = faultOf(value, new Set());
  if (fault !== null)
    throw new TypeError(
      `JSON cannot hold ${name}: there is ${fault.what} at ${fault.path.map((key) => JSON.stringify(key)).join(" → ") || "its top"}.`,
    );
}

function faultOf(value: unknown, around: Set<object>): Fault | null {
  if (typeof value === "bigint")
    return { what: "a bigint, which JSON does not have (Number or String makes it something JSON has)", path: [] };
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return null;
  if (around.has(value)) return { what: "an object that contains itself", path: [] };
  around.add(value);
  for (const key of Object.keys(value)) {
    const fault = faultOf((value as Record<string, unknown>)[key], around);
    if (fault !== null) return { what: fault.what, path: [key, ...fault.path] };
  }
  around.delete(value);
  return null;
}

// A value as messages name it: turns whatever a user passed into a few words.

/** `1.5`, `2n`, `"text"`, `an array of 3`, `a host Float32Array`, `an object with x, y`, `a Tensor`. Never throws. */
export function worded(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value);
  if (ArrayBuffer.isView(value)) return `a host ${value.constructor.name}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Promise) return "a promise";
  const name =
    (typeof value === "object" && value !== null) || typeof value === "function"
      ? (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)?.constructor?.name
      : undefined;
  // Modules are functions of a class of their own.
  if (typeof value === "function" && (typeof name !== "string" || name.endsWith("Function"))) return "a function";
  if (typeof name === "string" && name !== "" && name !== "Object")
    return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
  if (typeof value === "object" && value !== null)
    return `an object with ${Object.keys(value).join(", ") || "no fields"}`;
  return String(value);
}

/** How a value that is no tensor becomes one. */
export const toBeTensor = (value: unknown): string =>
  value instanceof Promise
    ? "Write await before it."
    : value === null
      ? "A gradient is null before backward() and after zeroGrad()."
      : value === undefined
        ? "Perhaps a function returned nothing, or there is no property of that name."
        : "Make a tensor of it with tensor(…).";

/** {@link worded} with the elements of an array: `[2, -1]`. */
export function listed(value: unknown): string {
  return Array.isArray(value) ? `[${Array.from(value, worded).join(", ")}]` : worded(value);
}

/** For HTML and SVG, without what neither can hold. */
export function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, " ")
    .replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]!);
}

// Tells where TypeScript's own program for this machine is.
import { join } from "node:path";
import { packageFolder } from "./installed.ts";

/** Its path; where it should be, when it is not installed. */
export function checkerExecutable(): string {
  const name = `@typescript/typescript-${process.platform}-${process.arch}`;
  const folder = packageFolder(name);
  return join(folder ?? join("node_modules", name), "lib", "tsc");
}

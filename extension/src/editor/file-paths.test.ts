// Where a file lies that is named relative to a notebook's folder.
import { expect, test } from "vitest";
import { besides } from "./file-paths.ts";

test.each([
  ["a.ipynb", "shapes.ts", "shapes.ts"],
  ["folder/a.ipynb", "./shapes.ts", "folder/shapes.ts"],
  ["one/two/a.ipynb", "../shapes.ts", "one/shapes.ts"],
  ["RTC:one/a.ipynb", "lib/shapes.ts", "RTC:one/lib/shapes.ts"],
  ["one/a.ipynb", "../../shapes.ts", null],
])("beside %s, %s is %s", (notebook, file, path) => expect(besides(notebook, file)).toBe(path));

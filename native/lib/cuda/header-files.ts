// Where the headers that a source includes are.
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** How a source asks for a header: `<path>`, or `"path"`, which is looked for beside what includes it, too. */
export interface Included {
  readonly quoted: string | undefined;
  readonly angled: string | undefined;
}

/** The file of a header, or `null`. `beside`: the folder of what includes it, where it has one. */
export function headerFile(
  { quoted, angled }: Included,
  beside: string | null,
  folders: readonly string[],
): string | null {
  const path = (quoted ?? angled)!;
  const places = isAbsolute(path)
    ? [path]
    : [
        ...(quoted !== undefined && beside !== null ? [join(beside, path)] : []),
        ...folders.map((folder) => join(folder, path)),
      ];
  // A folder may have the name of a header: <vector>.
  return places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile()) ?? null;
}

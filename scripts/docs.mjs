// `npm run docs`: the site of documentation in docs/build, from the library's declarations and the guides. TypeDoc needs
// TypeScript 5 or 6, and lives with it in docs/node_modules, beside the project's own TypeScript.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { quietly, root, setup } from "./setup.mjs";

const docs = join(root, "docs");
export const site = join(docs, "build");

/** Makes the site. Rejects with what TypeDoc says of a link that leads nowhere. */
export async function makeSite() {
  await setup({ only: ["node packages", "library"] });
  const lock = "package-lock.json";
  const installed = join(docs, "node_modules", ".package-lock.json");
  const { packages } = JSON.parse(readFileSync(join(docs, lock), "utf8"));
  const { version } = packages["node_modules/typedoc"];
  const present = existsSync(installed) ? JSON.parse(readFileSync(installed, "utf8")).packages : {};
  if (present["node_modules/typedoc"]?.version !== version)
    await quietly("npm", ["ci", "--no-audit", "--no-fund", "--prefix", docs]);
  rmSync(site, { recursive: true, force: true });
  await quietly(process.execPath, [join("docs", "node_modules", "typedoc", "bin", "typedoc"), "--options", "docs"]);
}

/** Links of the site that lead to no page of it, and what it would load from elsewhere: `page → target`. */
export function brokenLinks() {
  const pages = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html"));
  return pages.flatMap((page) => {
    const html = readFileSync(join(site, page), "utf8");
    const links = [...html.matchAll(/<(\w+)[^>]*?\s(href|src)="([^"]+)"/g)];
    return links.flatMap(([, element, , target]) => {
      const isOutside = /^(https?:)?\/\//.test(target);
      // A reader may follow a link out of the site; the page itself loads nothing.
      if (isOutside || /^(mailto|data):/.test(target))
        return isOutside && element !== "a" ? [`${page} → ${target}`] : [];
      const [path] = target.split(/[?#]/);
      const file = path === "" ? page : relative(site, join(site, dirname(page), decodeURI(path)));
      return existsSync(join(site, file)) ? [] : [`${page} → ${target}`];
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await makeSite().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  console.log(`The site is ${join(site, "index.html")}`);
}

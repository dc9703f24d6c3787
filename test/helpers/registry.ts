// A registry of npm on this machine: packages that a test makes, over HTTP, with no network.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Files of a package; package.json has name and version, which are also those of the registry. */
export type PackageFiles = { "package.json": { name: string; version: string } & Record<string, unknown> } & Record<
  string,
  unknown
>;

/** Serves the packages until the test ends. Returns its URL. */
export async function openRegistry(packages: readonly PackageFiles[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-registry-"));
  const tarballs = packages.map((files, index) => pack(join(directory, String(index)), files));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const tarball = /^-\/(\d+)\.tgz$/.exec(path)?.[1];
    if (tarball !== undefined) return void response.end(tarballs[Number(tarball)]);
    const versions = packages.flatMap(({ "package.json": manifest }, index) =>
      manifest.name === path ? [{ ...manifest, dist: { tarball: `${url}-/${index}.tgz` } }] : [],
    );
    if (versions.length === 0) return void response.writeHead(404).end("{}");
    response.end(
      JSON.stringify({
        name: path,
        "dist-tags": { latest: versions.at(-1)!.version },
        versions: Object.fromEntries(versions.map((manifest) => [manifest.version, manifest])),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(directory, { recursive: true });
  });
  return url;
}

function pack(directory: string, files: PackageFiles): Buffer {
  mkdirSync(join(directory, "package"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, "package", name), typeof content === "string" ? content : JSON.stringify(content));
  execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: directory });
  return readFileSync(join(directory, "package.tgz"));
}

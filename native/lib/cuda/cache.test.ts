// The compile cache: whole entries or none, whatever the disk does.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CompileCache, cacheDirectory, cacheKey, cacheSize, clearCache } from "./cache.ts";

vi.mock("node:os", { spy: true });

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "warpcell-cache-")), "cache");
});
afterEach(() => {
  rmSync(join(directory, ".."), { recursive: true, force: true });
  vi.restoreAllMocks();
});

const entry = {
  artifact: new Uint8Array([1, 2, 3, 0, 255]),
  lowered: ["_Z4fillPfi", "k"],
  log: "warning: ünused",
  name: null,
  dependencies: { files: [["/a/b.h", "c0ffee"]], folders: ["/a"], others: [] },
} as const;
const key = cacheKey(["source"]);

test("what was put is got, byte by byte, by another cache on the same directory", () => {
  new CompileCache(directory).put(key, entry);
  const got = new CompileCache(directory).get(key)!;
  expect({ ...got, artifact: [...got.artifact] }).toEqual({ ...entry, artifact: [...entry.artifact] });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory)).toEqual([key]);
});

test("an unknown key is a miss without a warning", () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  expect(new CompileCache(directory).get(key)).toBeNull();
  expect(warned).not.toHaveBeenCalled();
});

test("keys tell their parts apart", () => {
  expect(cacheKey(["ab", "c"])).not.toBe(cacheKey(["a", "bc"]));
  expect(cacheKey(["ab"])).not.toBe(cacheKey(["ab", ""]));
});

test("a damaged entry is a miss, wherever the damage is", () => {
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  const path = join(directory, key);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 0x10;
    writeFileSync(path, damaged);
    expect(cache.get(key)).toBeNull();
    writeFileSync(path, whole.subarray(0, at));
    expect(cache.get(key)).toBeNull();
  }
  writeFileSync(path, whole);
  expect(cache.get(key)).not.toBeNull();
});

test("an entry under another's name is a miss", () => {
  const cache = new CompileCache(directory);
  const other = cacheKey(["other source"]);
  cache.put(key, entry);
  renameSync(join(directory, key), join(directory, other));
  expect(cache.get(other)).toBeNull();
});

const again = "They are compiled again each time.";

test.each<[string, string, () => void]>([
  [
    "belongs to another user",
    "the directory belongs to another user. AGAIN Set XDG_CACHE_HOME to a directory of your own.",
    () => {
      vi.spyOn(process, "getuid").mockReturnValue(process.getuid!() + 1);
    },
  ],
  [
    "others can write",
    "other users can write there. AGAIN Run chmod go-w DIRECTORY, or set XDG_CACHE_HOME to a directory of your own.",
    () => chmodSync(directory, 0o702),
  ],
  [
    "its group can write",
    "other users can write there. AGAIN Run chmod go-w DIRECTORY, or set XDG_CACHE_HOME to a directory of your own.",
    () => chmodSync(directory, 0o720),
  ],
])("a directory that %s is refused with a sentence, and nothing is written there", (_, sentence, change) => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  change();
  expect(cache.get(key)).toBeNull();
  cache.put(cacheKey(["another"]), entry);
  expect(readdirSync(directory)).toEqual([key]);
  expect(warned.mock.calls.map(([text]) => text)).toEqual([
    `Compiled kernels cannot be kept in ${directory}: ${sentence.replace("AGAIN", again).replace("DIRECTORY", directory)}`,
  ]);
});

test.each<[string, string, (path: string) => void]>([
  [
    "a link",
    "is not a plain file",
    (path) => {
      renameSync(path, `${path}.moved`);
      symlinkSync(`${path}.moved`, path);
    },
  ],
  [
    "a pipe",
    "is not a plain file",
    (path) => {
      rmSync(path);
      execFileSync("mkfifo", [path]);
    },
  ],
  [
    "a folder",
    "is not a plain file",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    "another user's",
    "belongs to another user",
    () => {
      const uid = process.getuid!();
      vi.spyOn(process, "getuid")
        .mockReturnValueOnce(uid)
        .mockReturnValue(uid + 1);
    },
  ],
])("an entry that is %s is refused with a sentence", (_, what, change) => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  change(join(directory, key));
  expect(cache.get(key)).toBeNull();
  expect(warned.mock.calls.map(([text]) => text)).toEqual([
    `Compiled kernels cannot be kept in ${directory}: ${join(directory, key)} ${what}. ${again} Remove it.`,
  ]);
});

test("an entry that another process prunes while it is read is a hit without a warning", () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  const uid = process.getuid!();
  vi.spyOn(process, "getuid")
    .mockReturnValueOnce(uid)
    .mockImplementation(() => {
      rmSync(join(directory, key));
      return uid;
    });
  expect(cache.get(key)).not.toBeNull();
  expect(warned).not.toHaveBeenCalled();
});

test("a directory that cannot be made warns once, in a sentence, and compiling goes on", () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  writeFileSync(directory, "a file where the directory should be");
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  cache.put(key, entry);
  expect(cache.get(key)).toBeNull();
  expect(warned).toHaveBeenCalledTimes(1);
  expect(warned.mock.calls[0]![0]).toMatch(
    /^Compiled kernels cannot be kept in .*: EEXIST.*\. They are compiled again each time\. Set XDG_CACHE_HOME to a directory that can be written\.$/,
  );
});

test("over the limit the least recently used entries go", () => {
  const cache = new CompileCache(directory, 3000);
  const big = { ...entry, artifact: new Uint8Array(1000) };
  const keys = ["a", "b", "c"].map((name) => cacheKey([name]));
  keys.forEach((each, index) => {
    new CompileCache(directory, 1e9).put(each, big);
    utimesSync(join(directory, each), 1000 + index, 1000 + index);
  });
  expect(cache.get(keys[0]!)).not.toBeNull();
  cache.put(key, big);
  expect(readdirSync(directory).sort()).toEqual([keys[0]!, key].sort());
});

test("the directory follows XDG_CACHE_HOME", () => {
  vi.stubEnv("XDG_CACHE_HOME", "/some/where");
  expect(cacheDirectory()).toBe("/some/where/warpcell");
  vi.stubEnv("XDG_CACHE_HOME", "");
  expect(cacheDirectory()).toMatch(/\/\.cache\/warpcell$/);
  vi.unstubAllEnvs();
});

test("the directory is the same from every folder, also where the environment names a relative one or no home, or the user has none", () => {
  const home = userInfo().homedir;
  vi.stubEnv("XDG_CACHE_HOME", "relative");
  vi.stubEnv("HOME", "/the/home");
  expect(cacheDirectory()).toBe("/the/home/.cache/warpcell");
  for (const without of ["", "relative", undefined]) {
    vi.stubEnv("HOME", without);
    expect(cacheDirectory()).toBe(join(home, ".cache/warpcell"));
  }
  vi.mocked(userInfo).mockImplementationOnce(() => {
    throw Object.assign(new Error("no such user"), { code: "ERR_SYSTEM_ERROR" });
  });
  expect(cacheDirectory()).toBe("/.cache/warpcell");
  vi.unstubAllEnvs();
});

test("the size of a cache is that of its entries, and clearing removes those alone", () => {
  expect(cacheSize(directory)).toEqual({ directory, files: 0, bytes: 0 });
  const cache = new CompileCache(directory);
  const other = cacheKey(["other"]);
  for (const each of [key, other]) cache.put(each, entry);
  const bytes = statSync(join(directory, key)).size + statSync(join(directory, other)).size;
  writeFileSync(join(directory, "mine.txt"), "mine");
  symlinkSync(join(directory, "mine.txt"), join(directory, cacheKey(["link"])));
  expect(cacheSize(directory)).toEqual({ directory, files: 2, bytes });
  expect(clearCache(directory)).toEqual({ directory, files: 2, bytes });
  expect(readdirSync(directory).sort()).toEqual([cacheKey(["link"]), "mine.txt"].sort());
  expect(cache.get(key)).toBeNull();
  cache.put(key, entry);
  expect(cacheSize(directory).files).toBe(1);
});

test("a cache that is no directory is said to be none", () => {
  writeFileSync(directory, "");
  expect(() => cacheSize(directory)).toThrow(`The compile cache ${directory} cannot be read: ENOTDIR`);
  expect(() => clearCache(directory)).toThrow(`The compile cache ${directory} cannot be cleared: ENOTDIR`);
});

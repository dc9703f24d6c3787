// The compile cache: whole entries or none, whatever the disk does.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CompileCache, cacheDirectory, cacheKey } from "./cache.ts";

vi.mock("node:os", { spy: true });

let directory: string;
beforeEach(() => { directory = join(mkdtempSync(join(tmpdir(), "warpcell-cache-")), "cache"); });
afterEach(() => { rmSync(join(directory, ".."), { recursive: true, force: true }); vi.restoreAllMocks(); });

const entry = { artifact: new Uint8Array([1, 2, 3, 0, 255]), lowered: ["_Z4fillPfi", "k"], log: "warning: ünused" };
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

test("an entry of another user is a miss", () => {
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  vi.spyOn(process, "getuid").mockReturnValue(process.getuid!() + 1);
  expect(cache.get(key)).toBeNull();
});

test("an entry that another process prunes while it is read is a hit without a warning", () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const cache = new CompileCache(directory);
  cache.put(key, entry);
  const uid = process.getuid!();
  vi.spyOn(process, "getuid").mockImplementation(() => { rmSync(join(directory, key)); return uid; });
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
  expect(warned.mock.calls[0]![0]).toMatch(/^Expected to keep compiled kernels in .* but got ".*"\. Kernels are compiled again each time; set XDG_CACHE_HOME/);
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
  vi.mocked(userInfo).mockImplementationOnce(() => { throw Object.assign(new Error("no such user"), { code: "ERR_SYSTEM_ERROR" }); });
  expect(cacheDirectory()).toBe("/.cache/warpcell");
  vi.unstubAllEnvs();
});

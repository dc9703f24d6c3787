// Compiled artifacts on disk: turns a key into what was compiled under it, whole or not at all. A cache that cannot be
// used, or that others can write, is a miss.
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { WarpcellError } from "../errors.ts";
import type { CacheSize } from "../payloads.ts";
import type { Dependencies } from "./dependencies.ts";

/** What a compiler made of a source. */
export interface CachedCompilation {
  readonly artifact: Uint8Array;
  readonly lowered: readonly string[];
  readonly log: string;
}

/** With what must not have changed: the files that were read, and the name of the source where the code says it. */
export interface CacheEntry extends CachedCompilation {
  readonly dependencies: Dependencies;
  readonly name: string | null;
}

/** Counts up when entries change their form or meaning. */
const schema = 4;
const checksumBytes = 32;
const defaultLimit = 512 * 2 ** 20;
/** Entries are pruned when this many have been written, and at the first one. */
const pruneEvery = 64;

/**
 * `$XDG_CACHE_HOME/warpcell`, or `~/.cache/warpcell`. A relative path, which the standard ignores, would be another
 * folder beside each notebook.
 * @example
 * typeof cacheDirectory(); // → 'string'
 */
export function cacheDirectory(): string {
  const named = process.env["XDG_CACHE_HOME"] ?? "";
  return join(isAbsolute(named) ? named : join(home(), ".cache"), "warpcell");
}

/** The user's home; the root directory for a user that has none, as containers have it. */
function home(): string {
  const named = process.env["HOME"] ?? "";
  if (isAbsolute(named)) return named;
  try {
    return userInfo().homedir;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SYSTEM_ERROR") return "/";
    throw error;
  }
}

/** The key of everything that decides what a compilation gives. */
export function cacheKey(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256").update(`warpcell ${schema}\0`);
  for (const part of parts) hash.update(`${part.length}\0`).update(part);
  return hash.digest("hex");
}

/** Entries alone: what else lies there is not ours. */
const entryName = /^[0-9a-f]{64}$/;

function entriesIn(directory: string): { path: string; bytes: number }[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => entryName.test(name))
    .flatMap((name) => {
      const path = join(directory, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, bytes: stat.size }] : [];
    });
}

const sizeOf = (directory: string, entries: readonly { bytes: number }[]): CacheSize => ({
  directory,
  files: entries.length,
  bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** What lies in the cache. Throws WarpcellError where it cannot be read. */
export function cacheSize(directory = cacheDirectory()): CacheSize {
  return attempted("read", directory, () => sizeOf(directory, entriesIn(directory)));
}

/**
 * Removes all entries, and says what they were. What is loaded stays loaded; what is compiled next is compiled anew.
 * Throws WarpcellError where they cannot be removed.
 */
export function clearCache(directory = cacheDirectory()): CacheSize {
  return attempted("cleared", directory, () => {
    const entries = entriesIn(directory);
    for (const { path } of entries) rmSync(path, { force: true });
    return sizeOf(directory, entries);
  });
}

function attempted<R>(deed: string, directory: string, body: () => R): R {
  try {
    return body();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WarpcellError("CACHE", `The compile cache ${directory} cannot be ${deed}: ${reason}.`, { cause: error });
  }
}

/**
 * Entries in one directory, each a file: SHA-256 of the rest, length of the description, the description as JSON (its
 * key, too), the artifact.
 */
export class CompileCache {
  readonly directory: string;
  readonly #limit: number;
  #written = 0;
  #warned = false;

  /** `limit`: bytes of all entries; the least recently used go first. */
  constructor(directory: string, limit = defaultLimit) {
    this.directory = directory;
    this.#limit = limit;
  }

  /**
   * What was stored under `key`; `null` for nothing and for a damaged entry, with a warning for one that is no plain
   * file of this user, or lies where others can write.
   */
  get(key: string): CacheEntry | null {
    const path = this.#path(key);
    let bytes: Buffer;
    try {
      if (!this.#isOwn()) return null;
      // Without waiting for who writes a pipe, and not through a link.
      const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stat = fstatSync(file);
        if (!stat.isFile()) return this.#refuse(`${path} is not a plain file`, "Remove it");
        if (stat.uid !== (process.getuid?.() ?? stat.uid))
          return this.#refuse(`${path} belongs to another user`, "Remove it");
        bytes = readFileSync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ELOOP") return this.#refuse(`${path} is not a plain file`, "Remove it");
      if (code !== "ENOENT") this.#warn(error);
      return null;
    }
    const entry = decode(bytes, key);
    if (entry !== null) this.#touch(path);
    return entry;
  }

  /**
   * Stores an entry; it appears whole or not at all. A directory that cannot be written is one warning. Nothing waits
   * for the disk: after a crash of the system the checksum tells what did not reach it.
   */
  put(key: string, entry: CacheEntry): void {
    const path = this.#path(key);
    const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      if (!this.#isOwn()) return;
      const file = openSync(temporary, "wx", 0o600);
      try {
        const bytes = encode(key, entry);
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
      if (this.#written++ % pruneEvery === 0) this.#prune();
    } catch (error) {
      this.#warn(error);
      if (existsSync(temporary)) rmSync(temporary);
    }
  }

  /** False, with a warning, for a directory in which another user may have laid something. */
  #isOwn(): boolean {
    const stat = statSync(this.directory, { throwIfNoEntry: false });
    if (stat === undefined || process.getuid === undefined) return true;
    if (stat.uid !== process.getuid())
      this.#refuse("the directory belongs to another user", "Set XDG_CACHE_HOME to a directory of your own");
    else if ((stat.mode & 0o022) !== 0)
      this.#refuse(
        "other users can write there",
        `Run chmod go-w ${this.directory}, or set XDG_CACHE_HOME to a directory of your own`,
      );
    else return true;
    return false;
  }

  #path(key: string): string {
    return join(this.directory, key);
  }

  #touch(path: string): void {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch (error) {
      // It was read all the same: another process pruned it meanwhile, or the disk takes no writing, of which put()
      // warns.
      if (!["ENOENT", "EROFS", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? ""))
        this.#warn(error);
    }
  }

  #prune(): void {
    const files = readdirSync(this.directory).map((name) => ({
      path: join(this.directory, name),
      stat: statSync(join(this.directory, name), { throwIfNoEntry: false }),
    }));
    const entries = files
      .flatMap(({ path, stat }) => (stat?.isFile() ? [{ path, bytes: stat.size, used: stat.mtimeMs }] : []))
      .sort((a, b) => b.used - a.used);
    let total = 0;
    for (const { path, bytes } of entries) {
      total += bytes;
      if (total > this.#limit) rmSync(path, { force: true });
    }
  }

  #warn(error: unknown): void {
    this.#refuse(
      error instanceof Error ? error.message : String(error),
      "Set XDG_CACHE_HOME to a directory that can be written",
    );
  }

  #refuse(reason: string, advice: string): null {
    if (this.#warned) return null;
    this.#warned = true;
    process.emitWarning(
      `Compiled kernels cannot be kept in ${this.directory}: ${reason}. They are compiled again each time. ${advice}.`,
      { code: "WARPCELL_CACHE" },
    );
    return null;
  }
}

function encode(key: string, { artifact, ...described }: CacheEntry): Buffer {
  const description = Buffer.from(JSON.stringify({ key, ...described }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  const body = Buffer.concat([length, description, artifact]);
  return Buffer.concat([createHash("sha256").update(body).digest(), body]);
}

function decode(bytes: Buffer, key: string): CacheEntry | null {
  if (bytes.length < checksumBytes + 4) return null;
  const body = bytes.subarray(checksumBytes);
  if (!createHash("sha256").update(body).digest().equals(bytes.subarray(0, checksumBytes))) return null;
  const end = 4 + body.readUInt32LE(0);
  const { key: own, ...described } = JSON.parse(body.subarray(4, end).toString()) as Omit<CacheEntry, "artifact"> & {
    key: string;
  };
  // Under another name it is another compilation's.
  return own === key ? { ...described, artifact: body.subarray(end) } : null;
}

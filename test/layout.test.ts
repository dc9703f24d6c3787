// The architecture as tests: reads the sources as text, needs no build, and fails when a file imports what its room may
// not.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const ignored = new Set(
  read(".gitignore")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/\/$/, "")),
);
const files = [...filesBelow("")];
const isTest = (file: string) => /\.(test|spec)\.ts$/.test(file);
const code = files.filter((file) => /\.(ts|mjs|cc|h|cu|cuh|py)$/.test(file) && !file.endsWith(".d.ts"));
const product = code.filter(
  (file) => !isTest(file) && !/^(test|scripts|extension\/ui-tests)\//.test(file) && !/^[^/]+$/.test(file),
);

/**
 * Every file that is not ignored, seen without git: a copy of the sources may have none. Hidden folders belong to git
 * and to editors.
 */
function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (ignored.has(entry.name) || ignored.has(path)) continue;
    if (entry.isDirectory()) yield* entry.name.startsWith(".") ? [] : filesBelow(path);
    else yield path;
  }
}

/** What a file imports or includes: paths inside the repository as such, packages by name. */
function importsOf(file: string, text = read(file)): string[] {
  const pattern = /\.(cc|h|cu|cuh)$/.test(file)
    ? /^\s*#\s*include\s+"([^"]+)"/gm
    : /(?:^|\n)\s*(?:import|export)\s[^;"']*?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;
  return [...text.matchAll(pattern)]
    .map((match) => (match[1] ?? match[2])!)
    .map((target) => (/^\.|\.(h|cuh)$/.test(target) ? normalize(join(dirname(file), target)) : target));
}

/** The classes that a file of C++ defines, with their namespaces; not those that no other file can see. */
function classesOf(text: string): string[] {
  const found: string[] = [];
  const scopes: (string | null)[] = [];
  let head = "";
  const plain = text
    .replace(/\/\/.*|\/\*[^]*?\*\/|^\s*#.*(\\\n.*)*$/gm, " ")
    .replace(/R"(\w*)\([^]*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'/g, '""');
  for (const char of plain) {
    if (char === "}") scopes.pop();
    else if (char === "{") {
      const space = /(?:^|\s)namespace\s+([\w:]+)\s*$/.exec(head)?.[1];
      const type =
        /^\s*(?:template\s*<[^{]*>\s*)?(?:struct|class|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)\s*(?:final\s*)?(?::[^:].*)?$/s.exec(
          head,
        )?.[1];
      const name = space ?? type ?? null;
      if (type !== undefined && !scopes.includes(null)) found.push([...scopes, type].join("::"));
      scopes.push(name);
    }
    head = /[{};]/.test(char) ? "" : head + char;
  }
  return found;
}

// Where a file lives decides what it may import from the repository. The first matching row counts; `within` is always
// allowed.
const rooms: { room: RegExp; may: RegExp[] }[] = [
  { room: /^extension\/src\//, may: [/^extension\//, /^kernel\/mime/, /^warpcell-kernel\/mime/] },
  {
    room: /^kernel\/supervisor\//,
    may: [/^kernel\/supervisor\//, /^kernel\/language\//, /^kernel\/session-protocol/, /^kernel\/mime/],
  },
  {
    room: /^kernel\/session\//,
    may: [
      /^kernel\/session\//,
      /^kernel\/session-protocol/,
      /^kernel\/language\//,
      /^kernel\/mime/,
      /^warpcell(\/host|\/long-work)?$/,
    ],
  },
  { room: /^kernel\/language\//, may: [/^kernel\/language\//, /^warpcell\/(cuda-text|payloads)$/] },
  { room: /^kernel\/mime\.ts$/, may: [/^warpcell\/payloads$/] },
  { room: /^kernel\/session-protocol\.ts$/, may: [/^kernel\/mime/] },
  { room: /^kernel\/session-protocol-frames\.ts$/, may: [/^kernel\/session-protocol\.ts$/] },
  {
    room: /^kernel\/session-protocol-buffers\.ts$/,
    may: [/^kernel\/session-protocol\.ts$/, /^warpcell\/shared-memory$/],
  },
  // The package's own name stands in the text of declarations that it writes.
  { room: /^native\/lib\/payloads(-\w+)?\.ts$/, may: [/^native\/lib\/payloads-\w+\.ts$/] },
  { room: /^native\/lib\//, may: [/^native\/lib\//, /^warpcell$/] },
  { room: /^native\/addon\//, may: [/^native\/addon\//, /^native\/protocol\//] },
  { room: /^native\/protocol\//, may: [/^native\/protocol\//] },
  {
    room: /^native\/engine\/cuda\//,
    may: [
      /^native\/engine\/cuda\//,
      /^native\/engine\/(device|program)\.h$/,
      /^native\/engine\/host\//,
      /^native\/protocol\//,
    ],
  },
  // What a compiled cell and the executor share (a block's state, the switch of a fiber) is written once, where the
  // cell's compiler finds it.
  {
    room: /^native\/engine\/cpu\//,
    may: [
      /^native\/engine\/cpu\//,
      /^native\/engine\/(device|program)\.h$/,
      /^native\/engine\/host\//,
      /^native\/protocol\//,
      /^native\/device\/cpu\//,
    ],
  },
  {
    room: /^native\/engine\/host\//,
    may: [/^native\/engine\/host\//, /^native\/engine\/device\.h$/, /^native\/protocol\//],
  },
  // The functions that programs call are declared once, where the compiler of programs finds them.
  {
    room: /^native\/engine\/program\//,
    may: [
      /^native\/engine\/program\//,
      /^native\/engine\/(program|host_functions)\.h$/,
      /^native\/engine\/host\//,
      /^native\/protocol\//,
      /^native\/device\/program\//,
    ],
  },
  {
    room: /^native\/engine\/[^/]+$/,
    may: [/^native\/engine\/[^/]+$/, /^native\/engine\/host\//, /^native\/protocol\//, /^native\/device\/program\//],
  },
  { room: /^native\/device\//, may: [/^native\/device\//] },
];
const inside = /^(extension|kernel|native)\/|^warpcell(-kernel)?(\/|$)/;

describe("import directions", () => {
  test("every file imports only what its room may", () => {
    const forbidden = product.flatMap((file) => {
      const row = rooms.find(({ room }) => room.test(file));
      return row
        ? importsOf(file)
            .filter((target) => inside.test(target) && !row.may.some((allowed) => allowed.test(target)))
            .map((target) => `${file} → ${target}`)
        : [];
    });
    expect(forbidden).toEqual([]);
  });

  test("only sockets.ts imports zeromq", () => {
    expect(product.filter((file) => importsOf(file).includes("zeromq"))).toEqual(["kernel/supervisor/sockets.ts"]);
  });

  test("only wire/binding.ts opens addon.node", () => {
    expect(
      product.filter(
        (file) => /\.(ts|mjs)$/.test(file) && /addon\.node/.test(read(file).replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "")),
      ),
    ).toEqual(["native/lib/wire/binding.ts"]);
  });

  test("only blocks.ts asks whether a block of the library's kernels is one thread or many", () => {
    expect(product.filter((file) => /\.ts$/.test(file) && /\blibraryBlock\b/.test(read(file)))).toEqual([
      "native/lib/ops/kernels/blocks.ts",
      "native/lib/wire/properties.ts",
    ]);
  });

  test("the layout's rules see imports: this test does import what they list", () => {
    expect(importsOf("test/layout.test.ts")).toContain("vitest");
    expect(importsOf("native/engine/device.h")).toContain("native/protocol/commands.h");
  });
});

describe("rooms of the library", () => {
  // Each may import the rooms before it.
  const order = [
    "wire",
    "device",
    "memory",
    "cuda",
    "ops",
    "tensor",
    "io",
    "plot",
    "autograd",
    "fuse",
    "graph",
    "nn",
    "optim",
    "amp",
    "data",
    "linalg",
    "fft",
    "parallel",
    "profile",
    "exercise",
  ];
  const roomOf = (file: string) => /^native\/lib\/([a-z]+)\//.exec(file)?.[1];
  const library = product.filter((file) => file.startsWith("native/lib/"));
  // A type that points upwards vanishes when it is compiled.
  const runtime = (file: string) =>
    importsOf(file, read(file).replace(/(^|\n)\s*(?:import|export) type\s[^;"']*?["'][^"']+["']/g, ""));

  test("every room imports only those before it", () => {
    const upwards = library.flatMap((file) => {
      const from = roomOf(file);
      if (from === undefined) return [];
      return runtime(file)
        .filter((target) => order.indexOf(roomOf(target) ?? "") > order.indexOf(from))
        .map((target) => `${file} → ${target}`);
    });
    expect(upwards).toEqual([]);
  });

  test("no file imports itself, by whatever way", () => {
    const edges = new Map(
      library.map((file) => [file, runtime(file).filter((target) => target.startsWith("native/lib/"))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      const at = path.indexOf(file);
      if (at >= 0) circles.push([...path.slice(at), file].join(" → "));
      if (at >= 0 || done.has(file)) return;
      for (const target of edges.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of edges.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe("house rules", () => {
  test("no file of the product has more than 500 lines", () => {
    const lengths = product.map((file) => ({ file, lines: read(file).trimEnd().split("\n").length }));
    expect(lengths.filter(({ lines }) => lines > 500)).toEqual([]);
  });

  // A formatter breaks no string, no regular expression and no line that it was told to leave.
  test("no line has more than 120 columns but for text that cannot be broken", () => {
    const wide = product
      // Macros and X-lists, which clang-format is told to leave alone.
      .filter((file) => !file.startsWith("native/device/cpu/"))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .flatMap((line, at) => ([...line].length > 120 && !/["'`/]|^\s*X\(/.test(line) ? [`${file}:${at + 1}`] : [])),
      );
    expect(wide).toEqual([]);
  });

  test("every file is as the formatters write it", { timeout: 60_000 }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", "format.mjs"), "--check"], {
      encoding: "utf8",
    });
    expect(status, stdout + stderr).toBe(0);
  });

  test("no two classes of one namespace of a native program have one name", () => {
    // Of two, the linker keeps one, and a program that compiled without a word crashes.
    const programs = [/^native\/(engine|protocol)\//, /^native\/(addon|protocol)\//];
    const twice = programs.flatMap((program) => {
      const files = product.filter((file) => program.test(file) && /\.(cc|h)$/.test(file));
      const places = new Map<string, string[]>();
      for (const file of files)
        for (const name of classesOf(read(file))) places.set(name, [...(places.get(name) ?? []), file]);
      expect([...places.keys()]).toContain("warpcell::Descriptor");
      return [...places].filter(([, where]) => where.length > 1);
    });
    expect(twice).toEqual([]);
    expect(
      classesOf(
        "namespace a { struct B { struct C { int x; }; }; namespace { class D : E { }; } template <class T> struct G : H<T> { }; struct F; }",
      ),
    ).toEqual(["a::B", "a::B::C", "a::G"]);
  });

  test("no file is called utils, common, manager, impl or base", () => {
    expect(
      product.filter(
        (file) => /(^|\/)(utils?|common|manager|impl|base)\.[a-z]+$/.test(file) && !file.endsWith("style/base.css"),
      ),
    ).toEqual([]);
  });

  test("every file opens with a sentence that says what it is", () => {
    expect(product.filter((file) => !/^(#![^\n]*\n)?(\/\/|\/\*)[^\n]{20,}/.test(read(file)))).toEqual([]);
  });

  // Cells in tests may swallow what they like: that is what an interrupt must get past.
  test("no catch is empty", () => {
    expect(
      code.filter(
        (file) =>
          !isTest(file) &&
          /catch\s*(\([^)]*\))?\s*\{\s*\}|\.catch\(\(\)\s*=>\s*\{\s*\}\)/.test(read(file)) &&
          file !== "test/layout.test.ts",
      ),
    ).toEqual([]);
  });

  test("no test is focused or skipped", () => {
    expect(
      code.filter(
        (file) =>
          isTest(file) && file !== "test/layout.test.ts" && /\b(it|test|describe)\.(only|skip|todo)\b/.test(read(file)),
      ),
    ).toEqual([]);
  });
});

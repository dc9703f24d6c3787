// Programs of C++ that say what the headers of native/ mean, so that TypeScript is compared with a compiler's word.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const native = fileURLToPath(new URL("../../native", import.meta.url));

const speech = `
static bool is_first = true;
static void begin(const char* name) { std::printf("%s\\"%s\\": {", is_first ? "" : ", ", name); is_first = true; }
static void end() { std::printf("}"); is_first = false; }
static void key(const char* name) { std::printf("%s\\"%s\\": ", is_first ? "" : ", ", name); is_first = false; }
static void say(const char* name, unsigned long long value) { key(name); std::printf("%llu", value); }
template <size_t N>
static void say(const char* name, const char (&value)[N]) { key(name); std::printf("\\"%s\\"", value); }
static void say(const char* name, const std::string& value) { key(name); std::printf("\\"%s\\"", value.c_str()); }
`;

/** Objects by name, of which each part of the body says its fields. */
export function printed(
  headers: readonly string[],
  parts: Readonly<Record<string, string>>,
): Record<string, Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-host-cpp-"));
  try {
    const [source, program] = [join(folder, "main.cc"), join(folder, "main")];
    const body = Object.entries(parts).map(([name, part]) => `  begin("${name}");\n${part}\n  end();`);
    writeFileSync(
      source,
      `${[...headers.map((header) => `"${header}"`), "<cstddef>", "<cstdio>", "<string>"].map((name) => `#include ${name}`).join("\n")}
using namespace warpcell;
${speech}
int main() {
  std::printf("{");
${body.join("\n")}
  std::printf("}");
}
`,
    );
    const built = spawnSync("c++", ["-std=c++17", "-w", `-I${native}`, "-o", program, source], { encoding: "utf8" });
    if (built.status !== 0) throw new Error(`The program does not compile:\n${built.stderr}`);
    const run = spawnSync(program, { encoding: "utf8" });
    if (run.status !== 0) throw new Error(`The program failed: ${run.stderr}`);
    return JSON.parse(run.stdout) as Record<string, Record<string, unknown>>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The entries of an X-list, in their order. */
export const entries = (list: string, parameters: string, name: string, value: string) =>
  `#define X(${parameters}) say(${name}, ${value});\n  ${list}(X)\n#undef X`;

/** Bytes of a struct, and where its fields lie. */
export const layout = (struct: string, fields: readonly string[]) =>
  `  say("bytes", sizeof(${struct}));
  begin("fields");
${fields.map((field) => `  say("${field}", offsetof(${struct}, ${field}));`).join("\n")}
  end();`;

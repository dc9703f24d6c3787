// Data in cells: workers of a loader get a cell's function, without what stands around it, or a module in TypeScript;
// an interrupt ends them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { TestSession } from "../helpers/session.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function opened(files: Record<string, string> = {}): Promise<TestSession> {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-data-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const session = await TestSession.start({ directory });
  ends.push(async () => {
    await session.end();
    rmSync(directory, { recursive: true });
  });
  return session;
}

test("a cell's function goes to workers, and a module in TypeScript too", async () => {
  const session = await opened({
    "half.ts": 'import { parts } from "./parts.ts";\nexport default (x: number): number => x / parts;\n',
    "parts.ts": "export const parts: number = 2;\n",
  });
  await session.run('import { DataLoader, io } from "warpcell";\nconst factor = 3;');
  const sum = (options: string) =>
    `let sum = 0; for await (const batch of new DataLoader([1, 2, 3], { batchSize: 2, workers: 2, ${options} })) sum += batch.sum().item(); sum`;
  const own = await session.run(
    sum(
      'transform: async (x: number): Promise<number> => { const { sep } = await import("node:path"); return x * (sep as string).length; }',
    ),
  );
  expect([own.error, own.result]).toEqual([null, "6"]);
  const closed = await session.run(sum("transform: (x: number) => x * factor"));
  expect(closed.error?.message).toMatch(/^The transform uses factor, which is not there in a worker: /);
  for (const workers of [0, 2]) {
    const module = await session.run(sum(`transform: "./half.ts", workers: ${workers}`));
    expect([module.error, module.result]).toEqual([null, "3"]);
  }
});

test("an interrupt ends a worker that never answers, and the next loop has others", async () => {
  const session = await opened();
  await session.run('import { DataLoader } from "warpcell";\nconst kept = 41;\nlet batches = 0;');
  const request =
    session.send(`const endless = new DataLoader([1, 2, 3], { workers: 1, prefetch: 0, transform: (x: number) => {
    if (x === 2) for (;;);
    return x;
  } });
  for await (const batch of endless) { batches += 1; console.log("on"); }`);
  await session.until(() => session.printed(request, "stdout").includes("on"));
  session.agent({ type: "interrupt", request });
  expect((await session.ended(request)).error?.name).toBe("Interrupted");
  expect((await session.run("[kept, batches].join()")).result).toBe("'41,1'");
  const again = await session.run(
    "for await (const batch of new DataLoader([1, 2], { batchSize: 2, workers: 1 })) batches += batch.sum().item(); batches",
  );
  expect([again.error, again.result]).toEqual([null, "4"]);
});

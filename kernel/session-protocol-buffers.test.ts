// Buffers that cannot go through shared memory: they take the channel and say so once, or the error says what is
// missing.
import { expect, test, vi } from "vitest";

const large = new Uint8Array(300_000).fill(3);

async function fresh(sharedMemory: () => object): Promise<typeof import("./session-protocol-buffers.ts")> {
  vi.resetModules();
  vi.doMock("warpcell/shared-memory", sharedMemory);
  const module = await import("./session-protocol-buffers.ts");
  await module.buffersReady;
  return module;
}

test("without the native part they travel in the message, and a warning says why", async () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const { packBuffers, unpackBuffers } = await fresh(() => {
    throw new Error("no addon");
  });
  expect(packBuffers([large])[0]).toBe(large);
  expect(unpackBuffers(packBuffers([large]))[0]).toBe(large);
  expect(warnings.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^Large buffers between notebook and kernel are slow, because the native part of warpcell could not be loaded: ./,
      ),
    ],
  ]);
});

test("without memory the sender hears of it", async () => {
  const { packBuffers } = await fresh(() => ({ shareMemory: () => null }));
  expect(() => packBuffers([large])).toThrow(
    "A buffer of 300000 bytes cannot be handed over: the system does not have that much memory left. Show less at once, or free something.",
  );
});

test("beyond 64 that nobody has read yet they travel in the message; what was read or given back is used again", async () => {
  vi.doUnmock("warpcell/shared-memory");
  vi.resetModules();
  const { packBuffers, unpackBuffers, discardBuffers, buffersReady } = await import("./session-protocol-buffers.ts");
  await buffersReady;
  const sent = Array.from({ length: 66 }, (_, i) => new Uint8Array(300_000 + i).fill(i));
  const carried = packBuffers(sent);
  expect(carried.map((buffer) => buffer instanceof Uint8Array)).toEqual([
    ...Array<boolean>(64).fill(false),
    true,
    true,
  ]);
  expect(unpackBuffers(carried).every((buffer, i) => Buffer.from(buffer).equals(sent[i]!))).toBe(true);

  const again = packBuffers([large]);
  expect(carried.slice(0, 64).map((buffer) => (buffer as { file: string }).file)).toContain(
    (again[0] as { file: string }).file,
  );
  discardBuffers(again);
  expect(packBuffers([large])).toEqual(again);
});

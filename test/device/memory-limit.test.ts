// Memory that runs out on every device: what the error names, a limit of one's own, and that garbage is collected first.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { memory, OutOfMemory, setMemoryLimit, trim, zeros, type Tensor } from "../../native/lib/index.ts";
import { describeOrigins, origin } from "../../native/lib/device/origins.ts";
import { devices } from "./devices.ts";

const MiB = 2 ** 20;

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const bytes = (count: number) => zeros([count], { dtype: "uint8", device });

  test("a limit holds, garbage and unused memory are given back first, and the largest tensors are named by line", () => {
    bytes(1).dispose();
    trim();
    const before = memory()[device]!.reserved;
    const held: Tensor[] = [];
    try {
      describeOrigins((number) => ({ label: `Cell [${number}]`, line: 7, cell: null, count: number }));
      setMemoryLimit(before + 200 * MiB, { device });
      origin.current = 3;
      held.push(bytes(64 * MiB));
      origin.current = 4;
      held.push(bytes(32 * MiB), bytes(32 * MiB));
      origin.current = 0;
      // Garbage of a loop that disposes of nothing.
      for (let turn = 0; turn < 12; turn++) bytes(60 * MiB);
      const fails = () => bytes(100 * MiB);
      expect(fails).toThrow(OutOfMemory);
      expect(fails).toThrow(
        /^There is not 100 MiB of device memory left on .* and of which setMemoryLimit allows .*: tensors hold /,
      );
      expect(fails).toThrow("; most of it 64.0 MiB from Cell [3]:7, 64.0 MiB in 2 from Cell [4]:7. Dispose of tensors");
      expect(memory()[device]!.reserved).toBeLessThanOrEqual(before + 200 * MiB);
      held.pop()!.dispose();
      held.pop()!.dispose();
      bytes(100 * MiB).dispose();
      setMemoryLimit(null, { device });
      bytes(300 * MiB).dispose();
    } finally {
      origin.current = 0;
      describeOrigins(() => undefined);
      setMemoryLimit(null, { device });
      for (const each of held) each.dispose();
    }
  });

  test("a loop that disposes of nothing holds little beside what lives, also after another size of tensor", () => {
    bytes(1).dispose();
    trim();
    const before = memory()[device]!.reserved;
    const most = device === "cpu" ? 512 * MiB : 4096 * MiB;
    for (const size of [4 * MiB, 64 * MiB, 24 * MiB]) {
      const x = zeros([size / 4], { device });
      for (let done = 0; done < 2 * most; done += size) x.add(1);
      x.dispose();
      expect(memory()[device]!.reserved - before).toBeLessThanOrEqual(2 * most);
    }
    trim();
  });

  test("what is no limit", () => {
    for (const wrong of [0, -1, "1 GiB", NaN])
      expect(() => setMemoryLimit(wrong as number, { device })).toThrow(
        "setMemoryLimit takes a number of bytes above 0, or null for no limit, but got",
      );
  });
});

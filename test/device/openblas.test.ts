// OpenBLAS, which multiplies matrices on the cpu device: found, refused, missing, and seen as use of the device.
import "./cache.ts";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { binding, deviceExecutable } from "../../native/lib/wire/binding.ts";
import { Op } from "../../native/lib/wire/commands.ts";
import { answerOf, requestFields } from "../../native/lib/wire/messages.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { tensor } from "../../native/lib/index.ts";

describe("OpenBLAS", () => {
  const library = new URL("../../native/dist/index.js", import.meta.url).href;

  function product(environment: Record<string, string>): string {
    const source = `import { tensor } from ${JSON.stringify(library)};
      try {
        const x = tensor([[1, 2], [3, 4]], { device: "cpu" });
        console.log(JSON.stringify(x.matmul(x).toArray()));
      } catch (error) { console.log(error.code + ": " + error.message); }
      process.exit(0);`;
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
      encoding: "utf8",
      env: { ...process.env, ...environment },
    });
    return (result.stdout + result.stderr).trim();
  }

  test("its threads count as use of the device", async () => {
    const cpu = DeviceProcess.get("cpu");
    const x = tensor(Float32Array.from({ length: 512 * 512 }, Math.random), { device: "cpu" }).reshape([512, 512]);
    // Copies into its layout and back take a few per cent of the time; until the gauge, which is read four times a
    // second, shows more.
    const used = (): number => binding.gauges().find(({ client }) => client === cpu.client)!.utilization!;
    while (used() < 0.25) {
      for (let turn = 0; turn < 50; turn++) x.matmul(x).dispose();
      await cpu.synchronizeAsync();
    }
    expect(used()).toBeLessThanOrEqual(1);
  });

  test("without it our own kernels serve", () =>
    expect(product({ WARPCELL_OPENBLAS: "off" })).toBe("[[7,10],[15,22]]"));

  test("a file of the user's that is none is an error", () => {
    expect(product({ WARPCELL_OPENBLAS: "/nowhere/libopenblas.so" })).toMatch(
      /^OPTION: WARPCELL_OPENBLAS names \/nowhere\/libopenblas\.so, which cannot be used \(.*No such file or directory\)\. Name another file, "off", or none\.$/,
    );
    expect(product({ WARPCELL_OPENBLAS: "libm.so.6" })).toBe(
      'OPTION: WARPCELL_OPENBLAS names libm.so.6, which cannot be used (it is not an OpenBLAS with 32-bit sizes). Name another file, "off", or none.',
    );
  });

  test("where there is none, the answer says how to get it", () => {
    const folder = mkdtempSync(join(tmpdir(), "warpcell-openblas-test-"));
    const executable = join(folder, "warpcell-device");
    copyFileSync(deviceExecutable, executable);
    const hidden = ["PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX"] as const;
    const before = hidden.map((name) => process.env[name]);
    for (const name of hidden) delete process.env[name];
    const client = binding.open("cpu", 0, executable);
    hidden.forEach((name, index) => {
      if (before[index] !== undefined) process.env[name] = before[index];
    });
    try {
      const sequence = binding.request(
        client,
        Op.plan,
        requestFields("plan", {
          plan: 1,
          call: "matmul m=64 n=64 k=64 compute=float32 type=float32",
          choice: new Uint8Array(),
          trial: new Uint8Array(),
        }),
        0,
      );
      expect(binding.wait(client, 0, sequence, 60_000)).toBe("done");
      const [status, ...answer] = binding.reply(client, sequence)!;
      const fields = answer.map((field) => new TextDecoder().decode(field));
      // The loader may know one of the system's.
      if (new TextDecoder().decode(status) === "ok")
        expect(JSON.parse(answerOf("plan", answer).chosen).path).toMatch(/^\/(usr\/)?(local\/)?lib/);
      else
        expect(fields.slice(0, 2)).toEqual([
          "NO_LIBRARY",
          "OpenBLAS was not found in Python's site-packages (VIRTUAL_ENV, this project's .venv, python3 on PATH, ~/.local), CONDA_PREFIX and the loader's folders, and without it Warpcell's own kernels multiply matrices, which are slower. Get it with: pip install scipy-openblas32, or sudo apt-get install libopenblas0-pthread.",
        ]);
    } finally {
      binding.close(client);
      rmSync(folder, { recursive: true });
    }
  });
});

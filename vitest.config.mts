// Which files are tests, and how many run side by side: kernels and compilers are processes of their own, so two files
// at a time are enough.
import { defineConfig } from "vitest/config";

const long = process.env["WARPCELL_LONG"] === "1";

export default defineConfig({
  test: {
    include: ["native/lib/**/*.test.ts", "kernel/**/*.test.ts", "extension/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ...(long ? [] : ["test/long/**"])],
    setupFiles: ["test/helpers/seed.ts"],
    pool: "forks",
    // What a test asks of the library by its name is loaded by Node as it is built: through Vite it takes a second.
    server: { deps: { external: [/\/native\/dist\//, /\/kernel\/dist\//] } },
    maxWorkers: 2,
    testTimeout: long ? 900_000 : 60_000,
    hookTimeout: 60_000,
    // Longer than a busy machine needs; what must come sooner says so itself.
    expect: { poll: { timeout: 20_000 } },
  },
});

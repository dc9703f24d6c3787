// `npm run build`: everything that `npm start` builds, without starting anything.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root, setup } from "./setup.mjs";

await setup().catch((error) => {
  console.error(error.message);
  process.exit(1);
});

const hasGpu = existsSync("/proc/driver/nvidia/version");
if (
  hasGpu &&
  !readdirSync(join(root, "native", "build", "Release", "kernels")).some((name) => name.startsWith("sm_"))
) {
  console.error(
    "The library's kernels for this GPU are compiled one by one at their first use. To compile all of them now: node scripts/build-kernels.mjs gpu",
  );
}

// Where the kernelspec of a user goes that the system does not know.
import { userInfo } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { install } from "./install.ts";

vi.mock("node:os", { spy: true });
afterEach(() => void vi.unstubAllEnvs());

test("a user without a home is told to name a directory", async () => {
  for (const name of ["HOME", "JUPYTER_DATA_DIR", "XDG_DATA_HOME"]) vi.stubEnv(name, undefined);
  vi.mocked(userInfo).mockImplementationOnce(() => {
    throw new Error("no such user");
  });
  await expect(install(["--user"])).rejects.toMatchObject({
    code: "INSTALL_FAILED",
    message:
      "This user has no home directory to write the kernelspec in (no such user). Name a directory with --prefix DIR.",
  });
});

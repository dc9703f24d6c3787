// Import first in tests that compile: kernels of tests are cached beside other temporary files, not with the user's.
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

process.env["XDG_CACHE_HOME"] ||= join(tmpdir(), `warpcell-tests-${userInfo().uid}`);

// All that tests draw comes of one seed, another in each run: a test that fails tells it, and WARPCELL_TEST_SEED repeats
// the run. Each test begins a sequence of its own, so that one alone draws what it draws among all.
import { afterEach, beforeEach } from "vitest";
import { seeded } from "./random.ts";

const given = process.env["WARPCELL_TEST_SEED"];
const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);

let draw = seeded(seed);
Math.random = () => draw();

/** FNV-1a of a text, after a number. */
function mixed(start: number, text: string): number {
  let hash = start ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

beforeEach(({ task }) => {
  draw = seeded(mixed(seed, task.id));
});

afterEach(({ task }) => {
  if (task.result?.state === "fail") console.log(`"${task.name}" failed with WARPCELL_TEST_SEED=${seed}`);
});

// What follows the collection of an object, in the midst of a job and between jobs.
import { expect, test } from "vitest";
import { afterCollection, collectGarbage, collectYoung, living, reclaim } from "./collection.ts";

/** A number for an object that nobody holds any more. */
const forgotten = (action: () => void): number => afterCollection({ some: "object" }, action);

test("in one job: what is due runs when it is asked for, once, and not for what lives", () => {
  const ran: string[] = [];
  const kept = { kept: true };
  const number = afterCollection(kept, () => ran.push("kept"));
  const gone = forgotten(() => ran.push("forgotten"));
  expect(collectGarbage()).toBe(true);
  expect([ran, living(number), living(gone)]).toEqual([["forgotten"], kept, null]);
  expect([reclaim(), collectGarbage(), ran]).toEqual([false, false, ["forgotten"]]);
});

test("what was made a moment ago takes a collection of the young", () => {
  const ran: string[] = [];
  const kept = { kept: true };
  afterCollection(kept, () => ran.push("kept"));
  const gone = forgotten(() => ran.push("forgotten"));
  expect([collectYoung(), ran, living(gone), kept.kept]).toEqual([true, ["forgotten"], null, true]);
});

test("to have looked at an object in a job does not keep it for the rest of the job", () => {
  let ran = false;
  const number = forgotten(() => {
    ran = true;
  });
  expect(living(number)).not.toBe(null);
  collectGarbage();
  expect([ran, living(number)]).toEqual([true, null]);
});

test("between jobs: what is due runs by itself", async () => {
  const ran = new Promise<void>((resolve) => forgotten(resolve));
  // Pressure as a program makes it, with no word to the library.
  const pressure = setInterval(() => void new Uint8Array(64 << 20).fill(1), 1);
  await ran;
  clearInterval(pressure);
});

// A request is known until it is answered and nothing of it is left in the session; a number that no request has is
// nobody's.
import { expect, test } from "vitest";
import { requestOf } from "./messages.ts";
import { Requests } from "./requests.ts";

const options = { silent: false, allowStdin: true };
const message = () => requestOf("execute_request", { code: "x".repeat(100) });

test("a request is known while it runs, however many come after it, and its late output afterwards", () => {
  const requests = new Requests();
  const first = message();
  const id = requests.add(first, options);
  for (let i = 0; i < 20_000; i++) requests.settle(requests.add(message(), options));
  expect(requests.get(id)?.message).toBe(first);
  requests.settle(id);
  expect(requests.get(id)?.message).toEqual({ ...first, content: {} });
});

test("it is forgotten when it is answered and released, whichever comes first, and no other takes its place", () => {
  const requests = new Requests();
  const [a, b] = [requests.add(message(), options), requests.add(message(), options)];
  requests.settle(a);
  requests.release([a, b, 4711]);
  expect(requests.get(a)).toBeUndefined();
  expect(requests.get(b)).toBeDefined();
  requests.settle(b);
  expect(requests.get(b)).toBeUndefined();
  expect(requests.get(0)).toBeUndefined();
});

test("the end of the session releases what was answered", () => {
  const requests = new Requests();
  const [a, b] = [requests.add(message(), options), requests.add(message(), options)];
  requests.settle(a);
  requests.sessionEnded();
  expect(requests.get(a)).toBeUndefined();
  expect(requests.get(b)).toBeDefined();
});

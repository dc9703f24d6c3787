// Exercises on every device: what solves one, what its card says, and that no answer ends a cell.
import "./cache.ts";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  assertClose,
  compile,
  exercise,
  Exercise,
  exercises,
  InterruptedError,
  ones,
  setChecking,
  TensorError,
  zeros,
  type ExerciseOptions,
  type Kernel,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const shown = (value: object): Record<string, string> =>
  (value as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!();

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const launched = async (body: string, config = { grid: 1, block: 64 }) => {
    const { kernels } = await compile(`extern "C" __global__ void own(const float* x, float* y, int n) { ${body} }`, {
      device,
    });
    const x = ones([64], { device });
    return (then?: () => void) => {
      const y = zeros([64], { device });
      (kernels["own"] as Kernel).launch(config, x, y, 64);
      then?.();
      assertClose(y, x.mul(2), { name: "y" });
    };
  };

  test("a right kernel solves it", async () => {
    const check = await launched("if (threadIdx.x < n) y[threadIdx.x] = 2 * x[threadIdx.x];");
    expect(exercise("right", check)).toMatchObject({ name: "right", isSolved: true, reason: null });
  });

  test("a wrong one does not, and the card says where", async () => {
    const check = await launched("y[threadIdx.x] = threadIdx.x == 5 ? 7 : 2 * x[threadIdx.x];");
    expect(exercise("wrong", check).reason).toBe(
      "y[5] must be 2, but is 7. It is the only one of 64 elements that differs.",
    );
  });

  test("a fault is a reason, even where the check fails before it is known", async () => {
    const check = await launched("y[1ll << 40] = 1;");
    const options = { checked: false };
    expect(exercise("fault", check, options).reason).toMatch(/^Kernel own accessed an illegal address/);
    const early = () =>
      check(() => {
        throw new RangeError("first");
      });
    expect(exercise("early fault", early, options).reason).toMatch(/^Kernel own accessed an illegal address/);
    // All is well for the next cell.
    expect(ones([2], { device }).sum().item()).toBe(2);
  });

  test("an asynchronous check gives a promise", async () => {
    const check = await launched("y[threadIdx.x] = 2 * x[threadIdx.x];");
    const solved = exercise("later", async () => {
      await Promise.resolve();
      check();
    });
    expect(solved).toBeInstanceOf(Promise);
    expect((await solved).isSolved).toBe(true);
    expect((await exercise("later", async () => "not fast enough")).reason).toBe("not fast enough");
    expect((await exercise("later", () => Promise.reject(new Error("no luck")))).reason).toBe("no luck.");
    await expect(exercise("later", (async () => 5) as never)).rejects.toThrow(TensorError);
  });
});

test("on the cpu what a launch does wrong counts, where the numbers are right", async () => {
  const { kernels } = await compile(
    `extern "C" __global__ void shift(const float* x, float* y, int n) {
      int i = threadIdx.x;
      y[i] = x[i + 1] * 0 + 2;
    }`,
    { device: "cpu" },
  );
  const check = () => {
    const [x, y] = [ones([64], { device: "cpu" }), zeros([64], { device: "cpu" })];
    (kernels["shift"] as Kernel).launch({ grid: 1, block: 64 }, x, y, 64);
    assertClose(y, 2);
  };
  expect(exercise("past", check).reason).toMatch(/^Kernel shift reads x\[64\], one past the end of x/);
  expect(exercise("past", check, { checked: false }).isSolved).toBe(true);
  using _following = setChecking(true);
  expect(exercise("past", check, { checked: false }).isSolved).toBe(true);
  expect((await exercise("past", async () => check())).reason).toMatch(/^Kernel shift reads x\[64\]/);
});

test("what a check returns or throws decides", () => {
  expect(exercise("result", () => undefined).isSolved).toBe(true);
  expect(exercise("result", () => true).isSolved).toBe(true);
  expect(exercise("result", () => false).reason).toBe("The answer is not right yet.");
  expect(exercise("result", () => "Two are missing.").reason).toBe("Two are missing.");
  const throwing = (error: unknown) =>
    exercise("result", () => {
      throw error;
    }).reason;
  expect(throwing(new ReferenceError("twice is not defined"))).toBe("twice is not defined.");
  expect(throwing("a text")).toBe('The check threw "a text".');
  const interrupted = new InterruptedError("Stopped.", "cpu", undefined, undefined);
  expect(() => throwing(interrupted)).toThrow(interrupted);
});

test("what is wrong in the call is an error", () => {
  const message = (...args: unknown[]) => {
    try {
      (exercise as (...args: unknown[]) => void)(...args);
    } catch (error) {
      expect(error).toBeInstanceOf(TensorError);
      return (error as Error).message;
    }
    return "";
  };
  const fine = () => true;
  expect(message(" ", fine)).toBe('The name of an exercise must be a text, but got " ".');
  expect(message(5, fine)).toBe("The name of an exercise must be a text, but got 5.");
  expect(message("x", 5)).toBe(
    'Exercise "x" needs a function that checks the answer, but got 5: exercise("x", () => assertClose(y, [1, 2])).',
  );
  expect(message("x", () => ones([2]))).toBe(
    'The check of exercise "x" must return nothing, true, false or a text that says what is wrong, but returned a Tensor. Compare numbers with assertClose(actual, expected).',
  );
  expect(message("x", fine, { hints: "one" })).toBe('exercise takes a list of texts as hints but got "one".');
  expect(message("x", fine, { solution: "y" })).toContain("exercise has no option solution.");
});

const options: ExerciseOptions = {
  task: "Double `x`, and mind <n>.",
  hints: ["Look at `i`.", "Write\n`2 * x[i]`."],
  answer: "if (i < n) y[i] = 2 * x[i];",
};

test("hints come one after another, and stay when the exercise runs again", () => {
  const wrong = () => false;
  const open = (value: Exercise) => [...shown(value)["text/html"]!.matchAll(/<details open>/g)].length;
  expect(open(exercise("hints", wrong, options))).toBe(0);
  expect(exercise("hints", wrong, options).hint()).toBe("Look at `i`.");
  const again = exercise("hints", wrong, options);
  expect(open(again)).toBe(1);
  expect(inspect(again)).toMatch(/Hint 1: Look at `i`\.$/);
  expect(again.hint()).toBe("Write\n`2 * x[i]`.");
  expect(open(again)).toBe(2);
  expect(again.hint()).toBe("There are no more hints: an answer is on the card.");
  expect(exercise("no hints", wrong).hint()).toBe("There are no hints.");
});

test("a card is HTML without scripts, and text", () => {
  const bundle = shown(exercise("a <card>", () => "It is 1 < 2 & wrong.", options));
  const html = bundle["text/html"]!;
  expect(html).toContain("<strong>○ a &lt;card&gt;</strong>: not solved yet");
  expect(html).toContain("<p>Double <code>x</code>, and mind &lt;n&gt;.</p>");
  expect(html).toContain("<p>It is 1 &lt; 2 &amp; wrong.</p>");
  // The second hint is in the first.
  expect(html).toContain(
    "<details><summary>Hint 1 of 2</summary><p>Look at <code>i</code>.</p><details><summary>Hint 2 of 2</summary><p>Write<br><code>2 * x[i]</code>.</p></details></details>",
  );
  expect(html).toContain(
    "<details><summary>An answer</summary><pre><code>if (i &lt; n) y[i] = 2 * x[i];</code></pre></details>",
  );
  expect(html).not.toMatch(/<script|\son\w+=/);
  expect(bundle["text/plain"]).toMatch(
    /^○ a <card>: not solved yet \(\d+ of \d+ solved\)\nDouble `x`, and mind <n>\.\nIt is 1 < 2 & wrong\.$/,
  );
  const solved = exercise("a <card>", () => true);
  expect(shown(solved)["text/html"]).toMatch(/<strong>✓ a &lt;card&gt;<\/strong>: solved <small>\(\d+ of \d+ solved\)/);
  expect(shown(solved)["text/html"]).not.toContain("<details");
  expect(inspect(solved)).toMatch(/^✓ a <card>: solved \(\d+ of \d+ solved\)$/);
});

test("exercises() lists what has run, each once and as it was last", () => {
  exercise("listed", () => false);
  const before = exercises();
  exercise("listed <2>", () => false);
  exercise("listed", () => true);
  const list = exercises();
  expect(list.all.slice(-2).map(({ name, isSolved }) => [name, isSolved])).toEqual([
    ["listed", true],
    ["listed <2>", false],
  ]);
  expect(list.solved).toContain("listed");
  expect(list.solved).not.toContain("listed <2>");
  expect(before.solved).not.toContain("listed");
  expect(inspect(list)).toMatch(/^Exercises: \d+ of \d+ solved\n[^]*\n✓ listed\n○ listed <2>$/);
  expect(shown(list)["text/html"]).toContain("<div>✓ listed</div><div>○ listed &lt;2&gt;</div>");
  expect(shown(list)["text/plain"]).toBe(inspect(list));
});

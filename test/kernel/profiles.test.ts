// Profiles of cells over real sockets: what `%%profile` and `%%cuda --profile` show, that every slice knows its cell
// and line, the line below a cell of kernels, and windows of large profiles.
import { describe, expect, test } from "vitest";
import type { TracePayload, WindowReply } from "../../kernel/mime.ts";
import { requestOf, type Json, type Message } from "../../kernel/supervisor/messages.ts";
import { next, openKernel, shown, type TestKernel } from "../helpers/kernel.ts";

const traceMime = "application/vnd.warpcell.trace.v1+json";
const cpu = { env: { WARPCELL_DEVICE: "cpu" } };
const kernels =
  "%%cuda\n__global__ void scale(float* x, int n, float a) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }";

const bundles = (outputs: readonly Message[]): Json[] =>
  outputs.filter(({ header }) => header.msg_type === "display_data").map(({ content }) => content["data"] as Json);
const profileOf = (outputs: readonly Message[]): TracePayload =>
  bundles(outputs).find((bundle) => traceMime in bundle)![traceMime] as TracePayload;
const numbers = <T>(text: string, type: new (buffer: ArrayBuffer) => T): T =>
  new type(new Uint8Array(Buffer.from(text, "base64")).buffer);

/** What each slice is called, with its line. */
function slices({
  slices: columns,
  names,
  places,
  details,
  tracks,
}: TracePayload): { name: string; place: string | null; kind: string; track: string }[] {
  const [name, place, detail, track] = [
    numbers(columns.name, Uint32Array),
    numbers(columns.place, Uint32Array),
    numbers(columns.detail, Uint32Array),
    numbers(columns.track, Uint16Array),
  ];
  return Array.from({ length: columns.length }, (_, at) => ({
    name: names[name[at]!]!,
    place: place[at] === 0 ? null : places[place[at]! - 1]!.text,
    kind: details[detail[at]!]!.kind,
    track: tracks[track[at]!]!.name,
  }));
}

async function prepared(): Promise<TestKernel> {
  const opened = await openKernel(cpu);
  await opened.client.execute('import { zeros, ones, profile, range } from "warpcell"\nconst x = ones([4096])');
  await opened.client.execute(kernels);
  return opened;
}

describe("%%profile", () => {
  test("shows what the cell did, each slice with its line, after the cell's value", async () => {
    const { client } = await prepared();
    const { outputs, reply } = await client.execute(
      '%%profile\nscale.over(4096)(x, 4096, 2);\n\nrange("sum", () => {\n  x.mul(3).sum();\n});\n7',
    );
    expect(reply["status"]).toBe("ok");
    expect(shown({ outputs })).toContainEqual(["execute_result", "7"]);
    const payload = profileOf(outputs);
    expect(payload).toMatchObject({ version: 1, title: "Profile of Cell [3]", complete: true, notes: [] });
    expect(payload.places.map(({ text, count, line }) => [text, count, line])).toEqual(
      expect.arrayContaining([
        ["Cell [3]:2", 3, 2],
        ["Cell [3]:5", 3, 5],
      ]),
    );
    const seen = slices(payload);
    expect(seen).toContainEqual({ name: "launch scale", place: "Cell [3]:2", kind: "launch", track: "TypeScript" });
    expect(seen).toContainEqual({ name: "scale", place: "Cell [3]:2", kind: "kernel", track: "stream 0" });
    expect(seen).toContainEqual({ name: "mul", place: "Cell [3]:5", kind: "operation", track: "TypeScript" });
    expect(seen).toContainEqual({
      name: "sum",
      place: "Cell [3]:4",
      kind: "range",
      track: "annotations",
    });
    expect(seen).toContainEqual({
      name: "Cell [3]",
      place: null,
      kind: "cell",
      track: "TypeScript",
    });
    for (const slice of seen.filter(({ kind }) => kind === "kernel")) expect(slice.place).toMatch(/^Cell \[3\]:/);
    const [bundle] = bundles(outputs);
    expect(bundle!["text/plain"]).toMatch(/^Profile of Cell \[3\]: .*; cpu worked .*; \d+ launches of \d+ kernels\n/);
    expect(bundle!["text/html"]).toContain("<table>");
  });

  test("tells the front end's id of the cell", async () => {
    const { client } = await prepared();
    const { outputs } = await client.request(
      "shell",
      "execute_request",
      {
        code: "%%profile\nscale.over(4096)(x, 4096, 2)",
        silent: false,
        store_history: true,
        user_expressions: {},
        allow_stdin: false,
      },
      undefined,
      { cellId: "abc-1" },
    );
    expect(profileOf(outputs).places.map(({ cell }) => cell)).toContain("abc-1");
  });

  test("the title of profile() says where it was called, whatever ran before", async () => {
    const { client } = await prepared();
    const title = async (code: string): Promise<string> => {
      const { outputs } = await client.execute(code);
      const [result] = outputs.filter(({ header }) => header.msg_type === "execute_result");
      return ((result!.content["data"] as Json)[traceMime] as TracePayload).title;
    };
    expect(await title("x.mul(2);\n\nawait profile(() => x.mul(3))")).toBe("Profile of Cell [3]:3");
    // By another name, and after somebody else's turn.
    await client.execute('import { profile as measured } from "warpcell"; import * as all from "warpcell"');
    expect(await title("await null;\nconst p = await measured(() => x.mul(3)); p")).toBe("Profile of Cell [5]:2");
    await client.execute("async function later() {\n  await null;\n  return all.profile(() => x.mul(3));\n}");
    expect(await title("await later()")).toBe("Profile of Cell [6]:3");
    expect(await title("await new Promise((done) => setImmediate(() => done(profile(() => 1))))")).toBe(
      "Profile of Cell [8]:1",
    );
  });

  test("a launch that a function of another cell makes is on that cell's line", async () => {
    const { client } = await prepared();
    await client.execute("function step() {\n  scale.over(4096)(x, 4096, 2);\n}");
    const { outputs } = await client.execute("%%profile\nstep(); step()");
    const launches = slices(profileOf(outputs)).filter(({ kind }) => kind === "kernel");
    expect(launches.map(({ place }) => place)).toEqual(["Cell [3]:2", "Cell [3]:2"]);
  });

  test("a cell that throws shows what it did before, then its error; one that is stopped its error alone; then the next profile works", async () => {
    const opened = await prepared();
    const { client } = opened;
    const failed = await client.execute("%%profile\nscale.over(4096)(x, 4096, 2); null.x");
    expect(failed.reply["status"]).toBe("error");
    expect(profileOf(failed.outputs).kernels.map(({ name, calls }) => [name, calls])).toEqual([["scale", 1]]);
    expect(failed.outputs.filter(({ header }) => header.msg_type === "error")).toHaveLength(1);
    const lost = await client.execute("%%profile\nscale.launch({ grid: 1, block: 4096 }, x, 1, 1)");
    expect(lost.reply["ename"]).toBe("LaunchError");
    const running = client.execute('%%profile\nconsole.log("on"); for (;;) scale.over(4096)(x, 4096, 1)');
    await next(client, ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("on"));
    await client.request("control", "interrupt_request", {});
    const stopped = await running;
    expect(stopped.reply["status"]).toBe("error");
    expect(bundles(stopped.outputs).filter((bundle) => traceMime in bundle)).toEqual([]);
    expect(
      profileOf((await client.execute("%%profile\nscale.over(4096)(x, 4096, 2)")).outputs).kernels.map(
        ({ name, calls }) => [name, calls],
      ),
    ).toEqual([["scale", 1]]);
  });

  test("with --typescript functions lead to their lines, and none of the kernel's own is among them", async () => {
    const { client } = await prepared();
    await client.execute(
      "const double = 2\nfunction heavy(milliseconds: number): number {\n  const end = performance.now() + milliseconds;\n  let turns = 0;\n  while (performance.now() < end) turns += double;\n  return turns;\n}",
    );
    const { outputs } = await client.execute("%%profile --typescript\nconst outer = () => heavy(60);\nouter() > 0");
    const functions = slices(profileOf(outputs)).filter(({ track }) => track === "functions");
    expect(functions).toContainEqual({ name: "heavy", place: "Cell [3]:2", kind: "function", track: "functions" });
    expect(functions).toContainEqual({ name: "outer", place: "Cell [4]:2", kind: "function", track: "functions" });
    const allowed = new Set(["cell", "outer", "heavy", "Node.js", "Warpcell"]);
    expect(functions.filter(({ name }) => !allowed.has(name))).toEqual([]);
  });

  test("with samples the cpu says that it has none, and counters and samples are not for one profile", async () => {
    const { client } = await prepared();
    const { outputs } = await client.execute("%%profile --samples\nscale.over(4096)(x, 4096, 2)");
    expect(profileOf(outputs).notes).toEqual([
      "cpu: Nothing is sampled: only GPUs can say which instruction a kernel is at.",
    ]);
    expect(shown(await client.execute("%%profile --samples --counters\n1"))).toContainEqual([
      "error",
      expect.stringContaining("A profile counts or takes samples, because GPUs do not do both at once"),
    ]);
  });

  test("what it takes", async () => {
    const { client } = await prepared();
    expect(shown(await client.execute("%%profile --all\n1"))).toContainEqual([
      "error",
      expect.stringContaining(
        "%%profile takes --counters, --samples, --typescript or nothing, but got --all. The code comes on the next line.",
      ),
    ]);
  });
});

describe("the line below a cell of kernels", () => {
  test("says what each uses, and after a profile how long the last launch took", async () => {
    const { client } = await openKernel(cpu);
    const made = await client.execute(kernels);
    const [message] = made.outputs.filter(({ header }) => header.msg_type === "display_data");
    const { display_id: id } = message!.content["transient"] as { display_id: string };
    expect((message!.content["data"] as Json)["text/plain"]).toMatch(
      /^scale\(x: float\*, n: int, a: float\) · (cached|compiled in [\d.]+ ms)$/,
    );
    await client.execute('import { ones, profile } from "warpcell"\nconst x = ones([4096])');
    const { outputs } = await client.execute("await profile(() => scale.over(4096, { bytes: 8 * 4096 })(x, 4096, 2))");
    const [update] = outputs.filter(({ header }) => header.msg_type === "update_display_data");
    expect(update!.content["transient"]).toEqual({ display_id: id });
    expect((update!.content["data"] as Json)["text/plain"]).toMatch(/ · last launch [\d.]+ (µs|ms), [\d.]+ GB\/s$/);
  });

  test("%%cuda --profile profiles every cell that launches one of its kernels", async () => {
    const { client } = await openKernel(cpu);
    await client.execute('import { ones } from "warpcell"\nconst x = ones([4096])');
    await client.execute(kernels.replace("%%cuda", "%%cuda --profile"));
    expect(bundles((await client.execute("x.add(1)")).outputs).filter((bundle) => traceMime in bundle)).toEqual([]);
    for (const count of [4, 5]) {
      const payload = profileOf((await client.execute("1\nscale.over(4096)(x, 4096, 2)\nx.sum()")).outputs);
      expect(payload.title).toBe(`Profile of Cell [${count}]:2`);
      expect(payload.kernels.find(({ name }) => name === "scale")).toMatchObject({ calls: 1, operation: null });
    }
  });
});

describe("windows of a large profile", () => {
  const ask = async (
    client: TestKernel["client"],
    data: Json,
  ): Promise<{ reply: WindowReply; buffers: Uint8Array[] }> => {
    const answer = next(client, ({ header }) => header.msg_type === "comm_msg");
    client.send("shell", requestOf("comm_msg", { comm_id: "t", data }));
    const { content, buffers } = await answer;
    return { reply: content["data"] as unknown as WindowReply, buffers: buffers as Uint8Array[] };
  };

  test("what does not travel with the output comes on request, merged to what pixels show", async () => {
    const { client } = await prepared();
    const { outputs } = await client.execute(
      "await profile(() => { for (let i = 0; i < 15_000; i++) scale.launch({ grid: 1, block: 1 }, x, 1, 1) })",
    );
    const [result] = outputs.filter(({ header }) => header.msg_type === "execute_result");
    const payload = (result!.content["data"] as Json)[traceMime] as TracePayload;
    expect(payload.complete).toBe(false);
    expect(payload.count).toBeGreaterThan(30_000);
    expect(payload.slices.length).toBeLessThan(20_000);
    // What is merged stands for all.
    expect(numbers(payload.slices.merged!, Uint32Array).reduce((sum, count) => sum + count, 0)).toBe(payload.count);
    client.send("shell", requestOf("comm_open", { comm_id: "t", target_name: "warpcell.trace", data: {} }));
    const whole = await ask(client, { request: 1, id: payload.id!, start: 0, end: payload.duration, width: 500 });
    expect(whole.reply).toMatchObject({ request: 1, problem: null, complete: false });
    const columns = Object.fromEntries(whole.reply.columns.map(({ name, offset }) => [name, offset]));
    const bytes = Uint8Array.from(whole.buffers[0]!);
    expect(
      new Uint32Array(bytes.buffer, columns["merged"], whole.reply.length).reduce((sum, count) => sum + count, 0),
    ).toBe(payload.count);
    const part = await ask(client, {
      request: 2,
      id: payload.id!,
      start: payload.duration / 2,
      end: payload.duration / 2 + 20_000,
      width: 2000,
    });
    expect(part.reply.problem).toBeNull();
    expect(part.reply.length).toBeLessThan(1000);
    const gone = await ask(client, {
      request: 3,
      id: "00000000-0000-0000-0000-000000000000",
      start: 0,
      end: 1,
      width: 100,
    });
    expect(gone.reply).toMatchObject({
      request: 3,
      length: 0,
      problem: "This profile is no longer in memory. Run its cell again to see more of it.",
    });
    const wrong = await ask(client, { request: 4, id: payload.id!, start: 5, end: 1, width: 100 });
    expect(wrong.reply.problem).toBe(
      "A window is asked for by a request number, the profile's id, a start before its end in nanoseconds, and a width from 1 to 20000.",
    );
  });
});

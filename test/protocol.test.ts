// What session and device process say to each other, as TypeScript has it beside the headers of native/protocol: a
// program that includes them says what they mean, field by field.
import { describe, expect, test } from "vitest";
import { binding } from "../native/lib/wire/binding.ts";
import { headerBytes, headerOffsets, maxArgumentBytes, Op, offsetOf, segmentOf } from "../native/lib/wire/commands.ts";
import { writeCopy, writeFill } from "../native/lib/wire/copy.ts";
import { LaunchFlag, LaunchLayout, launchWords, putSizes } from "../native/lib/wire/launch.ts";
import { writeGraphLaunch, writeGraphRelease, writeGraphUpdate } from "../native/lib/wire/graph.ts";
import {
  writeEventRecord,
  writeEventRelease,
  writeEventWait,
  writeFence,
  writeHostUnload,
  writePlanRelease,
  writeStreamWait,
  writeTextureCopy,
  writeTextureRelease,
  writeUnload,
} from "../native/lib/wire/mark.ts";
import { answerOf, messages, requestFields, type MessageName } from "../native/lib/wire/messages.ts";
import { recordBytes, RecordKind, recordOffsets } from "../native/lib/wire/profile-records.ts";
import { Recording } from "../native/lib/wire/recording.ts";
import { writeRun } from "../native/lib/wire/run.ts";
import type { TargetStream } from "../native/lib/wire/target.ts";
import { entries, layout, printed } from "./helpers/host-cpp.ts";

const names = Object.keys(messages) as MessageName[];
/** Fields of C++ with the names that TypeScript has for them. */
const inCpp = (offsets: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(offsets).map(([name, at]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), at]),
  );
const ofRecords = inCpp(recordOffsets);

/** A record as one of these writers lays it out, for stream 5. */
function written(write: (on: TargetStream) => void): Uint8Array {
  const target = new Recording();
  write({ target, stream: 5 });
  return target.records[0]!;
}
const pointers = [0, 16, 24];
const records = {
  Launch: written((on) => {
    const { words } = new LaunchLayout(71, 40, pointers).begin(on);
    putSizes(words, launchWords.grid, 2, 3, 4);
    putSizes(words, launchWords.block, 5, 6, 7);
    words[launchWords.shared] = 8192;
    words[launchWords.flags] = LaunchFlag.cooperative;
    on.target.commit();
  }),
  Copy: written((on) => writeCopy(on, 2 ** 41 + 8, 2 ** 42 + 16, 2 ** 33 + 24)),
  Fill: written((on) => writeFill(on, 2 ** 41 + 8, 2 ** 33 + 24, 0x1122334455667788n, 8)),
  Run: written((on) => writeRun(on, 72, [2 ** 41 + 8, undefined], [0.5, -2], 2 ** 42 + 16, undefined)),
  ModuleUnload: written((on) => writeUnload(on, 73)),
  HostUnload: written((on) => writeHostUnload(on, 81)),
  PlanRelease: written((on) => writePlanRelease(on, 74)),
  StreamWait: written((on) => writeStreamWait(on, 7)),
  GraphUpdate: written((on) => writeGraphUpdate(on, 75, [3, 80, 5, 6, 4, 88, 7, 8])),
  GraphLaunch: written((on) => writeGraphLaunch(on, 76)),
  GraphRelease: written((on) => writeGraphRelease(on, 77)),
  EventRecord: written((on) => writeEventRecord(on, 78)),
  EventWait: written((on) => writeEventWait(on, 79)),
  EventRelease: written((on) => writeEventRelease(on, 80)),
  TextureCopy: written((on) => writeTextureCopy(on, 81, true)),
  TextureRelease: written((on) => writeTextureRelease(on, 82)),
  Fence: written((on) => writeFence(on)),
};
/** What follows a record: offsets of pointers; places, then scalars. */
const trailers: Readonly<Record<string, string>> = {
  Launch: `  const uint16_t* offsets = reinterpret_cast<const uint16_t*>(rest_Launch);
  for (int i = 0; i < 3; i++) say(("pointer " + std::to_string(i)).c_str(), offsets[i]);`,
  GraphUpdate: `  const Change* changes = reinterpret_cast<const Change*>(rest_GraphUpdate);
  for (int i = 0; i < 2; i++) {
    say(("record " + std::to_string(i)).c_str(), changes[i].record);
    say(("byte " + std::to_string(i)).c_str(), changes[i].byte);
    say(("value " + std::to_string(i)).c_str(), (unsigned long long)changes[i].value);
  }`,
  Run: `  const Place* places = reinterpret_cast<const Place*>(rest_Run);
  for (int i = 0; i < 2; i++) say(("place " + std::to_string(i)).c_str(), std::to_string(places[i]));
  say("status, as text", std::to_string(record_Run.status));
  const double* scalars = reinterpret_cast<const double*>(places + 2);
  for (int i = 0; i < 2; i++) say(("scalar " + std::to_string(i)).c_str(), std::to_string(scalars[i]));`,
};
/** What C++ finds in each of them. */
const readAs: Record<keyof typeof records, readonly string[]> = {
  Launch: [
    "kernel",
    "grid[0]",
    "grid[1]",
    "grid[2]",
    "block[0]",
    "block[1]",
    "block[2]",
    "shared",
    "argument_bytes",
    "pointer_count",
    "flags",
  ],
  Copy: ["destination", "source", "size"],
  Fill: ["destination", "size", "pattern", "width"],
  Run: ["plan", "place_count", "scalar_count", "workspace"],
  ModuleUnload: ["module"],
  HostUnload: ["module"],
  PlanRelease: ["plan"],
  StreamWait: ["other"],
  GraphUpdate: ["graph", "count"],
  GraphLaunch: ["graph"],
  GraphRelease: ["graph"],
  EventRecord: ["event"],
  EventWait: ["event"],
  EventRelease: ["event"],
  TextureCopy: ["texture", "to_memory"],
  TextureRelease: ["texture"],
  Fence: [],
};
const readBack = Object.fromEntries(
  Object.entries(records).map(([struct, bytes]) => [
    `read ${struct}`,
    `  alignas(8) static const unsigned char bytes_of_${struct}[] = {${bytes.join()}};
  const ${struct}& record_${struct} = *reinterpret_cast<const ${struct}*>(bytes_of_${struct});
${["header.bytes", "header.op", "header.stream", ...readAs[struct as keyof typeof records]]
  .map((field) => `  say("${field}", (unsigned long long)record_${struct}.${field});`)
  .join("\n")}
  const unsigned char* rest_${struct} = bytes_of_${struct} + sizeof(${struct});
${trailers[struct] ?? ""}`,
  ]),
);

const said = printed(["protocol/commands.h", "protocol/messages.h", "protocol/profile.h"], {
  commands: entries("WARPCELL_COMMANDS", "name, number, message", "#name", "number"),
  messages: entries("WARPCELL_MESSAGES", "name", "#name", "1"),
  kinds: entries("WARPCELL_PROFILE_KINDS", "name, number", "#name", "number"),
  ...Object.fromEntries(
    names.flatMap((name) =>
      (["request", "answer"] as const).map((side) => [
        `${side} of ${name}`,
        entries(`WARPCELL_${side.toUpperCase()}_${name}`, "kind, name", "#name", "#kind"),
      ]),
    ),
  ),
  header: layout("Header", Object.keys(headerOffsets)),
  record: layout("ProfileRecord", Object.keys(ofRecords)),
  ...readBack,
  limits: `say("version", kProtocolVersion); say("argumentBytes", kMaxArgumentBytes); say("place", place(3, 77));`,
});

test("commands have the numbers of the header", () => {
  expect(said["commands"]).toEqual(Op);
});

test("commands with a message are those of the table", () => {
  expect(Object.keys(said["messages"]!).sort()).toEqual([...names].sort());
});

test.each(names)("%s asks and is answered the same fields in the same order", (name) => {
  for (const side of ["request", "answer"] as const)
    expect(Object.entries(said[`${side} of ${name}`]!), side).toEqual(Object.entries(messages[name][side]));
});

describe("structs lie as the compiler lays them out", () => {
  test("the head of a record", () => {
    expect(said["header"]).toEqual({ bytes: headerBytes, fields: headerOffsets });
  });

  test.each<[keyof typeof records, number, object]>([
    [
      "Launch",
      Op.launch,
      {
        kernel: 71,
        "grid[0]": 2,
        "grid[1]": 3,
        "grid[2]": 4,
        "block[0]": 5,
        "block[1]": 6,
        "block[2]": 7,
        shared: 8192,
        argument_bytes: 40,
        pointer_count: 3,
        flags: 1,
        ...Object.fromEntries(pointers.map((offset, index) => [`pointer ${index}`, offset])),
      },
    ],
    ["Copy", Op.copy, { destination: 2 ** 41 + 8, source: 2 ** 42 + 16, size: 2 ** 33 + 24 }],
    ["Fill", Op.fill, { destination: 2 ** 41 + 8, size: 2 ** 33 + 24, pattern: Number(0x1122334455667788n), width: 8 }],
    [
      "Run",
      Op.run,
      {
        plan: 72,
        place_count: 2,
        scalar_count: 2,
        workspace: 2 ** 42 + 16,
        "place 0": String(2 ** 41 + 8),
        "place 1": String(2n ** 64n - 1n),
        "status, as text": String(2n ** 64n - 1n),
        "scalar 0": "0.500000",
        "scalar 1": "-2.000000",
      },
    ],
    ["ModuleUnload", Op.module_unload, { module: 73 }],
    ["HostUnload", Op.host_unload, { module: 81 }],
    ["PlanRelease", Op.plan_release, { plan: 74 }],
    [
      "GraphUpdate",
      Op.graph_update,
      {
        graph: 75,
        count: 2,
        "record 0": 3,
        "byte 0": 80,
        "value 0": 6 * 2 ** 32 + 5,
        "record 1": 4,
        "byte 1": 88,
        "value 1": 8 * 2 ** 32 + 7,
      },
    ],
    ["GraphLaunch", Op.graph_launch, { graph: 76 }],
    ["GraphRelease", Op.graph_release, { graph: 77 }],
    ["EventRecord", Op.event_record, { event: 78 }],
    ["EventWait", Op.event_wait, { event: 79 }],
    ["EventRelease", Op.event_release, { event: 80 }],
    ["TextureCopy", Op.texture_copy, { texture: 81, to_memory: 1 }],
    ["TextureRelease", Op.texture_release, { texture: 82 }],
    ["Fence", Op.fence, {}],
  ])("a %s that was written here is read there field by field", (struct, op, fields) => {
    const head = { "header.bytes": records[struct].byteLength, "header.op": op, "header.stream": 5 };
    expect(said[`read ${struct}`]).toEqual({ ...head, ...fields });
  });

  test("what a profile records", () => {
    expect(said["record"]).toEqual({ bytes: recordBytes, fields: ofRecords });
    expect(said["kinds"]).toEqual(RecordKind);
  });
});

test("limits and places are those of the header", () => {
  const { version, argumentBytes, place } = said["limits"] as Record<string, number>;
  expect([version, argumentBytes]).toEqual([binding.protocolVersion, maxArgumentBytes]);
  expect([segmentOf(place!), offsetOf(place!)]).toEqual([3, 77]);
});

describe("messages travel as fields", () => {
  test("numbers in decimal, lines in one field, a list in one for each", () => {
    expect(requestFields("address", { place: 2 ** 41 + 4096 })).toEqual(["2199023259648"]);
    const request = { source: "s", name: "n", headers: "h", expressions: ["a", "b"], options: ["--x", "--y"] };
    expect(requestFields("compile", request)).toEqual(["s", "n", "h", "a\nb", "--x", "--y"]);
    expect(requestFields("profile_start", { counters: true, samples: false })).toEqual(["1", "0"]);
  });

  test("what may be missing at the end of an answer is null", () => {
    const fields = ["log", "code", "a\nb", "/x.h\n/y.h"].map((field) => new TextEncoder().encode(field));
    const answer = { log: "log", artifact: fields[1], lowered: ["a", "b"] };
    expect(answerOf("compile", fields)).toEqual({ ...answer, dependencies: ["/x.h", "/y.h"] });
    expect(answerOf("compile", fields.slice(0, 3))).toEqual({ ...answer, dependencies: null });
  });

  test.each([
    [2, "compile", "log, artifact, lowered, dependencies?"],
    [5, "compile", "log, artifact, lowered, dependencies?"],
    [0, "plan", "workspace, hostWorkspace, kept, hasStatus, chosen, choice"],
  ] as const)("an answer of %i fields to %s is refused", (count, name, fields) => {
    expect(() => answerOf(name, Array(count).fill(new Uint8Array()))).toThrow(
      `The answer to ${name} must have the fields [${fields}], but has ${count} of them: its parts are from different versions. Build the library again: npm run build.`,
    );
  });
});

// What people read of listings: no directives, nothing unseen, instructions near the margin; and the colours of their
// words.
import { expect, test } from "vitest";
import type { AsmListing } from "../../../kernel/mime.ts";
import { listingLanguage } from "./languages.ts";
import { instructionsOf, shownLine, shownLines } from "./listing-text.ts";

const left = (name: AsmListing["name"], lines: string[]) => instructionsOf(name, lines).map((index) => lines[index]);

test("PTX without where it came from and without sections of data", () => {
  expect(
    left("PTX", [
      ".version 8.5",
      "\t.loc\t1 3 11",
      "\tmov.u32 \t%r3, %ctaid.x;",
      '\t.file\t1 "Cell [2]"',
      "\t.section\t.debug_str",
      "\t{",
      "\t.b8 1",
      "\t}",
      "\t.local .align 4 .b8 a[4];",
      ".locale:",
    ]),
  ).toEqual([".version 8.5", "\tmov.u32 \t%r3, %ctaid.x;", "\t.local .align 4 .b8 a[4];", ".locale:"]);
});

test("SASS without directives and notes, with its labels", () => {
  expect(
    left("SASS", [
      '\t.headerflags\t@"EF"',
      "\t.section\t.text.k",
      '\t//## File "x", line 3',
      ".text.k:",
      "k:",
      "  /*0000*/ EXIT ;",
      ".L_x_0:",
    ]),
  ).toEqual(["k:", "  /*0000*/ EXIT ;", ".L_x_0:"]);
});

test("assembly without what serves the linker and the debugger, with data and jumps' labels", () => {
  expect(
    left("assembly", [
      "\t.cfi_startproc",
      "\t.p2align 4",
      "k:",
      ".LFB12:",
      ".L3:",
      "\tvmulps\t%ymm0, %ymm1, %ymm2",
      "\t.loc 1 2 3 is_stmt 0",
      ".LVL7:",
      "\t.quad\t7",
      "\t.text",
      ".text.hot:",
    ]),
  ).toEqual(["k:", ".L3:", "\tvmulps\t%ymm0, %ymm1, %ymm2", "\t.quad\t7", ".text.hot:"]);
});

test("a listing of 200,000 lines takes a moment", () => {
  const lines = Array.from({ length: 200_000 }, (_, index) =>
    index % 2 === 0 ? "\t.loc\t1 3 11" : "\tfma.rn.f32 \t%f4, %f2, %f1, %f3;",
  );
  const start = performance.now();
  expect(instructionsOf("PTX", shownLines({ name: "PTX", lines }))).toHaveLength(100_000);
  expect(performance.now() - start).toBeLessThan(2000);
});

test("lines are cut, tabs stay, the rest is seen, and nvdisasm's indentation goes", () => {
  expect(shownLine("\tmov\u0000\u202e")).toBe("\tmov␀\ufffd");
  expect(shownLine("x".repeat(10_000_000))).toHaveLength(2000);
  expect(
    shownLines({ name: "SASS", lines: ["        /*00f0*/               @!P0 FFMA R7, R2, R3, R7 ;", ".L_x_0:"] }),
  ).toEqual(["  /*00f0*/ @!P0 FFMA R7, R2, R3, R7 ;", ".L_x_0:"]);
});

/** Each token that has a tag. */
function tokens(name: AsmListing["name"], text: string): [string, string][] {
  const found: [string, string][] = [];
  listingLanguage(name)
    .parser.parse(text)
    .iterate({
      enter: (node) => {
        if (node.from < node.to && !node.type.isTop && !node.node.firstChild)
          found.push([text.slice(node.from, node.to), node.name]);
      },
    });
  return found;
}

test.each<[AsmListing["name"], string, [string, string][]]>([
  [
    "PTX",
    "@%p1 bra \t$L__BB0_2;",
    [
      ["@%p1", "meta"],
      ["bra", "keyword"],
      ["$L__BB0_2", "labelName"],
    ],
  ],
  [
    "PTX",
    "\tmov.u32 \t%r3, %ctaid.x; // block",
    [
      ["mov.u32", "keyword"],
      ["%r3", "variableName.special"],
      ["%ctaid.x", "variableName.standard"],
      ["// block", "comment"],
    ],
  ],
  [
    "PTX",
    "$L__BB0_2:\n\tfma.rn.f32 %f4, %f2, 0f3F800000, -12;",
    [
      ["$L__BB0_2:", "labelName"],
      ["fma.rn.f32", "keyword"],
      ["%f4", "variableName.special"],
      ["%f2", "variableName.special"],
      ["0f3F800000", "number"],
      ["-12", "number"],
    ],
  ],
  [
    "SASS",
    "  /*0060*/ @!P0 LDG.E R2, desc[UR4][R2.64] ;",
    [
      ["/*0060*/", "comment"],
      ["@!P0", "meta"],
      ["LDG.E", "keyword"],
      ["R2", "variableName.special"],
      ["UR4", "variableName.special"],
      ["R2.64", "variableName.special"],
    ],
  ],
  [
    "SASS",
    "  /*0070*/ ISETP.GE.AND P0, PT, R7, c[0x0][0x210], PT ; /* 0x1 */",
    [
      ["/*0070*/", "comment"],
      ["ISETP.GE.AND", "keyword"],
      ["P0", "variableName.special"],
      ["PT", "variableName.special"],
      ["R7", "variableName.special"],
      ["c[0x0][0x210]", "atom"],
      ["PT", "variableName.special"],
      ["/* 0x1 */", "comment"],
    ],
  ],
  [
    "assembly",
    "\tvfmadd231ps\t16(%rsi,%rax), %ymm1, %ymm2 # fused",
    [
      ["vfmadd231ps", "keyword"],
      ["16", "number"],
      ["%rsi", "variableName.special"],
      ["%rax", "variableName.special"],
      ["%ymm1", "variableName.special"],
      ["%ymm2", "variableName.special"],
      ["# fused", "comment"],
    ],
  ],
  [
    "assembly",
    ".L3:\n\tjne\t.L3",
    [
      [".L3:", "labelName"],
      ["jne", "keyword"],
      [".L3", "labelName"],
    ],
  ],
])("%s: %s", (name, text, expected) => expect(tokens(name, text)).toEqual(expected));

test("any text is read to its end", () => {
  for (const name of ["PTX", "SASS", "assembly"] as const)
    for (const text of ["", '"never closed', "/* never closed", "\\ ` ' \u0000 é 名前", "@", "c[", "%".repeat(5000)])
      expect(listingLanguage(name).parser.parse(text).length).toBe(text.length);
});

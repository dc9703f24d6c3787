// A kernel's listings as text, with and without samples.
import { expect, test } from "vitest";
import type { CodeCell } from "../device/origins.ts";
import type { AsmPayload } from "../payloads.ts";
import { assemblyOf } from "./asm.ts";
import type { KernelInfo } from "./kernel.ts";

const sass = `.text.k:
	//## File "Cell [2]", line 1
        /*0000*/                   S2R R0, SR_TID.X ;
	//## File "Cell [2]", line 2
        /*0010*/                   STG.E desc[UR4][R2.64], R0 ;
        /*0020*/                   EXIT ;
`;
const ptx = `.visible .entry k(
)
{
	.loc	1 1 0
	mov.u32 	%r1, %tid.x;
	.loc	1 2 3
	st.global.u32 	[%rd1], %r1;
	ret;
}
	.file	1 "Cell [2]"
`;
const info: KernelInfo = {
  name: "k",
  device: "cuda:0",
  registers: null,
  shared: null,
  local: null,
  constant: null,
  maxThreads: null,
  spillStores: null,
  spillLoads: null,
  cluster: null,
  binary: 90,
  execution: null,
  parameters: [],
};
const kernel = {
  name: "k",
  source: "one\ntwo",
  info,
  occupancy: () => {
    throw new Error("There is none.");
  },
};
const texts: Readonly<Record<string, string>> = { ptx, "sass-lines": sass, "sass-registers": "" };
const of = (title: string, cell: CodeCell | null, samples: ReadonlyMap<number, number> = new Map()) =>
  assemblyOf({ kernel, title, cell, symbol: "k", arch: "sm_90a", samples, text: (form) => texts[form] ?? "" });
const shown = (samples: ReadonlyMap<number, number>): string =>
  String(of("Cell [2]", { cell: null, count: 2 }, samples))
    .split("\n\n")
    .slice(0, 2)
    .join("\n\n");

test("what is shown leads to the cell that was compiled, whatever the text is called", () => {
  const linkOf = (assembly: ReturnType<typeof of>) => {
    const { cell, count } = Object.values(assembly[Symbol.for("Jupyter.display") as never]())[1] as AsmPayload;
    return { cell, count };
  };
  expect(linkOf(of("Cell [2]", { cell: "c2", count: 2 }))).toEqual({ cell: "c2", count: 2 });
  expect(linkOf(of("Notes [7].cu", null))).toEqual({ cell: null, count: 0 });
});

test("instructions say their line, and how many samples were taken at them", () => {
  expect(
    shown(
      new Map([
        [0, 7],
        [0x10, 1200],
      ]),
    ),
  ).toBe(`k · PTX · sm_90a · 1207 samples
  │      │ .visible .entry k(
  │      │ )
  │      │ {
  │      │   .loc  1 1 0
1 │    7 │   mov.u32   %r1, %tid.x;
  │      │   .loc  1 2 3
2 │ 1200 │   st.global.u32   [%rd1], %r1;
2 │      │   ret;
  │      │ }

k · SASS · sm_90a · 1207 samples
1 │    7 │   /*0000*/                   S2R R0, SR_TID.X ;
2 │ 1200 │   /*0010*/                   STG.E desc[UR4][R2.64], R0 ;
2 │      │   /*0020*/                   EXIT ;`);
});

test("without samples there is no column of them", () => {
  expect(shown(new Map()).split("\n").slice(-4)).toEqual([
    "k · SASS · sm_90a",
    "1 │   /*0000*/                   S2R R0, SR_TID.X ;",
    "2 │   /*0010*/                   STG.E desc[UR4][R2.64], R0 ;",
    "2 │   /*0020*/                   EXIT ;",
  ]);
});

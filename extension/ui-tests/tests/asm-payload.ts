// Makes the assembly of a kernel as one would store it: axpy for an H200, with registers and samples.

export const mime = "application/vnd.warpcell.asm.v1+json";

type Line = readonly [text: string, source: number, live?: number, samples?: number];

export function listing(name: "PTX" | "SASS" | "assembly", lines: readonly Line[]): object {
  const column = (at: 2 | 3) =>
    lines.some((line) => line[at] !== undefined) ? lines.map((line) => line[at] ?? 0) : [];
  return {
    name,
    lines: lines.map(([text]) => text),
    source: lines.map(([, source]) => source),
    live: column(2),
    samples: column(3),
  };
}

const source = [
  "template <class T> __global__ void axpy(int n, T a, const T* __restrict__ x, T* y) {",
  "  // One thread per element.",
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
  "  if (i < n) y[i] += a * x[i];",
  "}",
];

const ptx: Line[] = [
  [".version 8.5", 0],
  [".target sm_90a", 0],
  [".address_size 64", 0],
  ["", 0],
  [".visible .entry _Z4axpyIfEviT_PKS0_PS0_(", 1],
  ["\t.param .u32 axpy_param_0,", 1],
  ["\t.param .f32 axpy_param_1,", 1],
  ["\t.param .u64 axpy_param_2,", 1],
  ["\t.param .u64 axpy_param_3", 1],
  [")", 1],
  ["{", 1],
  ["\t.reg .pred \t%p<2>;", 1],
  ["\t.reg .f32 \t%f<5>;", 1],
  ["\t.reg .b32 \t%r<6>;", 1],
  ["\t.reg .b64 \t%rd<8>;", 1],
  ["\t.loc\t1 1 0", 0],
  ["", 0],
  ["\tld.param.u32 \t%r2, [axpy_param_0];", 1],
  ["\tld.param.f32 \t%f1, [axpy_param_1];", 1],
  ["\tld.param.u64 \t%rd1, [axpy_param_2];", 1],
  ["\tld.param.u64 \t%rd2, [axpy_param_3];", 1],
  ["\t.loc\t1 3 11", 0],
  ["\tmov.u32 \t%r3, %ctaid.x;", 3],
  ["\tmov.u32 \t%r4, %ntid.x;", 3],
  ["\tmov.u32 \t%r5, %tid.x;", 3],
  ["\tmad.lo.s32 \t%r1, %r3, %r4, %r5;", 3],
  ["\t.loc\t1 4 7", 0],
  ["\tsetp.ge.s32 \t%p1, %r1, %r2;", 4],
  ["\t@%p1 bra \t$L__BB0_2;", 4],
  ["", 0],
  ["\t.loc\t1 4 14", 0],
  ["\tcvta.to.global.u64 \t%rd3, %rd1;", 4],
  ["\tmul.wide.s32 \t%rd4, %r1, 4;", 4],
  ["\tadd.s64 \t%rd5, %rd3, %rd4;", 4],
  ["\tld.global.nc.f32 \t%f2, [%rd5];", 4],
  ["\tcvta.to.global.u64 \t%rd6, %rd2;", 4],
  ["\tadd.s64 \t%rd7, %rd6, %rd4;", 4],
  ["\tld.global.f32 \t%f3, [%rd7];", 4],
  ["\tfma.rn.f32 \t%f4, %f2, %f1, %f3;", 4],
  ["\tst.global.f32 \t[%rd7], %f4;", 4],
  ["", 0],
  ["$L__BB0_2:", 0],
  ["\t.loc\t1 5 1", 0],
  ["\tret;", 5],
  ["}", 0],
  ['\t.file\t1 "Cell [2]"', 0],
  ["\t.section\t.debug_str", 0],
  ["\t{", 0],
  ["info_string0:", 0],
  ["\t.b8 67, 101, 108, 108", 0],
  ["\t}", 0],
];

const sass: Line[] = [
  ['\t.headerflags\t@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"', 0, 0, 0],
  ["_Z4axpyIfEviT_PKS0_PS0_:", 0, 0, 0],
  [".text._Z4axpyIfEviT_PKS0_PS0_:", 0, 0, 0],
  ['\t//## File "Cell [2]", line 1', 0, 0, 0],
  ["        /*0000*/                   LDC R1, c[0x0][0x28] ;", 1, 1, 4],
  ['\t//## File "Cell [2]", line 3', 0, 0, 0],
  ["        /*0010*/                   S2R R0, SR_TID.X ;", 3, 2, 21],
  ["        /*0020*/                   S2UR UR4, SR_CTAID.X ;", 3, 3, 12],
  ["        /*0030*/                   LDC R7, c[0x0][RZ] ;", 3, 4, 8],
  ["        /*0040*/                   IMAD R7, R7, UR4, R0 ;", 3, 3, 31],
  ['\t//## File "Cell [2]", line 4', 0, 0, 0],
  ["        /*0050*/                   ISETP.GE.AND P0, PT, R7, c[0x0][0x210], PT ;", 4, 3, 17],
  ["        /*0060*/               @P0 EXIT ;", 4, 3, 9],
  ["        /*0070*/                   LDC.64 R2, c[0x0][0x218] ;", 4, 5, 14],
  ["        /*0080*/                   ULDC.64 UR4, c[0x0][0x208] ;", 4, 6, 3],
  ["        /*0090*/                   LDC.64 R4, c[0x0][0x220] ;", 4, 8, 6],
  ["        /*00a0*/                   IMAD.WIDE R2, R7, 0x4, R2 ;", 4, 8, 11],
  ["        /*00b0*/                   LDG.E.CONSTANT R2, desc[UR4][R2.64] ;", 4, 8, 118],
  ["        /*00c0*/                   IMAD.WIDE R4, R7, 0x4, R4 ;", 4, 6, 9],
  ["        /*00d0*/                   LDG.E R7, desc[UR4][R4.64] ;", 4, 6, 201],
  ["        /*00e0*/                   ULDC UR6, c[0x0][0x214] ;", 4, 6, 2],
  ["        /*00f0*/                   FFMA R7, R2, UR6, R7 ;", 4, 6, 482],
  ["        /*0100*/                   STG.E desc[UR4][R4.64], R7 ;", 4, 4, 44],
  ['\t//## File "Cell [2]", line 5', 0, 0, 0],
  ["        /*0110*/                   EXIT ;", 5, 1, 8],
  [".L_x_0:", 0, 0, 0],
  ["        /*0120*/                   BRA `(.L_x_0) ;", 0, 0, 0],
  ["        /*0130*/                   NOP ;", 0, 0, 0],
];

/** Of an H200: 2,048 threads and 32 blocks on a multiprocessor. */
const occupancy = Array.from({ length: 32 }, (_, index) => {
  const block = 32 * (index + 1);
  const blocks = Math.min(32, Math.floor(2048 / block));
  return { block, percent: (blocks * block * 100) / 2048, limiter: blocks === 32 && block < 64 ? "blocks" : "warps" };
});

export function axpy(changes: object = {}): object {
  return {
    version: 1,
    kernel: "axpy<float>(int, float, const float *, float *)",
    device: "cuda:0",
    arch: "sm_90a",
    title: "Cell [2]",
    cell: "cell-2",
    count: 2,
    source,
    listings: [listing("PTX", ptx), listing("SASS", sass)],
    registers: 16,
    shared: 0,
    spills: 0,
    occupancy,
    notes: [],
    ...changes,
  };
}

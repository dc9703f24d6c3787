// Listings of compilers and disassemblers, cut from what they print: every instruction with its line of the source.
import { expect, test } from "vitest";
import { parseAssembly, parsePtx, parseSass, readable, withSamplesOf, type Listing } from "./listings.ts";
import { binding } from "../wire/binding.ts";

const symbol = "_Z4axpyIfEviT_PKS0_PS0_";

/** Instructions by line, without what separates their words. */
const linked = ({ lines, source }: Listing): string[] =>
  lines.flatMap((line, index) => (source[index] === 0 ? [] : [`${source[index]} ${line.trim().replace(/\s+/g, " ")}`]));

// NVRTC 13.0.
const ptx = `.visible .entry sum(
	.param .u64 sum_param_0,
	.param .u64 sum_param_1,
	.param .u32 sum_param_2
)
{
	.reg .pred 	%p<12>;
	.reg .f32 	%f<34>;
	.reg .b32 	%r<7>;
	.reg .b64 	%rd<10>;
	.loc	1 8 0
	// demoted variable
	.shared .align 4 .b8 _ZZ3sumE4part[1024];

	ld.param.u64 	%rd3, [sum_param_0];
	ld.param.u64 	%rd4, [sum_param_1];
	ld.param.u32 	%r5, [sum_param_2];
	ret;

}
	// .weak	_Z4axpyIfEviT_PKS0_PS0_
.weak .entry _Z4axpyIfEviT_PKS0_PS0_(
	.param .u32 _Z4axpyIfEviT_PKS0_PS0__param_0,
	.param .f32 _Z4axpyIfEviT_PKS0_PS0__param_1,
	.param .u64 _Z4axpyIfEviT_PKS0_PS0__param_2,
	.param .u64 _Z4axpyIfEviT_PKS0_PS0__param_3
)
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<6>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;
	.loc	1 3 0


	ld.param.u32 	%r2, [_Z4axpyIfEviT_PKS0_PS0__param_0];
	ld.param.f32 	%f1, [_Z4axpyIfEviT_PKS0_PS0__param_1];
	ld.param.u64 	%rd1, [_Z4axpyIfEviT_PKS0_PS0__param_2];
	ld.param.u64 	%rd2, [_Z4axpyIfEviT_PKS0_PS0__param_3];
	.loc	1 4 3
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	.loc	1 5 3
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB1_2;

	.loc	1 4 3
	cvta.to.global.u64 	%rd3, %rd1;
	.loc	1 5 3
	mul.wide.s32 	%rd4, %r1, 4;
	add.s64 	%rd5, %rd3, %rd4;
	ld.global.f32 	%f2, [%rd5];
	.loc	1 5 3
	.loc	1 1 33, function_name $L__info_string0, inlined_at 1 5 3
	mul.f32 	%f3, %f2, %f2;
	.loc	1 4 3
	cvta.to.global.u64 	%rd6, %rd2;
	.loc	1 5 3
	add.s64 	%rd7, %rd6, %rd4;
	ld.global.f32 	%f4, [%rd7];
	fma.rn.f32 	%f5, %f3, %f1, %f4;
	st.global.f32 	[%rd7], %f5;

$L__BB1_2:
	.loc	1 6 1
	ret;

}
	.file	1 "/home/somebody/Cell [4]"
`;

test("PTX: the kernel alone, inlined functions at their own line", () => {
  const listing = parsePtx(ptx, symbol, "Cell [4]");
  expect(listing).toMatchObject({ name: "PTX", live: [], samples: [] });
  expect(listing.lines[0]).toBe(`.weak .entry ${symbol}(`);
  expect(listing.lines.at(-1)).toBe("}");
  expect(linked(listing)).toEqual([
    ...[0, 1, 2, 3].map(
      (at) => `3 ld.param.${["u32 %r2", "f32 %f1", "u64 %rd1", "u64 %rd2"][at]}, [${symbol}_param_${at}];`,
    ),
    "4 mov.u32 %r3, %ctaid.x;",
    "4 mov.u32 %r4, %ntid.x;",
    "4 mov.u32 %r5, %tid.x;",
    "4 mad.lo.s32 %r1, %r3, %r4, %r5;",
    "5 setp.ge.s32 %p1, %r1, %r2;",
    "5 @%p1 bra $L__BB1_2;",
    "4 cvta.to.global.u64 %rd3, %rd1;",
    "5 mul.wide.s32 %rd4, %r1, 4;",
    "5 add.s64 %rd5, %rd3, %rd4;",
    "5 ld.global.f32 %f2, [%rd5];",
    "1 mul.f32 %f3, %f2, %f2;",
    "4 cvta.to.global.u64 %rd6, %rd2;",
    "5 add.s64 %rd7, %rd6, %rd4;",
    "5 ld.global.f32 %f4, [%rd7];",
    "5 fma.rn.f32 %f5, %f3, %f1, %f4;",
    "5 st.global.f32 [%rd7], %f5;",
    "6 ret;",
  ]);
});

// nvdisasm 13.0, -c -gi and -c -plr -lrm count.
const sass = `	.target	sm_90a

	.elftype	@"ET_EXEC"


//--------------------- .text._Z4axpyIfEviT_PKS0_PS0_ --------------------------
	.section	.text._Z4axpyIfEviT_PKS0_PS0_,"ax",@progbits
	.align	128
.text._Z4axpyIfEviT_PKS0_PS0_:
        .weak           _Z4axpyIfEviT_PKS0_PS0_
        .type           _Z4axpyIfEviT_PKS0_PS0_,@function
        .size           _Z4axpyIfEviT_PKS0_PS0_,(.L_x_9 - _Z4axpyIfEviT_PKS0_PS0_)
        .other          _Z4axpyIfEviT_PKS0_PS0_,@"STO_CUDA_ENTRY STV_DEFAULT"
_Z4axpyIfEviT_PKS0_PS0_:
	//## File "/home/somebody/Cell [4]", line 3
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/home/somebody/Cell [4]", line 4
        /*0010*/                   S2R R0, SR_TID.X ;
        /*0020*/                   S2UR UR4, SR_CTAID.X ;
        /*0030*/                   LDC R7, c[0x0][RZ] ;
        /*0040*/                   IMAD R7, R7, UR4, R0 ;
	//## File "/home/somebody/Cell [4]", line 5
        /*0050*/                   ULDC UR4, c[0x0][0x210] ;
        /*0060*/                   ISETP.GE.AND P0, PT, R7, UR4, PT ;
.L_x_5:
        /*0070*/               @P0 EXIT ;
        /*0080*/                   LDC.64 R2, c[0x0][0x218] ;
        /*0090*/                   ULDC.64 UR4, c[0x0][0x208] ;
        /*00a0*/                   ULDC UR6, c[0x0][0x214] ;
        /*00b0*/                   LDC.64 R4, c[0x0][0x220] ;
        /*00c0*/                   IMAD.WIDE R2, R7, 0x4, R2 ;
        /*00d0*/                   LDG.E R2, desc[UR4][R2.64] ;
        /*00e0*/                   IMAD.WIDE R4, R7, 0x4, R4 ;
        /*00f0*/                   LDG.E R7, desc[UR4][R4.64] ;
	//## File "/home/somebody/Cell [4]", line 1 inlined at "/home/somebody/Cell [4]", line 5
	//## File "/home/somebody/Cell [4]", line 5
        /*0100*/                   FMUL R0, R2, R2 ;
	//## File "/home/somebody/Cell [4]", line 5
        /*0110*/                   FFMA R7, R0, UR6, R7 ;
        /*0120*/                   STG.E desc[UR4][R4.64], R7 ;
.L_x_6:
	//## File "/home/somebody/Cell [4]", line 6
        /*0130*/                   EXIT ;
.L_x_0:
        /*0140*/                   BRA \`(.L_x_0);
        /*0150*/                   NOP;
.L_x_9:


//--------------------- .text.sum                 --------------------------
	.section	.text.sum,"ax",@progbits
	.align	128
        .global         sum
        .type           sum,@function
        .size           sum,(.L_x_10 - sum)
        .other          sum,@"STO_CUDA_ENTRY STV_DEFAULT"
sum:
.text.sum:
	//## File "/home/somebody/Cell [4]", line 8
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/home/somebody/Cell [4]", line 11
        /*0010*/                   S2R R0, SR_TID.X ;
`;
const registers = `//--------------------- .text._Z4axpyIfEviT_PKS0_PS0_ --------------------------
	.section	.text._Z4axpyIfEviT_PKS0_PS0_,"ax",@progbits
                                                                                        // | GPR   | PRED   | UGPR   |
                                                                                        // |   #   |   #    |   #    |
.text._Z4axpyIfEviT_PKS0_PS0_:                                                          // |       |        |        |
        .weak           _Z4axpyIfEviT_PKS0_PS0_                                         // |       |        |        |
        .type           _Z4axpyIfEviT_PKS0_PS0_,@function                               // |       |        |        |
        .size           _Z4axpyIfEviT_PKS0_PS0_,(.L_x_9 - _Z4axpyIfEviT_PKS0_PS0_)      // |       |        |        |
        .other          _Z4axpyIfEviT_PKS0_PS0_,@"STO_CUDA_ENTRY STV_DEFAULT"           // |       |        |        |
_Z4axpyIfEviT_PKS0_PS0_:                                                                // |       |        |        |
        /*0000*/                   LDC R1, c[0x0][0x28] ;                               // |   1   |        |        |
        /*0010*/                   S2R R0, SR_TID.X ;                                   // |   2   |        |        |
        /*0020*/                   S2UR UR4, SR_CTAID.X ;                               // |   2   |        |   1    |
        /*0030*/                   LDC R7, c[0x0][RZ] ;                                 // |   3   |        |   1    |
        /*0040*/                   IMAD R7, R7, UR4, R0 ;                               // |   3   |        |   1    |
        /*0050*/                   ULDC UR4, c[0x0][0x210] ;                            // |   2   |        |   1    |
        /*0060*/                   ISETP.GE.AND P0, PT, R7, UR4, PT ;                   // |   2   |   1    |   1    |
.L_x_5:                                                                                 // |   2   |   1    |        |
        /*0070*/               @P0 EXIT ;                                               // |   2   |   1    |        |
        /*0080*/                   LDC.64 R2, c[0x0][0x218] ;                           // |   4   |        |        |
        /*0090*/                   ULDC.64 UR4, c[0x0][0x208] ;                         // |   4   |        |   2    |
        /*00a0*/                   ULDC UR6, c[0x0][0x214] ;                            // |   4   |        |   3    |
        /*00b0*/                   LDC.64 R4, c[0x0][0x220] ;                           // |   6   |        |   3    |
        /*00c0*/                   IMAD.WIDE R2, R7, 0x4, R2 ;                          // |   6   |        |   3    |
        /*00d0*/                   LDG.E R2, desc[UR4][R2.64] ;                         // |   6   |        |   3    |
        /*00e0*/                   IMAD.WIDE R4, R7, 0x4, R4 ;                          // |   5   |        |   3    |
        /*00f0*/                   LDG.E R7, desc[UR4][R4.64] ;                         // |   5   |        |   3    |
        /*0100*/                   FMUL R0, R2, R2 ;                                    // |   6   |        |   3    |
        /*0110*/                   FFMA R7, R0, UR6, R7 ;                               // |   5   |        |   3    |
        /*0120*/                   STG.E desc[UR4][R4.64], R7 ;                         // |   4   |        |   2    |
        /*0130*/                   EXIT ;                                               // |   1   |        |        |
        /*0140*/                   BRA \`(.L_x_0);                                       // |   1   |        |        |
`;

test("samples stand at their instructions of SASS, and those of a line of the source at its first one of PTX", () => {
  const taken = new Map([
    [0x10, 5],
    [0xf0, 700],
    [0x100, 40],
    [0x110, 2000],
    [0x150, 9],
  ]);
  const machine = parseSass(sass, symbol, "Cell [4]", registers, taken);
  const samplesAt = ({ lines, samples }: Listing): string[] =>
    lines.flatMap((line, at) => (samples[at] === 0 ? [] : [`${samples[at]} ${line.trim().replace(/\s+/g, " ")}`]));
  expect(samplesAt(machine)).toEqual([
    "5 /*0010*/ S2R R0, SR_TID.X ;",
    "700 /*00f0*/ LDG.E R7, desc[UR4][R4.64] ;",
    "40 /*0100*/ FMUL R0, R2, R2 ;",
    "2000 /*0110*/ FFMA R7, R0, UR6, R7 ;",
  ]);
  const virtual = withSamplesOf(machine, parsePtx(ptx, symbol, "Cell [4]"));
  expect(samplesAt(virtual)).toEqual([
    "5 mov.u32 %r3, %ctaid.x;",
    "2700 setp.ge.s32 %p1, %r1, %r2;",
    "40 mul.f32 %f3, %f2, %f2;",
  ]);
  expect([machine.samples.length, virtual.samples.length]).toEqual([machine.lines.length, virtual.lines.length]);
});

test("SASS: the kernel alone, inlined functions at their own line, with its live registers", () => {
  const listing = parseSass(sass, symbol, "Cell [4]", registers);
  expect(listing.name).toBe("SASS");
  expect(linked(listing).map((line) => line.replace(/ \/\*[0-9a-f]+\*\//, ""))).toEqual([
    "3 LDC R1, c[0x0][0x28] ;",
    "4 S2R R0, SR_TID.X ;",
    "4 S2UR UR4, SR_CTAID.X ;",
    "4 LDC R7, c[0x0][RZ] ;",
    "4 IMAD R7, R7, UR4, R0 ;",
    "5 ULDC UR4, c[0x0][0x210] ;",
    "5 ISETP.GE.AND P0, PT, R7, UR4, PT ;",
    "5 @P0 EXIT ;",
    "5 LDC.64 R2, c[0x0][0x218] ;",
    "5 ULDC.64 UR4, c[0x0][0x208] ;",
    "5 ULDC UR6, c[0x0][0x214] ;",
    "5 LDC.64 R4, c[0x0][0x220] ;",
    "5 IMAD.WIDE R2, R7, 0x4, R2 ;",
    "5 LDG.E R2, desc[UR4][R2.64] ;",
    "5 IMAD.WIDE R4, R7, 0x4, R4 ;",
    "5 LDG.E R7, desc[UR4][R4.64] ;",
    "1 FMUL R0, R2, R2 ;",
    "5 FFMA R7, R0, UR6, R7 ;",
    "5 STG.E desc[UR4][R4.64], R7 ;",
    "6 EXIT ;",
    "6 BRA `(.L_x_0);",
  ]);
  expect(listing.lines.filter((line) => line.startsWith("."))).toEqual([".L_x_5:", ".L_x_6:", ".L_x_0:"]);
  expect(listing.live.filter((_, index) => listing.source[index] !== 0)).toEqual([
    1, 2, 2, 3, 3, 2, 2, 2, 4, 4, 4, 6, 6, 6, 5, 5, 6, 5, 4, 1, 1,
  ]);
  expect(parseSass(sass, symbol, "Cell [4]").live).toEqual([]);
  expect(parseSass(sass, "_Z5other", "Cell [4]").lines).toEqual([]);
});

// What g++ 12 and clang 14 print, most of it left out; names made shorter.
const assembly = `	.file	"cell.cc"
	.file 0 "/tmp/warpcell-compile-1-a/text" "/tmp/warpcell-compile-1-a/cell.cc"
	.type	_ZN12warpcell_cpuL5touchEv, @function
_ZN12warpcell_cpuL5touchEv:
.LFB868:
	.file 1 "/usr/lib/warpcell/native/device/cpu/warpcell_cpu/export.h"
	.loc 1 36 47
	subq	$8, %rsp
	call	__tls_get_addr@PLT
	ret
	.size	_ZN12warpcell_cpuL5touchEv, .-_ZN12warpcell_cpuL5touchEv
	.type	_Z6squaref, @function
_Z6squaref:
.LFB869:
	.file 2 "Cell [4]"
	.loc 2 1 47
	vmulss	%xmm0, %xmm0, %xmm0
	ret
	.size	_Z6squaref, .-_Z6squaref
	.type	entry_of_other, @function
entry_of_other:
	.loc 2 9 3
	movl	$1, (%rax)
	ret
	.size	entry_of_other, .-entry_of_other
	.type	unpack_of_axpy, @function
unpack_of_axpy:
.LFB900:
	.loc 1 93 15
	pushq	%r15                            # 8-byte Spill
.L4:
	.loc 2 4 7
	movl	%ecx, %eax
.LBB12:
	.file 3 "/usr/lib/warpcell/native/device/cpu/warpcell_cpu/barriers.h"
	.loc 3 15 3
	cmpl	$1, (%rdx)
	.loc 2 5 20
	call	_Z6squaref@PLT
	.loc 1 70 30
	incl	%ecx
	jne	.L4
.L7:
	ret
	.size	unpack_of_axpy, .-unpack_of_axpy
	.type	entry_of_axpy, @function
entry_of_axpy:
	.loc 1 93 50
	jmp	unpack_of_axpy                  # TAILCALL
	.size	entry_of_axpy, .-entry_of_axpy
	.globl	warpcell_cpu_kernel_0
	.type	warpcell_cpu_kernel_0, @object
	.size	warpcell_cpu_kernel_0, 48
warpcell_cpu_kernel_0:
	.long	2                               # 0x2
	.quad	_ZN12warpcell_cpuL5touchEv
	.quad	entry_of_axpy
	.size	warpcell_cpu_kernel_0, 48
warpcell_cpu_kernel_1:
	.long	2
	.quad	_ZN12warpcell_cpuL5touchEv
	.quad	entry_of_other
	.size	warpcell_cpu_kernel_1, 48
`;

test("assembly: the kernel and what it calls, without what the library puts around it", () => {
  expect(parseAssembly(assembly, "warpcell_cpu_kernel_0", "Cell [4]")).toEqual({
    name: "assembly",
    live: [],
    samples: [],
    lines: [
      "unpack_of_axpy:",
      "  pushq  %r15",
      ".L4:",
      "  movl  %ecx, %eax",
      "  cmpl  $1, (%rdx)",
      "  call  _Z6squaref@PLT",
      "  incl  %ecx",
      "  jne  .L4",
      "  ret",
      "_Z6squaref:",
      "  vmulss  %xmm0, %xmm0, %xmm0",
      "  ret",
    ],
    source: [0, 0, 0, 4, 4, 5, 0, 0, 0, 0, 1, 1],
  });
  expect(linked(parseAssembly(assembly, "warpcell_cpu_kernel_1", "Cell [4]"))).toEqual(["9 movl $1, (%rax)", "9 ret"]);
});

test("symbols of C++ are read as people write them", () => {
  const lines = [
    ".visible .entry _Z4axpyIfEviT_PKS0_PS0_(",
    "  ld.param.u64 %rd1, [_Z4axpyIfEviT_PKS0_PS0__param_3];",
    "  call _ZN3app5twiceEi",
    "  call _Znot_a_symbol, my_Z4name",
  ];
  const listing: Listing = { name: "PTX", lines, source: [1, 1, 2, 2], live: [], samples: [] };
  expect(readable(listing, (symbol) => binding.demangled(symbol))).toEqual({
    ...listing,
    lines: [
      ".visible .entry void axpy<float>(int, float, float const*, float*)(",
      "  ld.param.u64 %rd1, [param_3];",
      "  call app::twice(int)",
      "  call _Znot_a_symbol, my_Z4name",
    ],
  });
});

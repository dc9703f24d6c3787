// What is said of instructions, as compilers write them, and of lines without any.
import { expect, test } from "vitest";
import type { AsmListing } from "../../../kernel/mime.ts";
import { meaningOf } from "./meanings.ts";

test.each<[AsmListing["name"], string, string, string]>([
  ["PTX", "  ld.global.nc.f32   %f2, [%rd5];", "ld.global.nc.f32", "loads from global memory"],
  ["PTX", "  @%p1 bra   $L__BB0_2;", "bra", "jumps, where its predicate holds"],
  ["PTX", "  ret;", "ret", "returns"],
  ["SASS", "  /*00f0*/ FFMA R7, R2, UR6, R7 ;", "FFMA", "multiplies and adds float32: a · b + c"],
  ["SASS", "  /*0060*/ @!P0 EXIT ;", "EXIT", "ends the thread"],
  ["SASS", "  /*00b0*/ LDG.E.CONSTANT R2, desc[UR4][R2.64] ;", "LDG.E.CONSTANT", "loads from global memory"],
  ["assembly", "  vfmadd231ps  ymm0, ymm1, ymm2", "vfmadd231ps", "multiplies and adds with one rounding: a · b + c"],
  ["assembly", "  vfnmadd213sd xmm0, xmm1, xmm2", "vfnmadd213sd", "multiplies and subtracts with one rounding"],
  ["assembly", "  vaddps  ymm0, ymm1, ymm2", "vaddps", "adds floats"],
  ["assembly", "  jne  .L4", "jne", "jumps, by the flags"],
  ["assembly", "  lock xadd  DWORD PTR [rax], edx", "xadd", "changes memory in one step, and gives what was there"],
])("%s: %s", (listing, line, name, text) => {
  expect(meaningOf(listing, line)).toEqual({ name, from: line.indexOf(name), text });
});

test.each<[AsmListing["name"], string]>([
  ["PTX", "$L__BB0_2:"],
  ["PTX", "  .reg .pred   %p<2>;"],
  ["PTX", "  constructor.toString %r1;"],
  ["SASS", ".L_x_0:"],
  ["assembly", "main:"],
  ["assembly", "  unheardof  rax"],
  ["assembly", ""],
])("nothing is said in %s of %j", (listing, line) => {
  expect(meaningOf(listing, line)).toBeNull();
});

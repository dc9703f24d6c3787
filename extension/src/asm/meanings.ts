// What instructions do, in short words of our own: of PTX and SASS (NVIDIA, "PTX ISA" and "CUDA Binary Utilities"), and
// of x86-64 and Arm (Intel's and Arm's manuals). Names of families come with what their last letters say.
import type { AsmListing } from "../../../kernel/mime.ts";

type Table = readonly (readonly [names: string, meaning: string])[];

const ptx: Table = [
  ["ld.param", "loads an argument of the kernel"],
  ["ld.global", "loads from global memory"],
  ["ld.shared", "loads from the block's shared memory"],
  ["ld.local", "loads from the thread's own memory: a spilled register or an array"],
  ["ld.const", "loads from constant memory"],
  ["ld", "loads from memory"],
  ["ldu", "loads what all threads of the warp read"],
  ["ldmatrix", "loads tiles of matrices from shared memory, for tensor cores"],
  ["stmatrix", "stores tiles of matrices to shared memory"],
  ["st.global", "stores to global memory"],
  ["st.shared", "stores to the block's shared memory"],
  ["st.local", "stores to the thread's own memory: a spilled register or an array"],
  ["st.param", "hands over an argument or a result"],
  ["st", "stores to memory"],
  ["mov", "copies a value, or reads a special register"],
  ["cvta", "converts an address between a memory of its own and the common one"],
  ["cvt", "converts a number to another type"],
  ["fma", "multiplies and adds with one rounding: a · b + c"],
  ["mad", "multiplies and adds: a · b + c"],
  ["mul", "multiplies"],
  ["add", "adds"],
  ["sub", "subtracts"],
  ["div", "divides"],
  ["rem", "is the remainder of a division"],
  ["neg", "negates"],
  ["abs", "is the absolute value"],
  ["min", "is the lesser of two"],
  ["max", "is the greater of two"],
  ["rcp", "is 1 / a"],
  ["sqrt", "is the square root"],
  ["rsqrt", "is 1 / √a"],
  ["ex2", "is 2 to the power of a"],
  ["lg2", "is the logarithm to base 2"],
  ["sin", "is the sine, roughly"],
  ["cos", "is the cosine, roughly"],
  ["tanh", "is the hyperbolic tangent, roughly"],
  ["setp", "compares, and sets a predicate"],
  ["set", "compares, and sets a number"],
  ["selp", "chooses one of two values by a predicate"],
  ["and", "combines bits with and"],
  ["or", "combines bits with or"],
  ["xor", "combines bits with exclusive or"],
  ["not", "inverts bits"],
  ["lop3", "combines the bits of three values by any logic"],
  ["shl", "shifts bits to the left"],
  ["shr", "shifts bits to the right"],
  ["shf", "shifts the bits of a pair of registers"],
  ["prmt", "picks bytes from two registers"],
  ["bfe", "takes a field of bits out"],
  ["bfi", "puts a field of bits in"],
  ["popc", "counts the bits that are set"],
  ["clz", "counts the leading zeros"],
  ["brev", "reverses the bits"],
  ["bra", "jumps, where its predicate holds"],
  ["call", "calls a function"],
  ["ret", "returns"],
  ["exit", "ends the thread"],
  ["trap", "ends the kernel with a fault"],
  ["bar.sync", "waits for all threads of the block"],
  ["barrier", "waits for threads of the block or the cluster"],
  ["bar", "waits for threads of the block"],
  ["membar", "orders what is written before with what is written after"],
  ["fence", "orders what is written before with what is written after"],
  ["atom", "changes memory in one step, and gives what was there"],
  ["red", "changes memory in one step"],
  ["shfl", "gets a value of another thread of the warp"],
  ["vote", "asks all threads of the warp a yes-or-no question"],
  ["match", "finds the threads of the warp that have the same value"],
  ["activemask", "says which threads of the warp are running here"],
  ["redux", "reduces a value over the warp"],
  ["mma", "multiplies small matrices on tensor cores"],
  ["wgmma", "multiplies matrices on tensor cores, by four warps together"],
  ["wmma", "loads, multiplies or stores small matrices for tensor cores"],
  ["cp.async", "copies to shared memory while the thread goes on"],
  ["mbarrier", "counts who has arrived, or waits for them"],
  ["tex", "reads a texture"],
  ["suld", "reads a surface"],
  ["sust", "writes a surface"],
  ["prefetch", "brings memory into a cache"],
  ["copysign", "takes the sign of one number and the size of another"],
  ["testp", "asks what kind of a number this is: finite, NaN …"],
];

const sass: Table = [
  ["LDG", "loads from global memory"],
  ["LDS", "loads from the block's shared memory"],
  ["LDSM", "loads tiles of matrices from shared memory, for tensor cores"],
  ["LDL", "loads from the thread's own memory: a spilled register or an array"],
  ["LDC ULDC LDCU", "loads a constant or an argument of the kernel"],
  ["LDGSTS", "copies from global to shared memory while the thread goes on"],
  ["LD", "loads from memory of any kind"],
  ["STG", "stores to global memory"],
  ["STS", "stores to the block's shared memory"],
  ["STL", "stores to the thread's own memory: a spilled register or an array"],
  ["ST", "stores to memory of any kind"],
  ["S2R S2UR CS2R", "reads a special register, such as the thread's index"],
  ["MOV UMOV", "copies a value"],
  ["R2UR", "copies a value that the whole warp has the same"],
  ["IMAD UIMAD", "multiplies and adds integers; it also copies and shifts"],
  ["IADD3 UIADD3 IADD", "adds up to three integers"],
  ["LEA ULEA", "shifts and adds: an address in an array"],
  ["LOP3 ULOP3 PLOP3 UPLOP3", "combines the bits of three values by any logic"],
  ["SHF USHF", "shifts the bits of a pair of registers"],
  ["ISETP UISETP", "compares integers, and sets a predicate"],
  ["FSETP", "compares float32 numbers, and sets a predicate"],
  ["DSETP", "compares float64 numbers, and sets a predicate"],
  ["HSETP2", "compares pairs of float16 numbers, and sets predicates"],
  ["FFMA", "multiplies and adds float32: a · b + c"],
  ["FADD", "adds float32"],
  ["FMUL", "multiplies float32"],
  ["FMNMX", "is the lesser or greater of two float32"],
  ["FSEL SEL USEL", "chooses one of two values by a predicate"],
  ["DFMA", "multiplies and adds float64: a · b + c"],
  ["DADD", "adds float64"],
  ["DMUL", "multiplies float64"],
  ["HFMA2", "multiplies and adds pairs of float16; it also makes constants"],
  ["HADD2", "adds pairs of float16"],
  ["HMUL2", "multiplies pairs of float16"],
  ["MUFU", "is 1 / x, a root, sine, cosine, exponential or logarithm, roughly"],
  ["I2F I2FP", "converts an integer to a float"],
  ["F2I", "converts a float to an integer"],
  ["F2F F2FP", "converts a float to a float of another size"],
  ["IMNMX VIMNMX", "is the lesser or greater of two integers"],
  ["IABS", "is the absolute value"],
  ["POPC", "counts the bits that are set"],
  ["FLO", "finds the highest bit that is set"],
  ["PRMT UPRMT", "picks bytes from two registers"],
  ["HMMA IMMA DMMA QMMA", "multiplies small matrices on tensor cores"],
  ["HGMMA IGMMA QGMMA", "multiplies matrices on tensor cores, by four warps together"],
  ["BRA", "jumps, where its predicate holds"],
  ["BRX", "jumps to an address in a register"],
  ["BSSY", "marks where threads of the warp that part meet again"],
  ["BSYNC", "waits for the threads of the warp that parted"],
  ["WARPSYNC", "waits for threads of the warp"],
  ["CALL", "calls a function"],
  ["RET", "returns"],
  ["EXIT", "ends the thread"],
  ["BAR", "waits for the threads of the block"],
  ["MEMBAR", "orders what is written before with what is written after"],
  ["ATOMG ATOM", "changes global memory in one step, and gives what was there"],
  ["ATOMS", "changes shared memory in one step, and gives what was there"],
  ["RED REDG", "changes global memory in one step"],
  ["REDUX", "reduces a value over the warp"],
  ["SHFL", "gets a value of another thread of the warp"],
  ["VOTE VOTEU", "asks all threads of the warp a yes-or-no question"],
  ["MATCH", "finds the threads of the warp that have the same value"],
  ["DEPBAR", "waits for loads that are on their way"],
  ["SYNCS", "counts who has arrived, or waits for them"],
  ["UTMALDG", "copies a tile from global to shared memory by the copy engine"],
  ["UTMASTG", "copies a tile from shared to global memory by the copy engine"],
  ["TEX TLD", "reads a texture"],
  ["SULD", "reads a surface"],
  ["SUST", "writes a surface"],
  ["CCTL", "controls a cache"],
  ["NOP", "does nothing"],
];

const machine: Table = [
  ["mov movl movq movabs movb movw movabsq", "copies a value"],
  ["movss movsd movaps movups movapd movupd movdqa movdqu movd movlps movhps", "copies numbers of a vector register"],
  ["movz movzbl movzwl movzx", "copies an integer, and fills up with zeros"],
  ["movs movsx movsxd movslq movsbl movswl cltq cdqe cwtl", "copies an integer, and fills up with its sign"],
  ["lea leaq leal", "works out an address, or a sum"],
  ["push pushq", "puts a register onto the stack"],
  ["pop popq", "takes a register off the stack"],
  ["add addl addq addb", "adds integers"],
  ["sub subl subq subb", "subtracts integers"],
  ["imul imull imulq mul mulq mull", "multiplies integers"],
  ["div divl divq idiv idivl idivq udiv sdiv", "divides integers"],
  ["inc incl incq", "adds 1"],
  ["dec decl decq", "subtracts 1"],
  ["neg negl negq", "negates"],
  ["and andl andq andb", "combines bits with and"],
  ["or orl orq orb orr", "combines bits with or"],
  ["xor xorl xorq eor", "combines bits with exclusive or; of a register with itself: sets it to 0"],
  ["not notl notq mvn", "inverts bits"],
  ["shl shlq shll sal salq sall lsl", "shifts bits to the left"],
  ["shr shrq shrl lsr", "shifts bits to the right"],
  ["sar sarq sarl asr", "shifts bits to the right, and keeps the sign"],
  ["cmp cmpl cmpq cmpb cmpw", "compares, and sets the flags"],
  ["test testl testq testb tst", "looks which bits are set, and sets the flags"],
  ["comiss ucomiss comisd ucomisd fcmp fcmpe", "compares floats, and sets the flags"],
  ["jmp b", "jumps"],
  ["call callq bl blr", "calls a function"],
  ["ret retq", "returns"],
  ["leave", "gives back the function's part of the stack"],
  ["nop nopw nopl endbr64", "does nothing"],
  ["cqto cltd cdq cqo", "extends the sign into a second register, for a division"],
  ["sqrtss sqrtsd sqrtps sqrtpd fsqrt", "is the square root"],
  ["cvtsi2ss cvtsi2sd cvtdq2ps cvtdq2pd scvtf ucvtf", "converts integers to floats"],
  ["cvttss2si cvttsd2si cvttps2dq fcvtzs fcvtzu", "converts floats to integers"],
  ["cvtss2sd cvtsd2ss cvtps2pd cvtpd2ps fcvt", "converts floats to floats of another size"],
  ["xorps xorpd pxor", "combines bits of vectors with exclusive or; of a register with itself: sets it to 0"],
  ["andps andpd pand", "combines bits of vectors with and"],
  ["fmadd fmla", "multiplies and adds with one rounding: a · b + c"],
  ["fnmadd fmls fnmsub fmsub", "multiplies and subtracts with one rounding"],
  ["addss addsd addps addpd fadd", "adds floats"],
  ["subss subsd subps subpd fsub", "subtracts floats"],
  ["mulss mulsd mulps mulpd fmul", "multiplies floats"],
  ["divss divsd divps divpd fdiv", "divides floats"],
  ["maxss maxsd maxps maxpd fmax fmaxnm", "is the greater of two floats"],
  ["minss minsd minps minpd fmin fminnm", "is the lesser of two floats"],
  ["paddd paddq paddw paddb", "adds integers of vectors"],
  ["psubd psubq", "subtracts integers of vectors"],
  ["pmulld pmuludq", "multiplies integers of vectors"],
  ["shufps pshufd unpcklps punpckldq permilps permps permd perm2f128 palignr", "rearranges a vector"],
  ["broadcastss broadcastsd pbroadcastd pbroadcastq", "fills a vector with one value"],
  ["insertf128 extractf128 inserti128 extracti128 insertps extractps", "puts a part into a vector, or takes it out"],
  ["gatherdps gatherdpd gatherqps pgatherdd", "loads a vector from several addresses"],
  ["zeroupper", "clears the upper halves of vector registers"],
  ["ldr ldp ldrb ldrh ldrsw ldur", "loads from memory"],
  ["str stp strb strh stur", "stores to memory"],
  ["adrp adr", "works out an address in the code"],
  ["cbz cbnz tbz tbnz", "jumps, by whether a register or a bit is 0"],
  ["csel cset csinc", "chooses one of two values by the flags"],
  ["madd msub", "multiplies and adds, or subtracts, integers"],
  ["xchg xadd cmpxchg", "changes memory in one step, and gives what was there"],
];

const families: Readonly<Record<AsmListing["name"], ReadonlyMap<string, string>>> = {
  PTX: byName(ptx),
  SASS: byName(sass),
  assembly: byName(machine),
};

function byName(table: Table): ReadonlyMap<string, string> {
  return new Map(table.flatMap(([names, meaning]) => names.split(" ").map((name) => [name, meaning] as const)));
}

/** Where instructions stand on a line: behind predicates, addresses and prefixes. */
const instruction: Readonly<Record<AsmListing["name"], RegExp>> = {
  PTX: /^\s+(?:@!?%\w+\s+)?([a-z][\w.:]*)(?=[\s;]|$)/,
  SASS: /^\s*(?:\/\*[\da-f]+\*\/\s+)?(?:@!?U?P(?:\d+|T)\s+)?([A-Z][A-Z\d]*(?:\.[\w.]+)?)(?=[\s;]|$)/,
  assembly: /^\s+(?:(?:lock|rep|repz|repnz|notrack)\s+)?([a-z][\w.]*)(?=\s|$)/,
};

export interface Meaning {
  /** As it stands on the line. */
  readonly name: string;
  readonly from: number;
  readonly text: string;
}

/** What the instruction of a line does; `null`: there is none that is known. */
export function meaningOf(listing: AsmListing["name"], line: string): Meaning | null {
  const found = instruction[listing].exec(line);
  if (found === null) return null;
  const name = found[1]!;
  const text = listing === "assembly" ? machineMeaning(name) : dotted(families[listing], name);
  return text === null ? null : { name, from: found[0].length - name.length, text };
}

/** By the longest beginning that is known: `ld.global.nc.f32` as `ld.global`. */
function dotted(family: ReadonlyMap<string, string>, name: string): string | null {
  for (let words = name.split("."); words.length > 0; words = words.slice(0, -1)) {
    const known = family.get(words.join("."));
    if (known !== undefined) return known;
  }
  return null;
}

/** Jumps and moves on a condition, and AVX's forms, are as many as they are regular. */
function machineMeaning(name: string): string | null {
  const known = families.assembly.get(name) ?? families.assembly.get(name.replace(/^v/, ""));
  if (known !== undefined) return known;
  const fused = /^vf(n?)m(add|sub)(?:\d{3})?[ps][sd]$/.exec(name);
  if (fused !== null) return families.assembly.get(`f${fused[1]}m${fused[2]}`)!;
  if (/^j[a-z]{1,3}$|^b\.[a-z]{2}$/.test(name)) return "jumps, by the flags";
  if (/^cmov[a-z]{1,4}$/.test(name)) return "copies, by the flags";
  if (/^set[a-z]{1,3}$/.test(name)) return "sets a byte to 1 or 0, by the flags";
  if (/^v?movnt/.test(name)) return "stores past the caches";
  return null;
}

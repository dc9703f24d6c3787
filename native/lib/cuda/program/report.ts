// How a program ended, in words: turns what its process tells into sentences.

/** A call of CUDA's runtime, or a launch, that failed and that nobody looked at. */
export interface ProgramFailure {
  readonly call: string;
  readonly line: number;
  /** "cudaErrorInvalidValue" */
  readonly name: string;
  /** "invalid argument" */
  readonly words: string;
  readonly isLaunch: boolean;
}

/** What `warpcell-device program run` tells of the program that it ran. */
export interface EndOfProgram {
  readonly exitCode: number | null;
  /** "SIGSEGV" */
  readonly signal: string | null;
  /** Why it could not be started, behind its code; "" when it was. */
  readonly problem: string;
  /** Of a kernel on the cpu. */
  readonly fault: { readonly code: string; readonly text: string } | null;
  /** The kernel that was launched last, and the line that did; "" and 0 for none. */
  readonly kernel: string;
  readonly line: number;
  readonly failures: readonly ProgramFailure[];
}

/** Errors that a kernel caused, which whatever call comes next returns. */
const ofKernels =
  /^cudaError(IllegalAddress|Assert|LaunchFailure|LaunchTimeout|HardwareStackError|IllegalInstruction|MisalignedAddress|InvalidAddressSpace|InvalidPc)$/;

const signals: Record<string, string> = {
  SIGSEGV:
    "its host code accessed memory that is not its own (a pointer to device memory is one that host code cannot use)",
  SIGBUS: "its host code accessed memory that is not there",
  SIGFPE: "its host code divided an integer by zero",
  SIGILL: "its host code ran an illegal instruction",
  SIGABRT: "it called abort(), or an exception or assertion ended it",
  SIGKILL: "it was killed from outside, maybe because the memory of this machine ran out",
};

/** Why a program came to no end of its own; `null` for one that did. */
export function endSentence(end: EndOfProgram): { code: string; sentence: string } | null {
  if (end.problem !== "") {
    const [code = "", ...sentence] = end.problem.split(": ");
    return { code, sentence: sentence.join(": ") };
  }
  if (end.fault !== null)
    return { code: end.fault.code, sentence: `The kernel ${launched(end)}, failed: ${end.fault.text}` };
  if (end.signal === null) return null;
  const why = signals[end.signal] ?? "it was ended";
  const after = end.kernel === "" ? "" : ` The last kernel was ${launched(end)}.`;
  return { code: "PROGRAM_CRASH", sentence: `The program crashed: ${why} (${end.signal}).${after}` };
}

/** What failed without the program having looked at it. */
export function failureSentence(failure: ProgramFailure, end: EndOfProgram): string {
  const what = failure.isLaunch
    ? `The launch of ${failure.call} in line ${failure.line}`
    : `${failure.call} in line ${failure.line}`;
  const cause = ofKernels.test(failure.name) && !failure.isLaunch ? ` The last kernel was ${launched(end)}.` : "";
  return `${what} failed: ${failure.words} (${failure.name}), and nobody looked at it.${cause}`;
}

function launched(end: EndOfProgram): string {
  return `${kernelOf(end)}, launched in line ${end.line}`;
}

/** Whether the kernel of that name is the one that all functions of libraries launch. */
export const isAlgorithm = (kernel: string): boolean => kernel.startsWith("warpcell_algorithms::");

/** What sentences call the kernel that was launched last. */
export const kernelOf = ({ kernel }: EndOfProgram): string =>
  isAlgorithm(kernel) ? `of ${libraryOf(kernel).what}` : kernel;

/** Libraries, by whose what a thread does is, and what tensors have in their place. */
const libraries = [
  { space: "warpcell_blas::", what: "a function of cuBLAS", instead: "x.matmul(y), x.add(y), x.sum()" },
  { space: "warpcell_rand::", what: "a generator of cuRAND", instead: "x.uniform_(), x.normal_()" },
  { space: "", what: "an algorithm of Thrust or CUB", instead: "x.sum(), x.sort(), x.cumsum()" },
] as const;

/** Whose function launches a kernel that `isAlgorithm`. */
export const libraryOf = (kernel: string): (typeof libraries)[number] =>
  libraries.find(({ space }) => kernel.includes(space))!;

// CUDA's host side, typed into a TypeScript cell, and what to write instead.

/** What is wrong with a text, and where: an offset. */
export interface Spelling {
  message: string;
  offset: number;
}

const launch = /([\p{ID_Start}_][\p{ID_Continue}.]*)\s*(?:<[^<>()]*>)?\s*<<<([^;]*?)>>>\s*\(([^;]*?)\)\s*(?:;|$)/mu;
const instance = /([\p{ID_Start}_][\p{ID_Continue}]*)\s*<\s*([\w\s,]+?)\s*>\s*\.\s*(?:launch|over|time|info)\b/u;
const qualifier = /\b__(?:global|device|shared|constant)__\b/;

/** `k<<<grid, block>>>(a, b)` or `__global__` in a cell that does not parse; `null` when it has neither. */
export function cudaSpelling(source: string): Spelling | null {
  const declared = qualifier.exec(source);
  if (declared !== null)
    return {
      message: `${declared[0]} is CUDA C++, which has cells of its own: begin the cell with the line %%cuda.`,
      offset: declared.index,
    };
  const called = launch.exec(source);
  if (called === null) return instanceSpelling(source);
  const [, name = "", settings = "", given = ""] = called;
  const [grid = "", block = "", shared = ""] = parts(settings);
  const more = shared === "" || shared === "0" ? "" : `, shared: ${shared}`;
  const values = given.trim() === "" ? "" : `, ${given.trim()}`;
  return {
    message: `In TypeScript a launch is ${name}.launch({ grid: ${grid}, block: ${block}${more} }${values}), not ${name}<<<…>>>(…).`,
    offset: called.index,
  };
}

/** `scale<float>.over(n)`, in a cell that does not parse. */
function instanceSpelling(source: string): Spelling | null {
  const found = instance.exec(source);
  if (found === null) return null;
  const [, name = "", given = ""] = found;
  const chosen = parts(given).map((each) => (/^\d+$/.test(each) ? each : JSON.stringify(each)));
  return {
    message: `In TypeScript the arguments of a template are chosen by ${name}.as(${chosen.join(", ")}), not ${name}<${given}>.`,
    offset: found.index,
  };
}

/** Parts between commas outside of brackets. */
function parts(text: string): string[] {
  const found = [""];
  let depth = 0;
  for (const char of text) {
    if ("([{".includes(char)) depth += 1;
    if (")]}".includes(char)) depth -= 1;
    if (char === "," && depth === 0) found.push("");
    else found[found.length - 1] += char;
  }
  return found.map((part) => part.trim());
}

const names: readonly [RegExp, string][] = [
  [/^cuda(Malloc\w*|HostAlloc)$/, "zeros([n]) and tensor(data) make arrays on the device"],
  [/^cudaFree\w*$/, "x.dispose() frees an array at once; one that is no longer used is freed by itself"],
  [/^cudaMemcpy\w*$/, "tensor(data) copies to the device, x.data() and x.toArray() copy back"],
  [/^cudaMemset\w*$/, "zeros([n]), full([n], value) and x.fill_(value) set elements"],
  [/^cuda(Device|Stream|Thread)Synchronize$/, "await synchronize() waits for the device"],
  [/^cudaEvent\w*$/, "await kernel.time({ grid, block }, …) and profile(() => …) measure"],
  [
    /^cuda(Get|Peek)(AtLast|Last)?Error\w*$/,
    "errors are reported by themselves, with the kernel and the line that launched it",
  ],
  [/^cuda(GetDevice|SetDevice|DeviceGet)\w*$/, 'devices() lists them, and { device: "cuda:1" } chooses one'],
  [/^cuda[A-Z]\w*$/, "%help shows what a notebook has instead"],
  [/^(threadIdx|blockIdx|blockDim|gridDim|__syncthreads)$/, "a kernel is written in a cell that begins with %%cuda"],
  [/^(?:double|half|unsigned|char)$/, 'a type of C++ is a text, kernel.as("double")'],
  [/^dim3$/, "a grid and a block are numbers or lists: { grid: [4, 4], block: [16, 16] }"],
];

/** What to add to an error that says `message`; "" for one that is not about CUDA. */
export function insteadOfMissing(message: string): string {
  const name = /^([\w$]+) is not defined$/.exec(message)?.[1];
  const row = name === undefined ? undefined : names.find(([pattern]) => pattern.test(name));
  return row === undefined ? "" : `, because it belongs to CUDA C++: ${row[1]}.`;
}

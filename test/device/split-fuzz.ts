// Random kernels with barriers, without races: what a thread reads of shared memory was written before a barrier.
/** A generator of numbers below 1 that a seed decides (mulberry32). */
export function generator(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `__global__ void NAME(const int* in, int* out, int n)` over blocks of up to 1024 threads of any shape. */
export function randomKernel(name: string, random: () => number): string {
  const below = (limit: number): number => Math.floor(random() * limit);
  const one = <T>(...choices: T[]): T => choices[below(choices.length)]!;
  const uniforms = ["n", "size", "(int)blockIdx.x", "(int)gridDim.x"];
  const locals = ["t", "g"];
  const own: string[] = [];
  let names = 0;
  const fresh = (): string => `v${names++}`;

  /** Without an overflow, which C++ does not define. */
  const wrapped = (a: string, operator: string, b: string): string =>
    `(int)((unsigned)${a} ${operator} (unsigned)${b})`;
  const uniform = (depth = 0): string => {
    if (depth > 2 || random() < 0.5) return random() < 0.3 ? `${below(9)}` : one(...uniforms);
    return wrapped(uniform(depth + 1), one("+", "-", "*", "^", "&"), uniform(depth + 1));
  };
  /** Of a thread; shared memory is read where `reads`. */
  const value = (reads: boolean, depth = 0): string => {
    const kind = random();
    if (depth > 2 || kind < 0.3) return one(...locals, ...own, ...own, uniform(2));
    if (kind < 0.4) return `in[(${value(false, depth + 1)} & 4095)]`;
    if (kind < 0.6 && reads) return `s[((unsigned)t + (unsigned)${one(uniform(2), `${below(40)}`)}) % size]`;
    if (kind < 0.7)
      return `(${value(reads, depth + 1)} > ${value(reads, depth + 1)} ? ${value(reads, depth + 1)} : ${value(reads, depth + 1)})`;
    if (kind < 0.8) return `twist(${value(reads, depth + 1)}, ${value(reads, depth + 1)})`;
    return wrapped(value(reads, depth + 1), one("+", "-", "*", "^", "|"), value(reads, depth + 1));
  };
  const condition = (): string => `${value(true, 2)} % ${2 + below(4)} ${one("==", "!=", ">")} ${below(2)}`;

  /** Statements between two barriers: they read what was shared before, and change the thread's own variables. */
  const part = (depth: number, inLoop: boolean): string => {
    const kind = random();
    if (kind < 0.3 && depth === 0) {
      const made = fresh();
      const text = `${one("int", "int", "unsigned", "const int", "long long")} ${made} = ${value(true)};`;
      if (text.startsWith("const")) locals.push(made);
      else own.push(made);
      return text;
    }
    if (own.length > 0 && kind < 0.55) return `${one(...own)} ${one("=", "^=", "|=", "&=")} ${value(true)};`;
    if (own.length > 0 && kind < 0.6) return `${one(...own)}${one("++", "--")};`;
    if (kind < 0.75 && depth < 2) {
      const other = random() < 0.4 ? ` else { ${part(depth + 1, inLoop)} }` : "";
      return `if (${condition()}) { ${part(depth + 1, inLoop)} ${part(depth + 1, inLoop)} }${other}`;
    }
    if (kind < 0.9 && depth < 2) {
      const k = fresh();
      const limit = random() < 0.5 ? `${1 + below(5)}` : `(${value(false, 2)} & 3)`;
      locals.push(k);
      const body = `${part(depth + 1, true)} ${random() < 0.3 ? `if (${condition()}) ${one("break", "continue")};` : ""} ${part(depth + 1, true)}`;
      locals.splice(locals.indexOf(k), 1);
      if (random() < 0.3)
        return `for (int ${k} = ${one("t", "g", "threadIdx.x")}; ${k} < ${below(900)}; ${k} += ${one("size", "blockDim.x", "64", "gridDim.x * size")}) { ${body} }`;
      return `for (int ${k} = 0; ${k} < ${limit}; ${k}++) { ${body} }`;
    }
    return own.length > 0 ? `${one(...own)} = ${value(true)};` : ";";
  };
  /** The thread's place in shared memory gets a value, for all to read. */
  const share = (): string => `__syncthreads(); s[t] = ${value(false)}; __syncthreads();`;

  /** The threads of a warp, or of the block, tell each other something; votes of the block are the same for all. */
  const exchange = (depth: number): string => {
    const made = fresh();
    const place = `${wrapped(one(...locals), "+", uniform(2))} & 31`;
    const text = one(
      `__shfl_${one("up", "down")}_sync(0xffffffff, ${value(true)}, ${below(33)})`,
      `__shfl_xor_sync(0xffffffff, ${value(true)}, ${below(32)}, ${one(2, 4, 8, 16, 32)})`,
      `__shfl_sync(~0u, ${value(true)}, ${place})`,
      `(int)__ballot_sync(0xffffffff, ${condition()})`,
      `__${one("any", "all")}_sync(0xffffffff, ${condition()})`,
      `(int)__match_any_sync(0xffffffff, ${value(true)} & 3)`,
      `__reduce_${one("add", "min", "max")}_sync(0xffffffff, (int)${value(true)})`,
      `__syncthreads_${one("count", "and", "or")}(${condition()})`,
    );
    if (depth === 0 && text.startsWith("__syncthreads")) uniforms.push(made);
    else if (random() < 0.5 && own.length > 0) return `${one(...own)} ${one("=", "^=")} ${text};`;
    else locals.push(made);
    return `int ${made} = ${text};`;
  };

  const block = (depth: number): string => {
    const lengths = [uniforms.length, locals.length, own.length];
    let text = "";
    for (let count = 1 + below(3); count > 0; count--) {
      const kind = random();
      if (kind < 0.45) text += `${part(0, false)}\n`;
      else if (kind < 0.58) text += `${share()}\n`;
      else if (kind < 0.65) text += `${exchange(depth)}\n`;
      else if (kind < 0.72 && depth < 3) {
        const made = fresh();
        text += `int ${made} = ${uniform()};\n`;
        uniforms.push(made);
      } else if (kind < 0.85 && depth < 2) {
        const k = fresh();
        uniforms.push(k);
        const loop = one(
          `for (int ${k} = 0; ${k} < ${1 + below(3)}; ${k}++)`,
          `for (int ${k} = ${1 + below(5)}; ${k} > 0; ${k} /= 2)`,
        );
        text += `${loop} { ${block(depth + 1)} ${share()} ${random() < 0.2 ? `if (${uniform()} > 5) ${one("break", "continue")};` : ""} ${part(1, false)} }\n`;
        uniforms.splice(uniforms.indexOf(k), 1);
      } else if (kind < 0.93 && depth < 2)
        text += `if (${uniform()} > ${below(9)}) { ${block(depth + 1)} ${share()} } else { ${part(1, false)} }\n`;
      else if (depth === 0 && random() < 0.5) text += `if (${condition()}) { out[g] = ${value(true)}; return; }\n`;
      else text += `{ ${block(depth + 1)} }\n`;
    }
    // What was declared inside is not known outside.
    if (depth > 0) {
      uniforms.length = Math.min(uniforms.length, lengths[0]!);
      locals.length = Math.min(locals.length, lengths[1]!);
      own.length = Math.min(own.length, lengths[2]!);
    }
    return text;
  };
  const body = `${block(0)}${share()}${block(0)}`;
  return `__global__ void ${name}(const int* in, int* out, int n) {
  __shared__ int s[1024];
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), size = blockDim.x * blockDim.y * blockDim.z;
  int g = blockIdx.x * size + t;
  s[t] = in[g];
  __syncthreads();
${body}
  out[g] = (int)(${["(unsigned)s[(t + 1) % size]", ...own.map((name) => `(unsigned)${name}`)].join(" * 31u + ")});
}
`;
}

/** What the kernels call. */
export const fuzzHead =
  "__device__ int twist(int a, int b) { return (int)(((unsigned)a ^ ((unsigned)b * 7u)) + 3u); }\n";

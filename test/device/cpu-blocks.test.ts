// Blocks on the cpu device: barriers, shared memory, atomics, many shapes and many cores, with every compiler that is
// here.
import { beforeAll, describe, expect, test } from "vitest";
import { Cell, compilers, integers, poisoned, threadsOf, use } from "./cpu-cell.ts";

const source = `
extern __shared__ int whole[];
__device__ int linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ int block() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__global__ void where(int* out) {
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int* o = out + (block() * threads + linear()) * 6;
  o[0] = blockIdx.x; o[1] = blockIdx.y; o[2] = blockIdx.z; o[3] = threadIdx.x; o[4] = threadIdx.y; o[5] = threadIdx.z;
}
template <int N> __global__ void rotate(const int* in, int* out, int shift) {
  __shared__ int s[N];
  int t = linear(), n = blockDim.x * blockDim.y * blockDim.z;
  s[t] = in[t];
  __syncthreads();
  for (int i = 0; i < shift; i++) {
    int next = s[(t + 1) % n];
    __syncthreads();
    s[t] = next;
    __syncthreads();
  }
  out[t] = s[t];
}
// Threads leave one after another, before, between and after barriers.
__global__ void leaving(const int* rounds, int* out) {
  __shared__ int here;
  int t = linear(), seen = 0;
  if (t == 0) here = 0;
  __syncthreads();
  for (int i = 0; i < rounds[t]; i++) {
    atomicAdd(&here, 1);
    __syncthreads();
    seen = here;
    __syncthreads();
  }
  out[t] = seen;
}
__global__ void ballots(const int* value, int* out) {
  int t = linear();
  int count = __syncthreads_count(value[t] > 50), all = __syncthreads_and(value[t] < 90), any = __syncthreads_or(value[t] == 13);
  int again = __syncthreads_count(value[t] & 1);
  out[t] = count * 100000 + again * 10 + all * 2 + any;
}
__global__ void first_vote(int* out) { out[threadIdx.x] = __syncthreads_count(1); }
template <class T> __global__ void dynamic_shared(const int* in, int* out) {
  extern __shared__ T part[];
  extern __shared__ __align__(16) unsigned char bytes[];
  part[threadIdx.x] = T(in[threadIdx.x]);
  __syncthreads();
  T other = part[blockDim.x - 1 - threadIdx.x];
  out[threadIdx.x] = int(other) + ((unsigned char*)&part[0] == bytes) * 100000;
}
__global__ void two_dimensions(const int* in, int* out) {
  extern __shared__ int tile[][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void file_scope(const int* in, int* out) {
  whole[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = whole[(threadIdx.x + 1) % blockDim.x] + *whole;
}
__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, int* old) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  old[t] = atomicAdd(&i[0], 1);
  atomicSub(&i[1], 2); atomicMin(&i[2], -t); atomicMax(&i[3], t); atomicAnd(&i[4], ~(1 << (t & 15))); atomicOr(&i[5], 1 << (t & 31)); atomicXor(&i[6], t);
  atomicInc(&u[0], 9); atomicDec(&u[1], 9); atomicMax(&u[2], 0x80000000u + t); atomicMin(&u[3], 5u + t);
  atomicAdd(&l[0], 1ull << 32); atomicMax(&l[1], (unsigned long long)t << 33); atomicExch(&l[2], 77ull);
  atomicAdd(&f[0], 0.5f); atomicExch(&f[1], 3.0f); atomicAdd_block(&d[0], 0.25); atomicAdd_system(&d[1], 2.0);
  int seen = i[7], assumed;
  do { assumed = seen; seen = atomicCAS(&i[7], assumed, assumed + 3); } while (seen != assumed);
}
// A lock that every thread of the block takes, with both of the usual spellings.
__global__ void locks(int* counter, int* lock) {
  for (bool done = false; !done;) {
    if (atomicCAS(&lock[0], 0, 1) == 0) { counter[0] = counter[0] + 1; __threadfence(); atomicExch(&lock[0], 0); done = true; }
  }
  while (atomicExch(&lock[1], 1) != 0) __nanosleep(20);
  counter[1] = counter[1] + 1;
  __threadfence();
  atomicExch(&lock[1], 0);
}
// The first warp waits for a flag that the last thread of the block sets, in every spelling of an atomic read and
// between fences.
__global__ void spins(int* flag, unsigned* mask, volatile int* plain, int* out) {
  int t = threadIdx.x, last = blockDim.x - 1;
  if (t == last) { atomicExch(flag, 1); atomicExch(mask, 7u); __threadfence(); *plain = 1; return; }
  if (t >= 32) return;
  if (t % 7 == 0) while (atomicAdd(flag, 0) == 0) {}
  if (t % 7 == 1) while (atomicCAS(flag, 0, 0) == 0) {}
  if (t % 7 == 2) while (atomicOr(mask, 0) == 0) {}
  if (t % 7 == 3) while (atomicAnd(mask, 0xffffffffu) == 0) {}
  if (t % 7 == 4) while (*plain == 0) __threadfence();
  if (t % 7 == 5) while (*plain == 0) __threadfence_block();
  if (t % 7 == 6) while (atomicSub(flag, 0) + atomicXor(mask, 0) == 0) {}
  out[t] = atomicAdd(flag, 0) * 10 + mask[0];
}
// Reads what other blocks have written once all of them have said that they are done.
__global__ void last_block(const int* in, int* part, int* done, int* out) {
  __shared__ bool last;
  int sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) { part[blockIdx.x] = sum; __threadfence(); last = atomicAdd(done, 1) == gridDim.x - 1; }
  __syncthreads();
  if (!last) return;
  int total = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += 32) total += part[b];
  total = __reduce_add_sync(~0u, total);
  if (threadIdx.x == 0) *out = total;
}
`;
const shapes: [number, number, number][] = [
  [1, 1, 1],
  [5, 1, 1],
  [32, 1, 1],
  [33, 1, 1],
  [256, 1, 1],
  [1024, 1, 1],
  [7, 5, 3],
  [16, 16, 1],
  [1, 1, 64],
  [32, 32, 1],
];

describe.each(compilers)("compiled by %s", (compiler) => {
  let cell: Cell;
  beforeAll(() => {
    use(compiler);
    cell = new Cell(source, [
      "where",
      "rotate<1024>",
      "leaving",
      "ballots",
      "first_vote",
      "dynamic_shared<int>",
      "dynamic_shared<double>",
      "two_dimensions",
      "file_scope",
      "atomics",
      "locks",
      "spins",
      "last_block",
    ]);
  });

  test("every thread of every block runs once, in three dimensions", () => {
    for (const block of shapes) {
      for (const grid of [
        [1, 1, 1],
        [3, 2, 5],
        [201, 1, 1],
      ] as [number, number, number][]) {
        const out = poisoned(threadsOf(grid) * threadsOf(block) * 6);
        cell.run("where", { grid, block }, [out]);
        const wanted = new Int32Array(out.length);
        let at = 0;
        for (let index = 0; index < threadsOf(grid) * threadsOf(block); index++) {
          for (const [i, [x, y]] of [
            [Math.floor(index / threadsOf(block)), grid],
            [index % threadsOf(block), block],
          ] as const) {
            wanted[at++] = i % x;
            wanted[at++] = Math.floor(i / x) % y;
            wanted[at++] = Math.floor(i / x / y);
          }
        }
        expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(wanted.buffer))).toBe(0);
      }
    }
  });

  test("barriers in loops, shared memory between them", () => {
    for (const block of shapes) {
      const threads = threadsOf(block);
      const input = integers(threads, 1e9);
      const out = poisoned(threads);
      cell.run("rotate<1024>", { block }, [input, out], [37]);
      expect([...out]).toEqual(Array.from(input, (_, t) => input[(t + 37) % threads]));
    }
  });

  test("a barrier waits for all threads that have not exited", () => {
    for (const block of shapes) {
      const threads = threadsOf(block);
      const rounds = integers(threads, 12);
      const out = poisoned(threads);
      cell.run("leaving", { block }, [rounds, out]);
      const after = (round: number): number => rounds.reduce((total, mine) => total + Math.min(mine, round), 0);
      expect([...out]).toEqual(Array.from(rounds, (mine) => (mine === 0 ? 0 : after(mine))));
    }
  });

  test("__syncthreads_count, _and, _or, from the first barrier of a block on", () => {
    for (const block of shapes) {
      const threads = threadsOf(block);
      for (const limit of [60, 100]) {
        const value = integers(threads, limit);
        const out = poisoned(threads);
        cell.run("ballots", { block, grid: [1, 1, 1] }, [value, out]);
        const count = value.filter((v) => v > 50).length,
          odd = value.filter((v) => v & 1).length;
        expect([...out]).toEqual(
          Array.from(
            value,
            () => count * 100000 + odd * 10 + Number(value.every((v) => v < 90)) * 2 + Number(value.includes(13)),
          ),
        );
      }
    }
    const out = poisoned(48);
    cell.run("first_vote", { block: [48, 1, 1], grid: [50, 1, 1] }, [out]);
    expect([...out]).toEqual(new Array(48).fill(48));
  });

  test("dynamic shared memory: in templates, of two types at once, in two dimensions, outside of functions", () => {
    const input = integers(256, 90000);
    for (const [kernel, bytes] of [
      ["dynamic_shared<int>", 4],
      ["dynamic_shared<double>", 8],
    ] as const) {
      const out = poisoned(256);
      cell.run(kernel, { block: [256, 1, 1], shared: 256 * bytes }, [input, out]);
      expect([...out]).toEqual(Array.from(input, (_, t) => 100000 + input[255 - t]!));
    }
    const transposed = poisoned(256);
    cell.run("two_dimensions", { block: [16, 16, 1], shared: 16 * 17 * 4 }, [input, transposed]);
    expect([...transposed]).toEqual(Array.from(input, (_, t) => input[(t % 16) * 16 + (t >> 4)]));
    const rotated = poisoned(256);
    cell.run("file_scope", { block: [256, 1, 1], shared: 1024 }, [input, rotated]);
    expect([...rotated]).toEqual(Array.from(input, (_, t) => input[(t + 1) % 256]! + input[0]!));
  });

  test("dynamic shared memory outside of functions, after branches of the preprocessor that each open one", () => {
    const text = `#ifdef WITH_COUNT\n__global__ void k(int* o, int n) {\n#else\n__global__ void k(int* o) {\n#endif\n  o[0] = 1; }
extern __shared__ int s[];
__global__ void g(int* o) { s[threadIdx.x] = threadIdx.x; __syncthreads(); o[threadIdx.x] = s[threadIdx.x ^ 1]; }`;
    const out = poisoned(4);
    new Cell(text, ["g"]).run("g", { block: [4, 1, 1], shared: 16 }, [out]);
    expect([...out]).toEqual([1, 0, 3, 2]);
  });

  test("atomic functions, from all cores at once", () => {
    const [blocks, threads] = [300, 64];
    const total = blocks * threads;
    const i = Int32Array.from([5, 7, 0, 0, -1, 0, 0, 11]),
      u = Uint32Array.from([0, 0, 0, 1000]);
    const l = BigInt64Array.from([0n, 0n, 0n]),
      f = Float32Array.from([1, 0]),
      d = Float64Array.from([0, 0]);
    const old = poisoned(total);
    cell.run("atomics", { grid: [blocks, 1, 1], block: [threads, 1, 1] }, [i, u, l, f, d, old]);
    const xor = Array.from({ length: total }, (_, t) => t).reduce((a, b) => a ^ b);
    expect([...i]).toEqual([5 + total, 7 - 2 * total, 1 - total, total - 1, ~0xffff, -1, xor, 11 + 3 * total]);
    expect([...u]).toEqual([total % 10, (10 - (total % 10)) % 10, 0x80000000 + total - 1, 5]);
    expect([...l]).toEqual([BigInt(total) << 32n, BigInt(total - 1) << 33n, 77n]);
    expect([...f, ...d]).toEqual([1 + total / 2, 3, total / 4, total * 2]);
    expect([...old].sort((a, b) => a - b)).toEqual(Array.from(old, (_, t) => t + 5));
  });

  test("locks between threads of a block, and of others", () => {
    for (const [blocks, threads] of [
      [1, 64],
      [1, 1024],
      [40, 96],
    ] as const) {
      const counter = Int32Array.from([0, 0]),
        lock = Int32Array.from([0, 0]);
      cell.run("locks", { grid: [blocks, 1, 1], block: [threads, 1, 1] }, [counter, lock]);
      expect([...counter, ...lock]).toEqual([blocks * threads, blocks * threads, 0, 0]);
    }
  });

  test("a thread that waits for a flag lets the others of its block set it", () => {
    for (const threads of [33, 64, 1024]) {
      const out = poisoned(32);
      cell.run("spins", { block: [threads, 1, 1] }, [
        Int32Array.from([0]),
        Int32Array.from([0]),
        Int32Array.from([0]),
        out,
      ]);
      expect([...out]).toEqual(new Array(32).fill(17));
    }
  });

  test("the last block to end sees what the others wrote", () => {
    const input = integers(32 * 500, 1000);
    for (let repeat = 0; repeat < 5; repeat++) {
      const out = poisoned(1);
      cell.run("last_block", { grid: [500, 1, 1], block: [32, 1, 1] }, [
        input,
        poisoned(500),
        Int32Array.from([0]),
        out,
      ]);
      expect(out[0]).toBe(input.reduce((a, b) => a + b));
    }
  });
});

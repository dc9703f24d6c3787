// Warp intrinsics on the cpu device against their definition in the Programming Guide, with every compiler that is
// here.
import { beforeAll, describe, expect, test } from "vitest";
import { Cell, compilers, integers, poisoned, threadsOf, use } from "./cpu-cell.ts";

const source = `
__device__ int linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
template <class T> __global__ void shuffle(const T* value, const int* argument, T* out, int operation, int width) {
  int t = linear();
  T v = value[t];
  int a = argument[t];
  T r;
  switch (operation) {
    case 0: r = __shfl_sync(0xffffffff, v, a, width); break;
    case 1: r = __shfl_up_sync(0xffffffff, v, a, width); break;
    case 2: r = __shfl_down_sync(0xffffffff, v, a, width); break;
    default: r = __shfl_xor_sync(0xffffffff, v, a, width);
  }
  out[t] = r;
}
__global__ void votes(const int* value, int* out) {
  int t = threadIdx.x, v = value[t], same;
  out[t * 14 + 0] = __ballot_sync(~0u, v & 1);
  out[t * 14 + 1] = __any_sync(~0u, v == 7);
  out[t * 14 + 2] = __all_sync(~0u, v < 9);
  out[t * 14 + 3] = __match_any_sync(~0u, v);
  out[t * 14 + 4] = __match_all_sync(~0u, v / 16, &same);
  out[t * 14 + 5] = same;
  out[t * 14 + 6] = __reduce_add_sync(~0u, v);
  out[t * 14 + 7] = __reduce_min_sync(~0u, v - 8);
  out[t * 14 + 8] = __reduce_max_sync(~0u, v - 20);
  out[t * 14 + 9] = __reduce_min_sync(~0u, (unsigned)(v - 8));
  out[t * 14 + 10] = __reduce_max_sync(~0u, (unsigned)(v - 8));
  out[t * 14 + 11] = __reduce_and_sync(~0u, (unsigned)v | 16);
  out[t * 14 + 12] = __reduce_or_sync(~0u, (unsigned)v);
  out[t * 14 + 13] = __reduce_xor_sync(~0u, (unsigned)v);
}
// Each lane is in the group that its number chooses; groups meet on their own, again and again, and at last together.
__global__ void groups(const int* group, const int* value, int* out) {
  int t = linear(), lane = t & 31, mine = group[t], sum = 0;
  unsigned mask = 0;
  for (int i = 0; i < 32; i++) if (group[(t & ~31) + i] == mine) mask |= 1u << i;
  for (int round = 0; round <= mine; round++) sum += __reduce_add_sync(mask, value[t] + round);
  if (mine & 1) sum += __popc(__ballot_sync(mask, value[t] & 1));
  else sum += __shfl_sync(mask, value[t], __ffs(mask) - 1);
  __syncwarp();
  out[t] = sum + 1000 * __shfl_xor_sync(~0u, lane, 1);
}
// The mask names lanes that have returned, or never were: they are not waited for.
__global__ void exits(const int* value, int* out, int alive) {
  int t = threadIdx.x;
  if (t >= alive) { out[t] = -1; return; }
  out[t] = __reduce_add_sync(0xffffffff, value[t]);
}
__global__ void late_exits(const int* value, int* out) {
  int t = threadIdx.x;
  if ((t & 31) != 5) { out[t] = __ballot_sync(0xffffffff, value[t] & 1); return; }
  out[t] = -7;   // after the others have arrived
}
__global__ void active(int* out) {
  int t = threadIdx.x;
  if (t % 3 == 0) out[t] = __activemask();
  else if (t % 3 == 1) out[t] = __activemask(); else out[t] = __activemask();
}
__global__ void loops(const int* count, int* out) {
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < count[t >> 5]; i++) {
    sum += __shfl_sync(~0u, t + i, i & 31);
    if (i % 3 == 0) __syncwarp();
  }
  __syncthreads();
  for (int i = 0; i < 20; i++) {
    if ((t >> 5) % 3 == i % 3) sum += __shfl_down_sync(~0u, i, 1);
    if (i % 7 == 0) __syncthreads();
    if ((t & 31) < 8) sum += __reduce_add_sync(0xff, 1);
  }
  out[t] = sum;
}
// Only the leader of each warp sets what the others hand to the shuffle.
template <class T> __device__ T of_leader(T value) { return __shfl_sync(~0u, value, 0); }
__device__ int leader_takes(int* counter, int lane, int count) {
  int before;
  if (lane == 0) before = atomicAdd(counter, count);
  return before;
}
__global__ void compact(const int* value, int* kept, int* counts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = value[t] % 3 != 0;
  unsigned lanes = __ballot_sync(~0u, keep);
  int base, again;
  if (lane == 0) base = atomicAdd(&counts[0], __popc(lanes));
  base = __shfl_sync(~0u, base, 0);
  if (lane == 0) again = atomicAdd(&counts[1], __popc(lanes));
  again = of_leader(again);
  int third = of_leader(leader_takes(&counts[2], lane, __popc(lanes)));
  if (keep) kept[base + __popc(lanes & ((1u << lane) - 1))] = value[t];
  if (again < 0 || third < 0) kept[0] = -1;
}
`;
const shapes: [number, number, number][] = [
  [32, 1, 1],
  [64, 1, 1],
  [1024, 1, 1],
  [16, 16, 1],
  [8, 4, 4],
  [32, 32, 1],
];
const names = ["__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"];

/** The lane that `lane` reads, by the Programming Guide's "Warp Shuffle Functions". */
function sourceLane(operation: number, lane: number, argument: number, width: number): number {
  const first = lane - (lane % width);
  const from = [first + (((argument % width) + width) % width), lane - argument, lane + argument, lane ^ argument][
    operation
  ]!;
  if (operation === 1) return from < first ? lane : from;
  return operation > 1 && from >= first + width ? lane : from;
}

describe.each(compilers)("compiled by %s", (compiler) => {
  let cell: Cell;
  beforeAll(() => {
    use(compiler);
    cell = new Cell(source, [
      "shuffle<int>",
      "shuffle<double>",
      "votes",
      "groups",
      "exits",
      "late_exits",
      "active",
      "loops",
      "compact",
    ]);
  });

  test.each(
    names.map((name, operation) => [name, operation] as const),
  )("%s in every width and many shapes of block, 4 and 8 bytes", (_name, operation) => {
    for (const block of shapes) {
      const threads = threadsOf(block);
      for (const width of [1, 2, 4, 8, 16, 32]) {
        const shift = operation === 0 ? 0 : Math.floor(Math.random() * 32);
        const argument = operation === 0 ? integers(threads, 64) : new Int32Array(threads).fill(shift);
        const from = Array.from(
          { length: threads },
          (_, t) => t - (t % 32) + sourceLane(operation, t % 32, argument[t]!, width),
        );
        const value = integers(threads, 2 ** 31);
        const out = poisoned(threads);
        cell.run("shuffle<int>", { block }, [value, argument, out], [operation, width]);
        expect([...out]).toEqual(from.map((t) => value[t]));
        const doubles = Float64Array.from({ length: threads }, Math.random);
        const outDoubles = new Float64Array(threads).fill(NaN);
        cell.run("shuffle<double>", { block }, [doubles, argument, outDoubles], [operation, width]);
        expect([...outDoubles]).toEqual(from.map((t) => doubles[t]));
      }
    }
  });

  test("votes, matches and reductions of whole warps", () => {
    for (const limit of [2, 9, 16, 1000]) {
      const value = integers(96, limit);
      const out = poisoned(96 * 14);
      cell.run("votes", { block: [96, 1, 1] }, [value, out]);
      for (let t = 0; t < 96; t++) {
        const lanes = [...value.slice(t - (t % 32), t - (t % 32) + 32)];
        const mask = (holds: (v: number) => boolean): number =>
          lanes.reduce((bits, v, lane) => bits | (holds(v) ? 1 << lane : 0), 0);
        const parts = lanes.map((v) => Math.floor(v / 16));
        const same = parts.every((part) => part === parts[0]);
        const unsigned = lanes.map((v) => (v - 8) >>> 0);
        expect([...out.slice(t * 14, t * 14 + 14)]).toEqual([
          mask((v) => (v & 1) === 1),
          Number(lanes.includes(7)),
          Number(lanes.every((v) => v < 9)),
          mask((v) => v === value[t]),
          same ? -1 : 0,
          Number(same),
          lanes.reduce((a, b) => a + b),
          Math.min(...lanes) - 8,
          Math.max(...lanes) - 20,
          Math.min(...unsigned) | 0,
          Math.max(...unsigned) | 0,
          lanes.reduce((a, b) => a & (b | 16), -1),
          lanes.reduce((a, b) => a | b),
          lanes.reduce((a, b) => a ^ b),
        ]);
      }
    }
  });

  test("groups of lanes meet apart, in loops of different lengths, then all together", () => {
    for (const block of shapes) {
      const threads = threadsOf(block);
      for (const count of [1, 2, 5, 32]) {
        const group = integers(threads, count);
        const value = integers(threads, 100);
        const out = poisoned(threads);
        cell.run("groups", { block }, [group, value, out]);
        expect([...out]).toEqual(
          Array.from(group, (mine, t) => {
            const members = Array.from({ length: 32 }, (_, lane) => t - (t % 32) + lane).filter(
              (other) => group[other] === mine,
            );
            const sum = members.reduce((total, other) => total + value[other]!, 0);
            const rounds = (mine + 1) * sum + (members.length * mine * (mine + 1)) / 2;
            const last = mine & 1 ? members.filter((other) => value[other]! & 1).length : value[members[0]!]!;
            return rounds + last + 1000 * ((t % 32) ^ 1);
          }),
        );
      }
    }
  });

  test("lanes that have exited, or that the block does not have, are not waited for", () => {
    for (const [threads, alive] of [
      [32, 7],
      [40, 40],
      [33, 33],
      [64, 50],
      [128, 97],
    ] as const) {
      const value = integers(threads, 1000);
      const out = poisoned(threads);
      cell.run("exits", { block: [threads, 1, 1] }, [value, out], [alive]);
      expect([...out]).toEqual(
        Array.from(value, (_, t) =>
          t >= alive ? -1 : value.slice(t - (t % 32), Math.min(alive, t - (t % 32) + 32)).reduce((a, b) => a + b),
        ),
      );
    }
    const value = integers(64, 1000);
    const out = poisoned(64);
    cell.run("late_exits", { block: [64, 1, 1] }, [value, out]);
    const ballot = (warp: number): number =>
      value.slice(warp * 32, warp * 32 + 32).reduce((bits, v, lane) => bits | (lane !== 5 && v & 1 ? 1 << lane : 0), 0);
    expect([...out]).toEqual(Array.from(value, (_, t) => (t % 32 === 5 ? -7 : ballot(t >> 5))));
  });

  test("__activemask names the lanes at the same place", () => {
    const out = poisoned(64);
    cell.run("active", { block: [64, 1, 1] }, [out]);
    const mask = (t: number): number =>
      Array.from({ length: 32 }, (_, lane) => lane).reduce(
        (bits, lane) => bits | ((t - (t % 32) + lane) % 3 === t % 3 ? 1 << lane : 0),
        0,
      );
    expect([...out]).toEqual(Array.from(out, (_, t) => mask(t)));
  });

  test("a value that only the leader of a warp has set is broadcast, and set by the leader alone", () => {
    const value = integers(1024, 1000);
    const kept = poisoned(1024);
    const counts = new Int32Array(3);
    cell.run("compact", { grid: [4, 1, 1], block: [256, 1, 1] }, [value, kept, counts]);
    const expected = value.filter((v) => v % 3 !== 0).sort();
    expect([...counts]).toEqual([expected.length, expected.length, expected.length]);
    expect([...kept.slice(0, expected.length).sort()]).toEqual([...expected]);
    expect([...kept.slice(expected.length)]).toEqual([...poisoned(1024 - expected.length)]);
  });

  test("collectives in loops whose lengths depend on data, between barriers", () => {
    const count = integers(32, 40);
    const out = poisoned(1024);
    cell.run("loops", { block: [1024, 1, 1] }, [count, out]);
    expect([...out]).toEqual(
      Array.from(out, (_, t) => {
        let sum = 0;
        for (let i = 0; i < count[t >> 5]!; i++) sum += t - (t % 32) + (i & 31) + i;
        for (let i = 0; i < 20; i++) sum += ((t >> 5) % 3 === i % 3 ? i : 0) + (t % 32 < 8 ? 8 : 0);
        return sum;
      }),
    );
  });
});

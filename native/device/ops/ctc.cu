// Connectionist temporal classification: the loss of sequences whose labels stand in order, but nobody knows where,
// over all ways to place them, and its gradient. A block has a sequence; all is in logarithms.
#include <warpcell/functors/logaddexp.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/outside.cuh>
#include <warpcell/reduce.cuh>

using namespace warpcell;

constexpr int kCtcThreads = 256;

// Labels that are blank stand between all others and around them: of a sequence with n labels, 2n + 1 places.
struct Ctc {
  long long steps, batch, classes, width, blank;
};

__device__ inline void all_threads_here() {
#ifndef WARPCELL_SERIAL
  __syncthreads();
#endif
}

template <class T>
__device__ inline T infinity() {
  return T(bits_float(0x7f800000));
}

// One sequence: what its labels and its probabilities are.
template <class T>
struct Sequence {
  const T* logs;
  const long long* labels;
  long long step, blank, places;

  __device__ inline Sequence(const Ctc& at, const T* all, const long long* targets, long long n, long long count)
      : logs(all + n * at.classes),
        labels(targets + n * at.width),
        step(at.batch * at.classes),
        blank(at.blank),
        places(2 * count + 1) {}

  __device__ inline long long label(long long place) const { return place % 2 == 1 ? labels[place / 2] : blank; }
  __device__ inline T log(long long t, long long place) const { return logs[t * step + label(place)]; }
  // Whether the blank before a place may be left out.
  __device__ inline bool skips(long long place) const {
    return place % 2 == 1 && place >= 3 && labels[place / 2] != labels[place / 2 - 1];
  }
};

// Whether a sequence's lengths and labels are such. Of one that is not, `odd` gets twice that, and one more for a
// length.
__device__ inline bool is_sequence(const Ctc& at, const long long* targets, long long n, long long steps,
                                   long long count, long long* odd) {
  const bool has_steps = steps >= 0 && steps <= at.steps;
  if (!has_steps || count < 0 || count > at.width) {
    if (threadIdx.x == 0) tell_outside(odd, 2 * (has_steps ? count : steps) + 1);
    return false;
  }
  for (long long i = 0; i < count; i++) {
    const long long label = targets[n * at.width + i];
    if (label >= 0 && label < at.classes && label != at.blank) continue;
    if (threadIdx.x == 0) tell_outside(odd, 2 * label);
    return false;
  }
  return true;
}

// losses[n] = −log of the probability of all ways; ways [batch, steps, 2 · width + 1]: the logarithm of the probability
// of all ways to a place at a step.
template <class T>
__global__ void __launch_bounds__(kCtcThreads)
    ctc_loss(const T* logs, const long long* targets, const long long* lengths, const long long* counts, T* losses,
             T* ways, long long all_steps, long long batch, long long classes, long long width, long long blank,
             long long* odd) {
  const Ctc at{all_steps, batch, classes, width, blank};
  const long long n = blockIdx.x, steps = lengths[n], count = counts[n], all = 2 * at.width + 1;
  if (!is_sequence(at, targets, n, steps, count, odd)) {
    if (threadIdx.x == 0) losses[n] = infinity<T>() - infinity<T>();
    return;
  }
  const Sequence<T> own(at, logs, targets, n, count);
  T* to = ways + n * at.steps * all;
  for (long long t = 0; t < steps; t++, to += all) {
    for (long long place = threadIdx.x; place < own.places; place += blockDim.x) {
      T sum = t == 0 ? (place <= 1 ? T(0) : -infinity<T>()) : (to - all)[place];
      if (t > 0 && place > 0) sum = Logaddexp::of(sum, (to - all)[place - 1]);
      if (t > 0 && own.skips(place)) sum = Logaddexp::of(sum, (to - all)[place - 2]);
      to[place] = sum + own.log(t, place);
    }
    all_threads_here();
  }
  if (threadIdx.x > 0) return;
  T found = count == 0 ? T(0) : -infinity<T>();
  if (steps > 0) {
    const T* last = to - all;
    found = last[own.places - 1];
    if (count > 0) found = Logaddexp::of(found, last[own.places - 2]);
  }
  losses[n] = -found;
}

// slopes [steps, batch, classes] = g[n] · the derivatives of losses[n], of 0 where nothing was written before. `rest`
// [batch, 2, places]: the logarithm of the probability of all ways on from a place, after its own step; `shares`
// [batch, places]: the probability of being there; `next` [batch, width]: where a label stands again, and −1 − that
// where it stood before.
template <class T>
__global__ void __launch_bounds__(kCtcThreads)
    ctc_slopes(const T* g, const T* logs, const long long* targets, const long long* lengths, const long long* counts,
               const T* losses, const T* ways, T* rest, T* shares, long long* next, T* slopes, long long all_steps,
               long long batch, long long classes, long long width, long long blank, int zero_infinity) {
  const Ctc at{all_steps, batch, classes, width, blank};
  const long long n = blockIdx.x, steps = lengths[n], count = counts[n], all = 2 * at.width + 1;
  const T loss = losses[n];
  // NaN is that of lengths or labels that are none.
  if (loss != loss || (zero_infinity && loss == infinity<T>())) return;
  const Sequence<T> own(at, logs, targets, n, count);
  rest += n * 2 * all;
  shares += n * all;
  next += n * at.width;
  for (long long i = threadIdx.x; i < count; i += blockDim.x) {
    long long later = i + 1, before = i - 1;
    while (later < count && own.labels[later] != own.labels[i]) later++;
    while (before >= 0 && own.labels[before] != own.labels[i]) before--;
    next[i] = before >= 0 ? -1 - later : later;
  }
  for (long long t = steps - 1; t >= 0; t--) {
    T* here = rest + t % 2 * all;
    const T* after = rest + (t + 1) % 2 * all;
    const T* there = ways + (n * at.steps + t) * all;
    T* to = slopes + (t * at.batch + n) * at.classes;
    T blanks = 0;
    for (long long place = threadIdx.x; place < own.places; place += blockDim.x) {
      T sum = place + 2 >= own.places ? T(0) : -infinity<T>();
      if (t < steps - 1) {
        sum = after[place] + own.log(t + 1, place);
        if (place + 1 < own.places) sum = Logaddexp::of(sum, after[place + 1] + own.log(t + 1, place + 1));
        if (place + 2 < own.places && own.skips(place + 2))
          sum = Logaddexp::of(sum, after[place + 2] + own.log(t + 1, place + 2));
      }
      here[place] = sum;
      const T share = fn::exp(there[place] + sum + loss);
      shares[place] = share;
      if (place % 2 == 0) blanks += share;
    }
#ifndef WARPCELL_SERIAL
    blanks = block_sum(blanks);
#endif
    if (threadIdx.x == 0) to[at.blank] = -g[n] * blanks;
    all_threads_here();
    // The first of those with one label adds them up, always in one order.
    for (long long i = threadIdx.x; i < count; i += blockDim.x) {
      if (next[i] < 0) continue;
      T sum = shares[2 * i + 1];
      for (long long j = next[i]; j < count; j = -1 - next[j]) sum += shares[2 * j + 1];
      to[own.labels[i]] = -g[n] * sum;
    }
    all_threads_here();
  }
}

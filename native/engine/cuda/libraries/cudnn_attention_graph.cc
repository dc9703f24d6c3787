// Writes attention down as matrix products with pointwise operations and reductions between them: scores are nowhere in
// memory.
#include "cudnn_attention_graph.h"

#include "cudnn_operations.h"

namespace warpcell::cuda {
namespace {

using Sizes = CudnnTensor::Sizes;

// The axes of scores.
constexpr int64_t kQueryAxis = 2, kKeyAxis = 3;
// What is kept between the passes of a backward: Σ out · its gradient of each query, the gradient of q in float32.
constexpr int64_t kDelta = 201, kSums = 202;

DnnType type_of(const AttentionTerms& terms) { return terms.type == "float16" ? DnnType::float16 : DnnType::bfloat16; }

Sizes sizes_of(const AttentionOperand& operand) {
  return {operand.batches, operand.heads, operand.rows, operand.columns};
}
// An axis of one element has the step that it would have without gaps: the library takes none of 0.
Sizes steps_of(const AttentionOperand& operand) {
  const Sizes sizes = sizes_of(operand);
  Sizes steps = {operand.batch, operand.head, operand.row, 1};
  for (size_t axis = steps.size() - 1; axis-- > 0;) {
    if (sizes[axis] == 1) steps[axis] = steps[axis + 1] * sizes[axis + 1];
    if (steps[axis] == 0) throw DeviceError("UNSUPPORTED", "cuDNN takes no operands of attention that are broadcast.");
  }
  return steps;
}
Sizes transposed(Sizes list) {
  std::swap(list[kQueryAxis], list[kKeyAxis]);
  return list;
}

class Writer {
 public:
  Writer(const CudnnApi& library, const AttentionTerms& terms)
      : terms_(terms),
        type_(type_of(terms)),
        operations_(library),
        scores_{terms.q.batches, terms.q.heads, terms.q.rows, terms.k.rows},
        rows_{terms.q.batches, terms.q.heads, terms.q.rows, 1},
        scale_(operations_.scalar(attention_scalars::kScale, DnnType::float32)) {}

  CudnnDescriptor output() {
    const CudnnTensor out = place(1, terms_.out), lse = memory(2, DnnType::float32, rows_), q = place(3, terms_.q),
                      k = turned(4, terms_.k), v = place(5, terms_.v);
    const CudnnTensor seen = masked(scores(q, k));
    const CudnnTensor most = reduced(DnnReduction::maximum, seen);
    const CudnnTensor less = operations_.pointwise(DnnPointwise::subtract, {&seen, &most});
    const CudnnTensor powers = operations_.pointwise(DnnPointwise::exp, {&less});
    const CudnnTensor sum = reduced(DnnReduction::sum, powers);
    const CudnnTensor logarithm = operations_.pointwise(DnnPointwise::log, {&sum});
    operations_.pointwise(DnnPointwise::add, {&most, &logarithm}, lse);
    const CudnnTensor weights = operations_.passing(type_, scores_);
    operations_.pointwise(DnnPointwise::divide, {&powers, &sum}, weights);
    operations_.multiply(weights, v, out);
    return operations_.graph();
  }

  // dv = Pᵀ · dout; dS = P ∘ (dout · vᵀ − Σ dout ∘ out) · scale; dk = dSᵀ · q; dq = dS · k.
  CudnnDescriptor gradients() {
    const CudnnTensor dq = place(1, terms_.d_q), q = place(4, terms_.q), k = turned(5, terms_.k),
                      v = turned(6, terms_.v), out = place(7, terms_.out), lse = memory(8, DnnType::float32, rows_),
                      d_out = place(9, terms_.d_out);

    const CudnnTensor products = operations_.pointwise(DnnPointwise::multiply, {&d_out, &out});
    const CudnnTensor sum = reduced(DnnReduction::sum, products);
    const CudnnTensor one = operations_.scalar(attention_scalars::kOne, DnnType::float32),
                      delta = memory(kDelta, DnnType::float32, rows_);
    operations_.pointwise(DnnPointwise::multiply, {&sum, &one}, delta);

    const CudnnTensor scaled = scores(q, k);
    const CudnnTensor logarithms = masked(operations_.pointwise(DnnPointwise::subtract, {&scaled, &lse}));
    const CudnnTensor weights = operations_.pointwise(DnnPointwise::exp, {&logarithms});
    key_gradient(weights, d_out, 3, terms_.d_v);

    const CudnnTensor d_weights = operations_.passing(DnnType::float32, scores_);
    operations_.multiply(d_out, v, d_weights);
    const CudnnTensor apart = operations_.pointwise(DnnPointwise::subtract, {&d_weights, &delta});
    const CudnnTensor unscaled = operations_.pointwise(DnnPointwise::multiply, {&apart, &weights});
    const CudnnTensor d_scores = operations_.pointwise(DnnPointwise::multiply, {&unscaled, &scale_});
    key_gradient(d_scores, q, 2, terms_.d_k);

    const CudnnTensor upright = operations_.passing(type_, sizes_of(terms_.k), steps_of(terms_.k));
    operations_.reshape(k, upright);
    const CudnnTensor sums = memory(kSums, DnnType::float32, sizes_of(terms_.q));
    operations_.multiply(d_scores, upright, sums);
    operations_.pointwise(DnnPointwise::identity, {&sums}, dq);
    return operations_.graph();
  }

 private:
  CudnnTensor memory(int64_t number, DnnType type, const Sizes& sizes) {
    return operations_.memory(number, type, sizes, CudnnOperations::packed(sizes));
  }
  CudnnTensor place(int64_t number, const AttentionOperand& operand) {
    return operations_.memory(number, type_, sizes_of(operand), steps_of(operand));
  }
  // As its transpose.
  CudnnTensor turned(int64_t number, const AttentionOperand& operand) {
    return operations_.memory(number, type_, transposed(sizes_of(operand)), transposed(steps_of(operand)));
  }

  // One number for each query.
  CudnnTensor reduced(DnnReduction mode, const CudnnTensor& x) {
    CudnnTensor y = operations_.passing(DnnType::float32, rows_);
    operations_.reduce(mode, x, y);
    return y;
  }

  CudnnTensor scores(const CudnnTensor& q, const CudnnTensor& k) {
    const CudnnTensor products = operations_.passing(DnnType::float32, scores_);
    operations_.multiply(q, k, products);
    return operations_.pointwise(DnnPointwise::multiply, {&products, &scale_});
  }

  // −∞ for keys behind a query's own.
  CudnnTensor masked(CudnnTensor scores) {
    if (terms_.mask == AttentionMask::none) return scores;
    CudnnTensor own = operations_.passing(DnnType::int32, scores_), key = operations_.passing(DnnType::int32, scores_);
    operations_.place(kQueryAxis, scores, own);
    operations_.place(kKeyAxis, scores, key);
    if (terms_.mask == AttentionMask::last) {
      own = moved(DnnPointwise::add, own, attention_scalars::kKeys);
      own = moved(DnnPointwise::subtract, own, attention_scalars::kQueries);
    }
    const CudnnTensor is_seen = operations_.passing(DnnType::boolean, scores_);
    operations_.pointwise(DnnPointwise::at_least, {&own, &key}, is_seen, DnnType::boolean);
    const CudnnTensor never = operations_.scalar(attention_scalars::kNever, DnnType::float32);
    return operations_.pointwise(DnnPointwise::select, {&scores, &never, &is_seen});
  }
  CudnnTensor moved(DnnPointwise mode, const CudnnTensor& places, int64_t by) {
    const CudnnTensor distance = operations_.scalar(by, DnnType::int32);
    CudnnTensor y = operations_.passing(DnnType::int32, scores_);
    operations_.pointwise(mode, {&places, &distance}, y, DnnType::int32);
    return y;
  }

  // weightsᵀ · rows, of the heads that share one of keys together.
  void key_gradient(const CudnnTensor& weights, const CudnnTensor& rows, int64_t number,
                    const AttentionOperand& operand) {
    const CudnnTensor columns =
        operations_.passing(type_, transposed(scores_), transposed(CudnnOperations::packed(scores_)));
    operations_.reshape(weights, columns);
    const CudnnTensor gradient = place(number, operand);
    if (operand.heads == terms_.q.heads) return operations_.multiply(columns, rows, gradient);
    const CudnnTensor of_heads =
        operations_.passing(type_, {operand.batches, terms_.q.heads, operand.rows, operand.columns});
    operations_.multiply(columns, rows, of_heads);
    operations_.reduce(DnnReduction::sum, of_heads, gradient);
  }

  const AttentionTerms& terms_;
  const DnnType type_;
  CudnnOperations operations_;
  const Sizes scores_, rows_;
  const CudnnTensor scale_;
};

}  // namespace

CudnnDescriptor cudnn_attention_graph(const CudnnApi& library, const AttentionTerms& terms) {
  Writer writer(library, terms);
  return terms.result == AttentionResult::output ? writer.output() : writer.gradients();
}

std::vector<CudnnMemory> cudnn_attention_places(const AttentionTerms& terms) {
  std::vector<CudnnMemory> places;
  for (uint64_t bytes : terms.place_bytes()) places.push_back({int64_t(places.size()) + 1, bytes});
  return places;
}

std::vector<CudnnMemory> cudnn_attention_scratch(const AttentionTerms& terms) {
  if (terms.result == AttentionResult::output) return {};
  return {{kDelta, terms.lse_bytes()}, {kSums, terms.lse_bytes() * uint64_t(terms.q.columns)}};
}

std::vector<int64_t> cudnn_attention_scalars(const AttentionTerms& terms) {
  std::vector<int64_t> numbers = {attention_scalars::kScale};
  if (terms.mask != AttentionMask::none) numbers.push_back(attention_scalars::kNever);
  if (terms.mask == AttentionMask::last)
    numbers.insert(numbers.end(), {attention_scalars::kKeys, attention_scalars::kQueries});
  if (terms.result == AttentionResult::gradients) numbers.push_back(attention_scalars::kOne);
  return numbers;
}

}  // namespace warpcell::cuda

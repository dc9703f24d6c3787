// Attention by cuDNN's graphs.
#include <climits>
#include <limits>

#include "cudnn_attention_graph.h"
#include "cudnn_call.h"

namespace warpcell::cuda {
namespace {

// What the library thinks most of is twice as fast as the next.
constexpr size_t kMostMeasured = 1;
constexpr uint64_t kMostWorkspace = 512ull << 20;
// 9.10.0 and 9.10.1 have known faults in attention; those before take another number than −∞ for what is not seen.
constexpr size_t kOldest = 91002;
// Up to this one the gradients of a number of keys that does not fill tiles are wrong without a mask for what is
// behind.
constexpr size_t kLastOfWholeTiles = 91500;
constexpr int64_t kTile = 128;

class Attention final : public CudnnCall {
 public:
  Attention(LibraryContext& context, const AttentionTerms& terms, const PlanRequest& request)
      : CudnnCall(context, "cuDNN attention", "attention", cudnn_attention_places(terms),
                  cudnn_attention_scratch(terms), 1),
        scalars_(cudnn_attention_scalars(terms)),
        queries_(int32_t(terms.q.rows)),
        keys_(int32_t(terms.k.rows)) {
    if (library_.cudnnGetVersion() < kOldest)
      throw DeviceError("UNSUPPORTED",
                        "Attention takes cuDNN 9.10.2 or a later one, but got " + library_.version + ".");
    const bool is_of_gradients = terms.result == AttentionResult::gradients;
    if (is_of_gradients && library_.cudnnGetVersion() <= kLastOfWholeTiles && terms.k.rows % kTile != 0)
      throw DeviceError("UNSUPPORTED", "The gradients of " + std::to_string(terms.k.rows) +
                                           " keys take a later cuDNN than " + library_.version + ".");
    choose(request, [&] { return cudnn_attention_graph(library_, terms); },
           {kMostMeasured, kMostWorkspace, [](const std::vector<DnnNote>& notes) { return true; }});
  }

 private:
  // The library reads them while it starts the run.
  void bind(const RunRequest& request, CudnnBindings* bindings) override {
    scale_ = float(request.scalars[0]);
    for (int64_t number : scalars_) bindings->add(number, scalar(number));
  }
  void* scalar(int64_t number) {
    switch (number) {
      case attention_scalars::kScale:
        return &scale_;
      case attention_scalars::kNever:
        return &never_;
      case attention_scalars::kOne:
        return &one_;
      case attention_scalars::kQueries:
        return &queries_;
      default:
        return &keys_;
    }
  }

  const std::vector<int64_t> scalars_;
  float scale_ = 1, one_ = 1, never_ = -std::numeric_limits<float>::infinity();
  int32_t queries_, keys_;
};

std::unique_ptr<PlannedCall> plan_attention(LibraryContext& context, const PlanRequest& request) {
  const AttentionTerms terms(request);
  for (const AttentionOperand& operand :
       {terms.q, terms.k, terms.v, terms.out, terms.d_out, terms.d_q, terms.d_k, terms.d_v}) {
    if (operand.elements() > INT_MAX)
      throw DeviceError("UNSUPPORTED", "cuDNN counts the elements of a tensor in 31 bits.");
  }
  return std::make_unique<Attention>(context, terms, request);
}

}  // namespace

LibraryRows cudnn_attention_rows() { return {{"attention", plan_attention}}; }

}  // namespace warpcell::cuda

// Matrix products by cuBLASLt: chooses an algorithm by measuring those that the library proposes, and runs it.
#include <algorithm>
#include <cstring>

#include "../../host/json.h"
#include "../../host/matmul_terms.h"
#include "cublas_api.h"
#include "cublas_matmul.h"
#include "libraries.h"

namespace warpcell::cuda {
namespace {

constexpr uint64_t kMostWorkspace = 64ull << 20;
constexpr int kCandidates = 8;
constexpr double kWorthAnotherLook = 1.15;  // times the best of a first look
constexpr double kLookMilliseconds = 1;
constexpr uint32_t kMostRepeats = 20;
constexpr int kRounds = 5;
// What the library proposes first, it proposes for a GPU that is hot: a shorter time by less than this, within a few
// milliseconds, is no reason to think otherwise.
constexpr double kReliably = 0.97;

// Memory for measuring alone. Null where there is none left.
class Scratch {
 public:
  Scratch(const DriverApi& api, uint64_t bytes) : api_(api) {
    if (bytes > 0 && api_.cuMemAlloc(&address, bytes) != kSuccess) address = 0;
  }
  ~Scratch() {
    if (address != 0) api_.cuMemFree(address);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  DevicePointer address = 0;

 private:
  const DriverApi& api_;
};

class Product final : public PlannedCall {
 public:
  Product(LibraryContext& context, const MatmulTerms& terms, const PlanRequest& request)
      : PlannedCall("cuBLASLt matmul", terms.place_bytes().size(), kMatmulScalars),
        context_(context),
        library_(cublas(context.api)),
        terms_(terms),
        bytes_(terms.place_bytes()),
        matmul_(library_, terms) {
    choose(request);
    planned.workspace = chosen_.workspace;
    planned.kept = sizeof *this + CublasMatmul::kDescriptorBytes;
    planned.choice.assign(reinterpret_cast<const char*>(&chosen_), sizeof chosen_);
    planned.chosen = JsonObject()
                         .text("library", "cuBLASLt")
                         .text("version", library_.version)
                         .text("path", library_.path)
                         .text("algorithm", matmul_.describe(chosen_.algorithm))
                         .done();
  }

  void run(const RunRequest& request) override {
    DevicePointer workspace =
        chosen_.workspace > 0 ? context_.segments.address(request.workspace, chosen_.workspace) : 0;
    Operands operands = place(request);
    BlasStatus status = kBlasSuccess;
    WorkStream& stream = context_.streams.at(request.stream);
    stream.submit(request.sequence, [&](Stream handle) { status = matmul_.run(chosen_, operands, workspace, handle); });
    if (status == kBlasSuccess) return;
    stream.expect_sound();
    library_.check(status, "a matrix product");
  }

 private:
  void choose(const PlanRequest& request) {
    uint64_t most = kMostWorkspace;
    if (request.choice.size() == sizeof chosen_) {
      std::memcpy(&chosen_, request.choice.data(), sizeof chosen_);
      if (matmul_.admits(chosen_)) return;
      most = chosen_.workspace;  // the session counts on it
    }

    auto candidates = matmul_.candidates(kCandidates, most);
    if (request.trial) expect(*request.trial);
    bool measurable = request.trial && request.trial->scalars[1] == 0 && candidates.size() > 1;
    if (!measurable) {
      chosen_ = candidates.front();
      return;
    }
    uint64_t workspace = 0;
    for (const MatmulCandidate& candidate : candidates) workspace = std::max<uint64_t>(workspace, candidate.workspace);
    Scratch scratch(context_.api, workspace);
    if (workspace > 0 && scratch.address == 0) candidates = matmul_.candidates(kCandidates, 0);
    chosen_ = fastest(candidates, place(*request.trial), scratch.address);
  }

  MatmulCandidate fastest(const std::vector<MatmulCandidate>& candidates, const Operands& operands,
                          DevicePointer workspace) {
    struct Look {
      const MatmulCandidate* candidate;
      double milliseconds;
    };
    auto time = [&](const MatmulCandidate& candidate, uint32_t repeats, bool* works) {
      return context_.streams.at(0).milliseconds(
          [&](Stream stream) {
            *works = matmul_.run(candidate, operands, workspace, stream) == kBlasSuccess && *works;
          },
          repeats);
    };

    std::vector<Look> looks;
    for (const MatmulCandidate& candidate : candidates) {
      bool works = true;
      time(candidate, 1, &works);  // the first time its code is loaded
      if (works) looks.push_back({&candidate, time(candidate, 1, &works)});
    }
    if (looks.empty())
      throw DeviceError("UNSUPPORTED", "cuBLASLt proposes algorithms for this matrix product, but none of them runs.");

    auto faster = [](const Look& one, const Look& other) { return one.milliseconds < other.milliseconds; };
    double limit = std::min_element(looks.begin(), looks.end(), faster)->milliseconds * kWorthAnotherLook;
    looks.erase(std::remove_if(looks.begin(), looks.end(), [&](const Look& look) { return look.milliseconds > limit; }),
                looks.end());
    // In turns, since a clock that changes meanwhile changes for all.
    uint32_t repeats = uint32_t(std::clamp(kLookMilliseconds / std::max(limit, 1e-3), 2.0, double(kMostRepeats)));
    for (int round = 0; looks.size() > 1 && round < kRounds; round++) {
      bool works = true;
      for (Look& look : looks) look.milliseconds = std::min(look.milliseconds, time(*look.candidate, repeats, &works));
    }
    double best = std::min_element(looks.begin(), looks.end(), faster)->milliseconds;
    return *std::find_if(looks.begin(), looks.end(), [&](const Look& look) {
              return look.milliseconds * kReliably <= best;
            })->candidate;
  }

  DevicePointer address(const RunRequest& request, size_t which) const {
    return context_.segments.address(request.places[which], bytes_[which]);
  }

  Operands place(const RunRequest& request) const {
    size_t next = 3;
    Operands operands{};
    operands.alpha = request.scalars[0];
    operands.beta = request.scalars[1];
    operands.out = address(request, 0);
    operands.a = address(request, 1);
    operands.b = address(request, 2);
    if (terms_.epilogue->vector != 0) operands.vector = address(request, next++);
    if (terms_.epilogue->auxiliary) operands.auxiliary = address(request, next++);
    if (terms_.is_scaled()) {
      operands.a_scale = address(request, next++);
      operands.b_scale = address(request, next++);
    }
    return operands;
  }

  LibraryContext& context_;
  const CublasApi& library_;
  const MatmulTerms terms_;
  const std::vector<uint64_t> bytes_;
  CublasMatmul matmul_;
  MatmulCandidate chosen_{};
};

std::unique_ptr<PlannedCall> plan_matmul(LibraryContext& context, const PlanRequest& request) {
  MatmulTerms terms(request);
  return std::make_unique<Product>(context, terms, request);
}

}  // namespace

LibraryRows cublas_rows() { return {{"matmul", plan_matmul}}; }

}  // namespace warpcell::cuda

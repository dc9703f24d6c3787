// Fourier transforms by cuFFT.
#include <numeric>

#include "../../host/json.h"
#include "../../host/plan_terms.h"
#include "cufft_api.h"
#include "libraries.h"

namespace warpcell::cuda {
namespace {

struct Kind {
  const char* name;
  int single, wide;  // cufftType of float32 and float64
  bool is_real_in, is_real_out;
};
constexpr Kind kKinds[] = {{"c2c", kFftComplex, kFftDoubleComplex, false, false},
                           {"r2c", kFftRealToComplex, kFftDoubleToComplex, true, false},
                           {"c2r", kFftComplexToReal, kFftComplexToDouble, false, true}};

const Kind& kind_named(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind;
  }
  throw DeviceError("PROTOCOL", "There is no transform of the kind " + name + ".");
}

// `batches` transforms of `sizes`, row after row without gaps; or with stride=batches of one size, along columns. The
// last size is that of the real numbers, of which there are half as many complex ones and one. Places: result, operand.
class Transform final : public PlannedCall {
 public:
  Transform(LibraryContext& context, const PlanRequest& request)
      : PlannedCall("cuFFT transform", 2, 0),
        context_(context),
        library_(cufft()),
        kind_(kind_named(text_term(request, "kind"))),
        inverse_(flag_term(request, "inverse")) {
    const std::string& type = text_term(request, "type");
    if (type != "float32" && type != "float64")
      throw DeviceError("UNSUPPORTED", "cuFFT does not transform numbers of " + type + " here.");
    wide_ = type == "float64";
    std::vector<int64_t> terms = sizes_term(request, "sizes");
    std::vector<long long> sizes(terms.begin(), terms.end()), halves = sizes;
    halves.back() = halves.back() / 2 + 1;
    const int64_t batches = size_term(request, "batches"), stride = size_term_or(request, "stride", 1);
    auto points = [](const std::vector<long long>& of) {
      return std::accumulate(of.begin(), of.end(), 1ll, std::multiplies<>());
    };
    const uint64_t part = wide_ ? 8 : 4;
    const bool is_real = kind_.is_real_in || kind_.is_real_out;
    const uint64_t whole_bytes = uint64_t(points(sizes)) * uint64_t(batches) * part * (is_real ? 1 : 2);
    const uint64_t half_bytes = uint64_t(points(halves)) * uint64_t(batches) * part * 2;
    in_bytes_ = is_real && !kind_.is_real_in ? half_bytes : whole_bytes;
    out_bytes_ = is_real && !kind_.is_real_out ? half_bytes : whole_bytes;

    library_.check(library_.cufftCreate(&handle_), "making a plan");
    const bool is_column = stride != 1;
    auto distance = [&](bool is_half) -> long long { return is_column ? 1 : points(is_half ? halves : sizes); };
    const bool half_in = is_real && !kind_.is_real_in, half_out = is_real && !kind_.is_real_out;
    size_t workspace = 0;
    FftStatus status = library_.cufftSetAutoAllocation(handle_, 0);
    if (status == 0)
      status = library_.cufftMakePlanMany64(handle_, int(sizes.size()), sizes.data(), (half_in ? halves : sizes).data(),
                                            stride, distance(half_in), (half_out ? halves : sizes).data(), stride,
                                            distance(half_out), wide_ ? kind_.wide : kind_.single, batches, &workspace);
    if (status != 0) {
      library_.cufftDestroy(handle_);
      throw DeviceError("UNSUPPORTED", "cuFFT has no plan for these sizes (status " + std::to_string(status) + ").");
    }
    planned.workspace = workspace;
    planned.kept = sizeof *this + kPlanBytes;
    planned.chosen = JsonObject()
                         .text("library", "cuFFT")
                         .text("version", library_.version)
                         .text("path", library_.path)
                         .text("algorithm", "its plan of " + std::to_string(workspace) + " bytes")
                         .done();
  }
  ~Transform() override { library_.cufftDestroy(handle_); }

  void run(const RunRequest& request) override {
    void* out = reinterpret_cast<void*>(context_.segments.address(request.places[0], out_bytes_));
    void* in = reinterpret_cast<void*>(context_.segments.address(request.places[1], in_bytes_));
    void* room = planned.workspace == 0
                     ? nullptr
                     : reinterpret_cast<void*>(context_.segments.address(request.workspace, planned.workspace));
    FftStatus status = 0;
    WorkStream& stream = context_.streams.at(request.stream);
    stream.submit(request.sequence, [&](Stream handle) {
      status = library_.cufftSetStream(handle_, handle);
      if (status == 0 && room != nullptr) status = library_.cufftSetWorkArea(handle_, room);
      if (status == 0) status = execute(in, out);
    });
    if (status == 0) return;
    stream.expect_sound();
    library_.check(status, "a transform");
  }

 private:
  // Tables of roots and what the library notes of a plan.
  static constexpr uint64_t kPlanBytes = 64 << 10;

  FftStatus execute(void* in, void* out) const {
    const int sign = inverse_ ? kFftInverse : kFftForward;
    if (kind_.is_real_in)
      return wide_ ? library_.cufftExecD2Z(handle_, in, out) : library_.cufftExecR2C(handle_, in, out);
    if (kind_.is_real_out)
      return wide_ ? library_.cufftExecZ2D(handle_, in, out) : library_.cufftExecC2R(handle_, in, out);
    return wide_ ? library_.cufftExecZ2Z(handle_, in, out, sign) : library_.cufftExecC2C(handle_, in, out, sign);
  }

  LibraryContext& context_;
  const CufftApi& library_;
  const Kind& kind_;
  const bool inverse_;
  bool wide_ = false;
  uint64_t in_bytes_ = 0, out_bytes_ = 0;
  FftHandle handle_ = 0;
};

std::unique_ptr<PlannedCall> plan_fft(LibraryContext& context, const PlanRequest& request) {
  return std::make_unique<Transform>(context, request);
}

}  // namespace

LibraryRows cufft_rows() { return {{"fft", plan_fft}}; }

}  // namespace warpcell::cuda

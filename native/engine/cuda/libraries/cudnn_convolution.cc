// Convolutions and their gradients by cuDNN's graphs: of the engines that it proposes and that give the same sums every
// time, chooses one by measuring, and runs it.
#include <algorithm>
#include <climits>
#include <optional>

#include "../../host/convolution_terms.h"
#include "../../host/json.h"
#include "cudnn_descriptor.h"
#include "libraries.h"

namespace warpcell::cuda {
namespace {

constexpr uint64_t kMostWorkspace = 512ull << 20;
constexpr size_t kMostProposals = 32, kMostMeasured = 10;
constexpr uint32_t kRepeats = 5;
constexpr int64_t kAlignment = 16;  // bytes, which ConvolutionTerms tells of

// As the graph numbers its tensors.
constexpr int64_t kInput = 1, kWeight = 2, kOutput = 3;

struct Type {
  const char* name;
  DnnType type;
};
constexpr Type kTypes[] = {{"float32", DnnType::float32},
                           {"float64", DnnType::float64},
                           {"float16", DnnType::float16},
                           {"bfloat16", DnnType::bfloat16}};

DnnType type_of(const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type.type;
  }
  throw DeviceError("UNSUPPORTED", "cuDNN does not convolve tensors of " + name + ".");
}

// What a result is, which attributes its operation has (its scalars, its convolution, its tensors by number), and the
// tensors of a run's places.
struct Row {
  DnnKind kind;
  int alpha, beta, convolution;
  int input, weight, output;
  std::vector<int64_t> places;
};
const Row& row_of(ConvolutionResult result) {
  static const Row rows[] = {
      {DnnKind::output, 700, 701, 702, 704, 703, 705, {kOutput, kInput, kWeight}},
      {DnnKind::input_gradient, 706, 707, 708, 710, 709, 711, {kInput, kOutput, kWeight}},
      {DnnKind::weight_gradient, 712, 713, 714, 716, 715, 717, {kWeight, kOutput, kInput}},
  };
  return rows[int(result)];
}

// An engine with its settings, ready to run.
struct Engine {
  CudnnDescriptor plan;
  uint64_t workspace;
  std::string name;
  std::string text;  // the plan, from which another process makes it again
};

using Sizes = std::vector<int64_t>;

// What cuDNN knows of a convolution.
class CudnnConvolution {
 public:
  // Throws DeviceError UNSUPPORTED for what the library does not describe.
  CudnnConvolution(const CudnnApi& library, const ConvolutionTerms& terms)
      : library_(library), terms_(terms), graph_(library, DnnKind::graph) {
    describe();
  }

  // Those that the library thinks most of, the best first.
  std::vector<Engine> engines() const {
    std::vector<Engine> found = proposed(DnnHeuristics::decisions);
    return found.empty() ? proposed(DnnHeuristics::fallback) : std::move(found);
  }

 private:
  // It slides along two axes at least.
  Sizes sizes(const ConvolutionTerms::Sizes& of) const {
    return {of.end() - std::ptrdiff_t(std::max<size_t>(terms_.axes, 2)), of.end()};
  }
  static Sizes with(int64_t first, int64_t second, Sizes rest) {
    rest.insert(rest.begin(), {first, second});
    return rest;
  }

  void describe() {
    const bool is_wide = terms_.type == "float64";
    CudnnDescriptor x = tensor(kInput, with(terms_.images, terms_.channels, sizes(terms_.size))),
                    y = tensor(kOutput, with(terms_.images, terms_.outputs, sizes(terms_.count))),
                    w = tensor(kWeight, with(terms_.outputs, terms_.channels / terms_.groups, sizes(terms_.kernel)));
    CudnnDescriptor convolution(library_, DnnKind::convolution);
    const Sizes padding = sizes(terms_.padding);
    convolution.set(dnn::kAxes, int64_t(padding.size()));
    convolution.set(dnn::kComputeType, is_wide ? DnnType::float64 : DnnType::float32);
    convolution.set(dnn::kMode, DnnConvolutionMode::cross_correlation);
    convolution.set(dnn::kPaddingBefore, padding);
    convolution.set(dnn::kPaddingAfter, padding);
    convolution.set(dnn::kStrides, sizes(terms_.stride));
    convolution.set(dnn::kDilations, sizes(terms_.dilation));
    convolution.finished();

    const Row& row = row_of(terms_.result);
    CudnnDescriptor operation(library_, row.kind);
    operation.set(row.convolution, convolution);
    operation.set(row.input, x);
    operation.set(row.weight, w);
    operation.set(row.output, y);
    if (is_wide) {
      operation.set(row.alpha, 1.0);
      operation.set(row.beta, 0.0);
    } else {
      operation.set(row.alpha, 1.0f);
      operation.set(row.beta, 0.0f);
    }
    operation.finished();
    graph_.set(dnn::kGraphHandle, library_.handle);
    graph_.set(dnn::kGraphOperations, operation);
    graph_.finished();
  }

  CudnnDescriptor tensor(int64_t number, const Sizes& shape) const {
    Sizes steps(shape.size());
    int64_t step = terms_.channels_last ? shape[1] : 1;
    for (size_t axis = shape.size() - 1; axis >= 2; axis--) {
      steps[axis] = step;
      step *= shape[axis];
    }
    steps[1] = terms_.channels_last ? 1 : step;
    steps[0] = terms_.channels_last ? step : step * shape[1];
    CudnnDescriptor made(library_, DnnKind::tensor);
    made.set(dnn::kType, type_of(terms_.type));
    made.set(dnn::kSizes, shape);
    made.set(dnn::kSteps, steps);
    made.set(dnn::kNumber, number);
    made.set(dnn::kAlignment, kAlignment);
    made.finished();
    return made;
  }

  std::vector<Engine> proposed(DnnHeuristics mode) const {
    std::vector<Engine> found;
    CudnnDescriptor heuristics(library_, DnnKind::heuristics);
    heuristics.set(dnn::kHeuristicsGraph, graph_);
    heuristics.set(dnn::kHeuristicsMode, mode);
    if (!heuristics.finish()) return found;
    for (const CudnnDescriptor& configuration :
         heuristics.others(dnn::kHeuristicsResults, DnnKind::configuration, kMostProposals)) {
      if (found.size() == kMostMeasured) break;
      const auto engine = std::move(configuration.others(dnn::kConfiguredEngine, DnnKind::engine, 1).at(0));
      if (!is_exact(engine.notes(dnn::kEngineNotes))) continue;
      CudnnDescriptor plan(library_, DnnKind::plan);
      plan.set(dnn::kPlanHandle, library_.handle);
      plan.set(dnn::kPlanConfiguration, configuration);
      if (!plan.finish()) continue;
      const auto workspace = uint64_t(plan.number(dnn::kPlanWorkspace));
      if (workspace > kMostWorkspace) continue;
      const std::string name = "engine " + std::to_string(engine.number(dnn::kEngineNumber));
      std::string text = plan.text(dnn::kPlanText);
      found.push_back({std::move(plan), workspace, name, std::move(text)});
    }
    return found;
  }

  // Whether it adds up products as they stand, in an order that stays: Fourier's and Winograd's transforms are further
  // from the result, some engines add up by atomics.
  bool is_exact(const std::vector<DnnNote>& notes) const {
    return std::all_of(notes.begin(), notes.end(), [&](DnnNote note) {
      switch (note) {
        case DnnNote::narrowed_factors:
        case DnnNote::narrowed_sums:
        case DnnNote::fourier:
        case DnnNote::varying:
        case DnnNote::winograd:
        case DnnNote::winograd_4:
        case DnnNote::winograd_6:
        case DnnNote::winograd_13:
          return false;
        case DnnNote::tensor_cores:
          return terms_.type != "float32" || terms_.tf32;
        default:
          return true;
      }
    });
  }

  const CudnnApi& library_;
  const ConvolutionTerms& terms_;
  CudnnDescriptor graph_;
};

class Convolution final : public PlannedCall {
 public:
  // What the library keeps of a plan, about.
  static constexpr uint64_t kPlanBytes = 32 * 1024;

  Convolution(LibraryContext& context, const ConvolutionTerms& terms, const PlanRequest& request)
      : PlannedCall("cuDNN convolution", terms.place_bytes().size(), 0),
        context_(context),
        library_(cudnn()),
        bytes_(terms.place_bytes()),
        numbers_(row_of(terms.result).places),
        chosen_(chosen(terms, request)) {
    planned.workspace = chosen_.workspace;
    planned.kept = sizeof *this + kPlanBytes + chosen_.text.size();
    planned.choice = chosen_.name + "\n" + chosen_.text;
    planned.chosen = JsonObject()
                         .text("library", "cuDNN")
                         .text("version", library_.version)
                         .text("path", library_.path)
                         .text("algorithm", chosen_.name)
                         .done();
  }

  void run(const RunRequest& request) override {
    DevicePointer workspace =
        chosen_.workspace > 0 ? context_.segments.address(request.workspace, chosen_.workspace) : 0;
    const CudnnDescriptor pack = packed(place(request), workspace);
    DnnStatus status = kDnnSuccess;
    WorkStream& stream = context_.streams.at(request.stream);
    stream.submit(request.sequence, [&](Stream handle) { status = execute(chosen_, pack, handle); });
    if (status == kDnnSuccess) return;
    stream.expect_sound();
    library_.check(status, "a convolution");
  }

 private:
  std::vector<void*> place(const RunRequest& request) const {
    std::vector<void*> places;
    for (size_t which = 0; which < bytes_.size(); which++)
      places.push_back(reinterpret_cast<void*>(context_.segments.address(request.places[which], bytes_[which])));
    return places;
  }

  CudnnDescriptor packed(const std::vector<void*>& places, DevicePointer workspace) const {
    CudnnDescriptor pack(library_, DnnKind::pack);
    pack.set(dnn::kPackNumbers, numbers_);
    pack.set(dnn::kPackPointers, places);
    pack.set(dnn::kPackWorkspace, std::vector<void*>{reinterpret_cast<void*>(workspace)});
    pack.finished();
    return pack;
  }

  DnnStatus execute(const Engine& engine, const CudnnDescriptor& pack, Stream stream) const {
    DnnStatus status = library_.cudnnSetStream(library_.handle, stream);
    if (status != kDnnSuccess) return status;
    return library_.cudnnBackendExecute(library_.handle, engine.plan.handle(), pack.handle());
  }

  Engine chosen(const ConvolutionTerms& terms, const PlanRequest& request) {
    if (auto known = from(request.choice)) return std::move(*known);
    std::vector<Engine> engines = CudnnConvolution(library_, terms).engines();
    if (engines.empty()) throw DeviceError("UNSUPPORTED", "cuDNN has no engine for this convolution.");
    if (!request.trial || engines.size() == 1) return std::move(engines.front());
    expect(*request.trial);
    return std::move(engines[fastest(engines, place(*request.trial))]);
  }

  // The engine that was chosen before, by a process that is no more.
  std::optional<Engine> from(const std::string& choice) const {
    const size_t end = choice.find('\n');
    if (end == std::string::npos) return std::nullopt;
    CudnnDescriptor plan(library_, DnnKind::plan);
    plan.set(dnn::kPlanHandle, library_.handle);
    std::string text = choice.substr(end + 1);
    plan.set(dnn::kPlanText, text);
    if (!plan.finish()) return std::nullopt;
    const auto workspace = uint64_t(plan.number(dnn::kPlanWorkspace));
    return Engine{std::move(plan), workspace, choice.substr(0, end), std::move(text)};
  }

  size_t fastest(const std::vector<Engine>& engines, const std::vector<void*>& places) {
    uint64_t most = 0;
    for (const Engine& each : engines) most = std::max(most, each.workspace);
    DevicePointer workspace = 0;
    if (most > 0 && context_.api.cuMemAlloc(&workspace, most) != 0) return 0;
    const CudnnDescriptor pack = packed(places, workspace);
    size_t best = 0;
    double least = -1;
    for (size_t at = 0; at < engines.size(); at++) {
      bool works = true;
      auto time = [&](uint32_t repeats) {
        return context_.streams.at(0).milliseconds(
            [&](Stream stream) { works = execute(engines[at], pack, stream) == kDnnSuccess && works; }, repeats);
      };
      time(1);  // the first time its code is loaded
      double milliseconds = time(kRepeats);
      if (!works || (least >= 0 && milliseconds >= least)) continue;
      least = milliseconds;
      best = at;
    }
    if (workspace != 0) context_.api.cuMemFree(workspace);
    if (least < 0) throw DeviceError("UNSUPPORTED", "cuDNN proposes engines for this convolution, but none runs.");
    return best;
  }

  LibraryContext& context_;
  const CudnnApi& library_;
  const std::vector<uint64_t> bytes_;
  const std::vector<int64_t> numbers_;
  const Engine chosen_;
};

std::unique_ptr<PlannedCall> plan_convolution(LibraryContext& context, const PlanRequest& request) {
  ConvolutionTerms terms(request);
  if (terms.unaligned) throw DeviceError("UNSUPPORTED", "cuDNN takes tensors that begin at multiples of 16 bytes.");
  if (terms.bias) throw DeviceError("UNSUPPORTED", "The convolution by cuDNN has no bias.");
  for (int64_t size :
       {terms.images * terms.channels * terms.elements(), terms.images * terms.outputs * terms.positions()}) {
    if (size > INT_MAX) throw DeviceError("UNSUPPORTED", "cuDNN counts the elements of a tensor in 31 bits.");
  }
  return std::make_unique<Convolution>(context, terms, request);
}

}  // namespace

LibraryRows cudnn_rows() { return {{"convolution", plan_convolution}}; }

}  // namespace warpcell::cuda

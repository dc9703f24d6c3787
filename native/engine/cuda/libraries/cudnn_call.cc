// Asks cuDNN for engines, measures them, and runs the one that was chosen.
#include "cudnn_call.h"

#include <algorithm>

#include "../../host/json.h"

namespace warpcell::cuda {
namespace {

constexpr size_t kMostProposals = 32;
constexpr uint32_t kRepeats = 5;
// What the library keeps of a plan, about.
constexpr uint64_t kPlanBytes = 32 * 1024;

// Memory of a run follows other at multiples of this, bytes.
uint64_t padded(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

CudnnCall::CudnnCall(LibraryContext& context, const char* title, const char* what, std::vector<CudnnMemory> places,
                     std::vector<CudnnMemory> scratch, size_t scalars)
    : PlannedCall(title, places.size(), scalars),
      library_(cudnn()),
      context_(context),
      what_(what),
      places_(std::move(places)),
      scratch_(std::move(scratch)) {}

void CudnnCall::choose(const PlanRequest& request, const std::function<CudnnDescriptor()>& graph,
                       const CudnnWanted& wanted) {
  chosen_ = known(request.choice);
  if (!chosen_) {
    const CudnnDescriptor described = graph();
    // Those that the library thinks most of, the best first.
    std::vector<CudnnEngine> engines = proposed(described, DnnHeuristics::decisions, wanted);
    if (engines.empty()) engines = proposed(described, DnnHeuristics::fallback, wanted);
    if (engines.empty()) throw DeviceError("UNSUPPORTED", std::string("cuDNN has no engine for this ") + what_ + ".");
    if (request.trial) expect(*request.trial);
    chosen_ = std::move(engines[request.trial ? fastest(engines, *request.trial) : 0]);
  }
  planned.workspace = workspace_of(*chosen_);
  planned.kept = sizeof *this + kPlanBytes + chosen_->text.size();
  planned.choice = chosen_->name + "\n" + chosen_->text;
  planned.chosen = JsonObject()
                       .text("library", "cuDNN")
                       .text("version", library_.version)
                       .text("path", library_.path)
                       .text("algorithm", chosen_->name)
                       .done();
}

void CudnnCall::run(const RunRequest& request) {
  const uint64_t bytes = planned.workspace;
  const DevicePointer workspace = bytes > 0 ? context_.segments.address(request.workspace, bytes) : 0;
  const CudnnDescriptor pack = packed(request, workspace);
  DnnStatus status = kDnnSuccess;
  WorkStream& stream = context_.streams.at(request.stream);
  stream.submit(request.sequence, [&](Stream handle) { status = execute(*chosen_, pack, handle); });
  if (status == kDnnSuccess) return;
  stream.expect_sound();
  library_.check(status, what_);
}

uint64_t CudnnCall::workspace_of(const CudnnEngine& engine) const {
  uint64_t bytes = engine.workspace;
  for (const CudnnMemory& each : scratch_) bytes += padded(each.bytes);
  return bytes;
}

CudnnDescriptor CudnnCall::packed(const RunRequest& request, DevicePointer workspace) {
  CudnnBindings bindings;
  for (size_t which = 0; which < places_.size(); which++)
    bindings.add(places_[which].number,
                 reinterpret_cast<void*>(context_.segments.address(request.places[which], places_[which].bytes)));
  for (const CudnnMemory& each : scratch_) {
    bindings.add(each.number, reinterpret_cast<void*>(workspace));
    workspace += padded(each.bytes);
  }
  bind(request, &bindings);
  CudnnDescriptor pack(library_, DnnKind::pack);
  pack.set(dnn::kPackNumbers, bindings.numbers);
  pack.set(dnn::kPackPointers, bindings.pointers);
  pack.set(dnn::kPackWorkspace, std::vector<void*>{reinterpret_cast<void*>(workspace)});
  pack.finished();
  return pack;
}

DnnStatus CudnnCall::execute(const CudnnEngine& engine, const CudnnDescriptor& pack, Stream stream) const {
  DnnStatus status = library_.cudnnSetStream(library_.handle, stream);
  if (status != kDnnSuccess) return status;
  return library_.cudnnBackendExecute(library_.handle, engine.plan.handle(), pack.handle());
}

std::vector<CudnnEngine> CudnnCall::proposed(const CudnnDescriptor& graph, DnnHeuristics mode,
                                             const CudnnWanted& wanted) const {
  std::vector<CudnnEngine> found;
  CudnnDescriptor heuristics(library_, DnnKind::heuristics);
  heuristics.set(dnn::kHeuristicsGraph, graph);
  heuristics.set(dnn::kHeuristicsMode, mode);
  if (!heuristics.finish()) return found;
  for (const CudnnDescriptor& configuration :
       heuristics.others(dnn::kHeuristicsResults, DnnKind::configuration, kMostProposals)) {
    if (found.size() == wanted.most) break;
    const auto engine = std::move(configuration.others(dnn::kConfiguredEngine, DnnKind::engine, 1).at(0));
    if (!wanted.has_use(engine.notes(dnn::kEngineNotes))) continue;
    CudnnDescriptor plan(library_, DnnKind::plan);
    plan.set(dnn::kPlanHandle, library_.handle);
    plan.set(dnn::kPlanConfiguration, configuration);
    if (!plan.finish()) continue;
    const auto workspace = uint64_t(plan.number(dnn::kPlanWorkspace));
    if (workspace > wanted.workspace) continue;
    const std::string name = "engine " + std::to_string(engine.number(dnn::kEngineNumber));
    std::string text = plan.text(dnn::kPlanText);
    found.push_back({std::move(plan), workspace, name, std::move(text)});
  }
  return found;
}

std::optional<CudnnEngine> CudnnCall::known(const std::string& choice) const {
  const size_t end = choice.find('\n');
  if (end == std::string::npos) return std::nullopt;
  CudnnDescriptor plan(library_, DnnKind::plan);
  plan.set(dnn::kPlanHandle, library_.handle);
  std::string text = choice.substr(end + 1);
  plan.set(dnn::kPlanText, text);
  if (!plan.finish()) return std::nullopt;
  const auto workspace = uint64_t(plan.number(dnn::kPlanWorkspace));
  return CudnnEngine{std::move(plan), workspace, choice.substr(0, end), std::move(text)};
}

size_t CudnnCall::fastest(const std::vector<CudnnEngine>& engines, const RunRequest& trial) {
  uint64_t most = 0;
  for (const CudnnEngine& each : engines) most = std::max(most, workspace_of(each));
  DevicePointer workspace = 0;
  if (most > 0 && context_.api.cuMemAlloc(&workspace, most) != 0) return 0;
  const CudnnDescriptor pack = packed(trial, workspace);
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
  if (least < 0)
    throw DeviceError("UNSUPPORTED", std::string("cuDNN proposes engines for this ") + what_ + ", but none runs.");
  return best;
}

}  // namespace warpcell::cuda

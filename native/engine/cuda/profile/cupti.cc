// Attaches CUPTI, asks for kernels, copies and fills, remembers which command made each call of the driver, and takes everything down again: a process with CUPTI
// attached is 10 to 20 % slower.
#include "cupti.h"

#include <exception>
#include <iterator>

namespace warpcell::cuda {
namespace {

constexpr ActivityKind kKinds[] = {ActivityKind::kernel, ActivityKind::copy, ActivityKind::fill, ActivityKind::overhead};
constexpr uint32_t kForced = 1;

// The calls that put work on a stream: CUpti_driver_api_trace_cbid and CUpti_runtime_api_trace_cbid. Libraries call the runtime, whose work carries the number of the
// outer call.
struct Followed { int domain; uint32_t function; };
constexpr Followed kFollowed[] = {
  {kDriverCalls, 307} /* cuLaunchKernel */, {kDriverCalls, 477} /* cuLaunchCooperativeKernel */, {kDriverCalls, 652} /* cuLaunchKernelEx */, {kDriverCalls, 306} /* cuMemcpyAsync */,
  {kDriverCalls, 216} /* cuMemsetD8Async */, {kDriverCalls, 218} /* cuMemsetD16Async */, {kDriverCalls, 220} /* cuMemsetD32Async */, {kDriverCalls, 226} /* cuMemsetD2D32Async */,
  {kRuntimeCalls, 211} /* cudaLaunchKernel */, {kRuntimeCalls, 430} /* cudaLaunchKernelExC */, {kRuntimeCalls, 51} /* cudaMemsetAsync */, {kRuntimeCalls, 41} /* cudaMemcpyAsync */,
};

// CUPTI's callbacks for buffers carry no pointer of ours.
ActivityBuffers& buffers() {
  static ActivityBuffers all;
  return all;
}

void request_buffer(uint8_t** bytes, size_t* size, size_t* most_records) {
  *bytes = buffers().request();
  *size = *bytes == nullptr ? 0 : ActivityBuffers::kBytes;
  *most_records = 0;
}

void complete_buffer(Context, uint32_t, uint8_t* bytes, size_t, size_t valid) { buffers().complete(bytes, valid); }

uint64_t clock() { return uint64_t(profile_clock()); }

}  // namespace

void CuptiProfiler::on_call(void* self, int, uint32_t, const void* data) {
  auto& call = *static_cast<const CallbackData*>(data);
  if (call.site != kCallBegins) return;
  auto& profiler = *static_cast<CuptiProfiler*>(self);
  profiler.causes_.push_back({call.correlation, profiler.log_.sequence()});
}

std::string CuptiProfiler::start(bool counters, const uint64_t& sequence) {
  if (api_ != nullptr) detach();
  std::vector<std::string> notes;
  const CuptiApi& api = cupti(driver_);
  api_ = &api;
  try {
    attach();
    warm_up();
    follow_calls(true);
  } catch (const DeviceError&) {
    detach();
    throw;
  }
  log_.start(sequence);
  return profile_notes(notes);
}

void CuptiProfiler::attach() {
  constexpr size_t kExpectedCalls = 1 << 18;
  causes_.clear();
  causes_.reserve(kExpectedCalls);
  buffers().prepare();

  api_->check(api_->cuptiSubscribe(&subscriber_, on_call, this), "attaching");
  uint8_t zero = 1;
  size_t bytes = sizeof zero;
  // One that does not know it clears the buffers itself, which only takes longer.
  api_->cuptiActivitySetAttribute(kBuffersAreZero, &bytes, &zero);
  api_->check(api_->cuptiActivityRegisterTimestampCallback(clock), "setting the clock");
  api_->check(api_->cuptiActivityRegisterCallbacks(request_buffer, complete_buffer), "giving it memory");
  for (ActivityKind kind : kKinds) api_->check(api_->cuptiActivityEnable(kind), "starting");
}

// The first work after attaching pays for what CUPTI prepares, and CUPTI may forget what comes before the first wait.
void CuptiProfiler::warm_up() {
  DevicePointer scratch = 0;
  driver_.check(driver_.cuMemAlloc(&scratch, sizeof(uint32_t)), "starting a profile");
  Result result = driver_.cuMemsetD32Async(scratch, 0, 1, stream_);
  if (result == kSuccess) result = driver_.cuStreamSynchronize(stream_);
  driver_.cuMemFree(scratch);
  driver_.check(result, "starting a profile");
  api_->check(api_->cuptiActivityFlushAll(kForced), "starting");
  buffers().release(buffers().take());
  buffers().prepare();
}

void CuptiProfiler::follow_calls(bool on) {
  for (const Followed& call : kFollowed) {
    CuptiResult result = api_->cuptiEnableCallback(on ? 1 : 0, subscriber_, call.domain, call.function);
    if (on) api_->check(result, "following calls");
  }
}

Profile CuptiProfiler::stop() {
  if (api_ == nullptr || !log_.on()) throw not_profiling();
  log_.stop();
  ProfileParts parts;
  try {
    follow_calls(false);
    api_->check(api_->cuptiActivityFlushAll(kForced), "collecting the records");
    uint32_t lane = 0;
    api_->check(api_->cuptiGetStreamId(context_, stream_, &lane), "naming the stream");
    ActivityReader reader(*api_, causes_, lane, log_.names, parts.records);
    std::vector<FullBuffer> full = buffers().take();
    for (const FullBuffer& buffer : full) reader.read(buffer);
    size_t dropped = 0;
    api_->check(api_->cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), "counting the records");
    parts.dropped = dropped + log_.records.dropped();
    buffers().release(full);
  } catch (const DeviceError&) {
    detach();
    throw;
  }
  detach();
  log_.records.append_to(parts.records);
  log_.records.clear();
  return make_profile(std::move(parts), log_.names);
}

// What fails here has nobody to tell: the process goes on without a profiler either way.
void CuptiProfiler::detach() {
  log_.stop();
  for (ActivityKind kind : kKinds) api_->cuptiActivityDisable(kind);
  api_->cuptiActivityFlushAll(kForced);
  if (subscriber_ != nullptr) api_->cuptiUnsubscribe(subscriber_);
  api_->cuptiFinalize();
  subscriber_ = nullptr;
  api_ = nullptr;
  buffers().release(buffers().take());
  causes_ = std::vector<Cause>();
}

}  // namespace warpcell::cuda

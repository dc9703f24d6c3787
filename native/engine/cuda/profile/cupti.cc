// Attaches CUPTI, asks for kernels, copies and fills, and takes everything down again: a process with CUPTI attached is
// 10 to 20 % slower.
#include "cupti.h"

#include <exception>

#include "activity_records.h"

namespace warpcell::cuda {
namespace {

constexpr ActivityKind kKinds[] = {ActivityKind::kernel, ActivityKind::copy, ActivityKind::fill,
                                   ActivityKind::overhead};
constexpr uint32_t kForced = 1;

// CUpti_driver_api_trace_cbid of a call that does nothing, which is made to learn its number.
constexpr uint32_t kStreamGetFlags = 369;

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

ProfileKind kind_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return ProfileKind::kernel;
    case WorkKind::copy:
      return ProfileKind::copy;
    case WorkKind::fill:
      return ProfileKind::fill;
  }
  __builtin_unreachable();
}

}  // namespace

void CuptiProfiler::on_call(void* self, int, uint32_t, const void* data) {
  auto& call = *static_cast<const CallbackData*>(data);
  if (call.site == kCallBegins) static_cast<CuptiProfiler*>(self)->called_ = call.correlation;
}

void CuptiProfiler::launching() {
  if (__builtin_expect(counters_ != nullptr, 0)) counters_->launching(profiled_.log.sequence());
}

void CuptiProfiler::submitted(WorkKind kind) { causes_.submitted(kind_of(kind), profiled_.log.sequence()); }

void CuptiProfiler::begin(Stretch stretch) {
  causes_.begin(call_number(), profiled_.log.sequence());
  if (counters_ == nullptr) return;
  if (stretch == Stretch::foreign)
    counters_->begin(profiled_.log.sequence());
  else
    counters_->pause();
}

void CuptiProfiler::end() noexcept {
  causes_.end(call_number());
  if (counters_ != nullptr) counters_->end();
}

// Where the call is not followed, the numbers do not add up at the end, and that is said.
uint32_t CuptiProfiler::call_number() {
  unsigned flags = 0;
  called_ = 0;
  profiled_.driver.cuStreamGetFlags(first_stream(), &flags);
  return called_;
}

std::string CuptiProfiler::start(ProfileExtras extras, const uint64_t& sequence) {
  if (api_ != nullptr) detach();
  std::vector<std::string> notes;
  api_ = &cupti(profiled_.driver);
  try {
    attach();
    // CUPTI that failed to sample records nothing any more (seen with 13.0, while another process sampled).
    if (extras.samples && !sample(notes)) {
      detach();
      api_ = &cupti(profiled_.driver);
      attach();
    }
    warm_up();
    if (extras.counters) count(notes);
  } catch (const DeviceError&) {
    detach();
    throw;
  }
  profiled_.log.start(sequence);
  profiled_.streams.watch(this);
  return profile_notes(notes);
}

void CuptiProfiler::attach() {
  causes_.clear();
  buffers().prepare();

  api_->check(api_->cuptiSubscribe(&subscriber_, on_call, this), "attaching");
  uint8_t zero = 1;
  size_t bytes = sizeof zero;
  // One that does not know it clears the buffers itself, which only takes longer.
  api_->cuptiActivitySetAttribute(kBuffersAreZero, &bytes, &zero);
  api_->check(api_->cuptiActivityRegisterTimestampCallback(clock), "setting the clock");
  api_->check(api_->cuptiActivityRegisterCallbacks(request_buffer, complete_buffer), "giving it memory");
  for (ActivityKind kind : kKinds) api_->check(api_->cuptiActivityEnable(kind), "starting");
  api_->check(api_->cuptiEnableCallback(1, subscriber_, kDriverCalls, kStreamGetFlags), "following calls");
}

// The first work after attaching pays for what CUPTI prepares, and CUPTI may forget what comes before the first wait.
void CuptiProfiler::warm_up() {
  const DriverApi& driver = profiled_.driver;
  Stream stream = first_stream();
  DevicePointer scratch = 0;
  driver.check(driver.cuMemAlloc(&scratch, sizeof(uint32_t)), "starting a profile");
  Result result = driver.cuMemsetD32Async(scratch, 0, 1, stream);
  if (result == kSuccess) result = driver.cuStreamSynchronize(stream);
  driver.cuMemFree(scratch);
  driver.check(result, "starting a profile");
  api_->check(api_->cuptiActivityFlushAll(kForced), "starting");
  buffers().release(buffers().take());
  buffers().prepare();
  // What was dropped before, by the end of an earlier profile too, is not told of this one.
  size_t dropped = 0;
  api_->check(api_->cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), "starting");
}

// A profile without counters is better than none.
void CuptiProfiler::count(std::vector<std::string>& notes) {
  try {
    counters_ =
        std::make_unique<RangeCounters>(*api_, profiled_.driver, profiled_.context, first_stream(), profiled_.device);
    notes.push_back(
        "Between kernels that are counted pass about two milliseconds: the time of a kernel is right, the time from "
        "one to the next is not. For that, profile without counters.");
  } catch (const DeviceError& error) {
    if (error.fatal) throw;
    notes.push_back(std::string("Nothing is counted: ") + error.what());
  }
}

// So is one without samples. False where there are none.
bool CuptiProfiler::sample(std::vector<std::string>& notes) {
  try {
    samples_ = std::make_unique<PcSamples>(*api_, profiled_.context);
  } catch (const DeviceError& error) {
    if (error.fatal) throw;
    notes.push_back(std::string("Nothing is sampled: ") + error.what());
  }
  return samples_ != nullptr;
}

Profile CuptiProfiler::stop() {
  if (api_ == nullptr || !profiled_.log.on()) throw not_profiling();
  profiled_.log.stop();
  profiled_.streams.watch(nullptr);
  ProfileParts parts;
  try {
    parts = collect();
  } catch (const DeviceError&) {
    detach();
    throw;
  }
  detach();
  profiled_.log.records.append_to(parts.records);
  profiled_.log.records.clear();
  return make_profile(std::move(parts), profiled_.log.names);
}

ProfileParts CuptiProfiler::collect() {
  ProfileParts parts;
  if (counters_ != nullptr) parts.counters = counters_->take(parts.notes);
  if (samples_ != nullptr) parts.samples = samples_->take(parts.notes);
  api_->check(api_->cuptiActivityFlushAll(kForced), "collecting the records");
  StreamNumbers numbers;
  for (const auto& stream : profiled_.streams.all()) {
    uint32_t lane = 0;
    api_->check(api_->cuptiGetStreamId(profiled_.context, stream->handle(), &lane), "naming the stream");
    numbers[lane] = stream->number;
  }

  ActivityReader reader(*api_, numbers, counters_ != nullptr, profiled_.log.names, parts.records);
  std::vector<FullBuffer> full = buffers().take();
  for (const FullBuffer& buffer : full) reader.read(buffer);
  size_t dropped = 0;
  api_->check(api_->cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), "counting the records");
  parts.dropped = dropped + profiled_.log.records.dropped();
  buffers().release(full);
  if (!causes_.attribute(reader.traced(), parts.records)) {
    parts.notes.push_back(
        "The GPU's records do not match what it was given, so they stand without the lines that launched them.");
  }
  return parts;
}

// What fails here has nobody to tell: the process goes on without a profiler either way.
void CuptiProfiler::detach() {
  profiled_.log.stop();
  profiled_.streams.watch(nullptr);
  counters_.reset();
  samples_.reset();
  for (ActivityKind kind : kKinds) api_->cuptiActivityDisable(kind);
  api_->cuptiActivityFlushAll(kForced);
  if (subscriber_ != nullptr) api_->cuptiUnsubscribe(subscriber_);
  api_->cuptiFinalize();
  subscriber_ = nullptr;
  api_ = nullptr;
  buffers().release(buffers().take());
  causes_.clear();
}

}  // namespace warpcell::cuda

// Streams and events of a program on the CPU: what is given to a stream is done at once, or recorded for a graph.
#include "device.h"

#include <ctime>

namespace warpcell::cpu {
namespace {

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// The address of what a handle stands for is the handle.
template <class Handle, class T>
Handle handle_of(T* object) {
  return reinterpret_cast<Handle>(object);
}

}  // namespace

bool CpuProgram::stream_of(cudaStream_t handle, ProgramStream** stream) {
  *stream = nullptr;
  if (handle == nullptr) return true;
  auto found = streams_.find(handle);
  if (found == streams_.end()) return false;
  *stream = found->second.get();
  return true;
}

cudaError_t CpuProgram::perform(cudaStream_t handle, Step step) {
  {
    Turn turn(tables_);
    ProgramStream* stream;
    if (!stream_of(handle, &stream)) return cudaErrorInvalidResourceHandle;
    if (stream != nullptr && stream->capture != nullptr) {
      stream->capture->steps.push_back(std::move(step));
      return cudaSuccess;
    }
  }
  return step();
}

cudaError_t CpuProgram::stream_create(cudaStream_t* handle, unsigned) {
  Turn turn(tables_);
  auto stream = std::make_unique<ProgramStream>();
  *handle = handle_of<cudaStream_t>(stream.get());
  streams_[*handle] = std::move(stream);
  return cudaSuccess;
}

cudaError_t CpuProgram::stream_destroy(cudaStream_t stream) {
  Turn turn(tables_);
  return streams_.erase(stream) == 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

cudaError_t CpuProgram::stream_synchronize(cudaStream_t handle) {
  Turn turn(tables_);
  ProgramStream* stream;
  if (!stream_of(handle, &stream)) return cudaErrorInvalidResourceHandle;
  return stream != nullptr && stream->capture != nullptr ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t CpuProgram::stream_query(cudaStream_t stream) { return stream_synchronize(stream); }

cudaError_t CpuProgram::stream_wait(cudaStream_t handle, cudaEvent_t event) {
  Turn turn(tables_);
  ProgramStream* stream;
  auto found = events_.find(event);
  if (!stream_of(handle, &stream) || found == events_.end()) return cudaErrorInvalidResourceHandle;
  std::shared_ptr<ProgramGraph> captured = found->second->captured.lock();
  // What is given to it from now on belongs to the same graph.
  if (captured != nullptr && stream != nullptr && stream->capture == nullptr) stream->capture = captured;
  return cudaSuccess;
}

cudaError_t CpuProgram::call_host(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return perform(stream, [function, data] {
    function(data);
    return cudaSuccess;
  });
}

// --- events

cudaError_t CpuProgram::event_create(cudaEvent_t* handle, unsigned flags) {
  Turn turn(tables_);
  auto event = std::make_unique<ProgramEvent>();
  event->timed = (flags & 2) == 0;
  *handle = handle_of<cudaEvent_t>(event.get());
  events_[*handle] = std::move(event);
  return cudaSuccess;
}

cudaError_t CpuProgram::event_destroy(cudaEvent_t event) {
  Turn turn(tables_);
  return events_.erase(event) == 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

cudaError_t CpuProgram::event_record(cudaEvent_t handle, cudaStream_t on) {
  Turn turn(tables_);
  ProgramStream* stream;
  auto found = events_.find(handle);
  if (!stream_of(on, &stream) || found == events_.end()) return cudaErrorInvalidResourceHandle;
  ProgramEvent& event = *found->second;
  if (stream != nullptr && stream->capture != nullptr) {
    event.captured = stream->capture;
    return cudaSuccess;
  }
  event.captured.reset();
  event.recorded = true;
  event.reached = now();
  return cudaSuccess;
}

cudaError_t CpuProgram::event_synchronize(cudaEvent_t handle) {
  Turn turn(tables_);
  auto found = events_.find(handle);
  if (found == events_.end()) return cudaErrorInvalidResourceHandle;
  return found->second->captured.expired() ? cudaSuccess : cudaErrorCapturedEvent;
}

cudaError_t CpuProgram::event_query(cudaEvent_t event) { return event_synchronize(event); }

cudaError_t CpuProgram::event_elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  Turn turn(tables_);
  auto first = events_.find(start), second = events_.find(end);
  if (first == events_.end() || second == events_.end()) return cudaErrorInvalidResourceHandle;
  for (ProgramEvent* event : {first->second.get(), second->second.get()}) {
    if (!event->timed || !event->recorded) return cudaErrorInvalidResourceHandle;
  }
  *milliseconds = float(double(second->second->reached - first->second->reached) / 1e6);
  return cudaSuccess;
}

// --- captures

cudaError_t CpuProgram::capture_begin(cudaStream_t handle, cudaStreamCaptureMode) {
  Turn turn(tables_);
  ProgramStream* stream;
  if (!stream_of(handle, &stream) || stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  stream->capture = std::make_shared<ProgramGraph>();
  stream->began = true;
  return cudaSuccess;
}

cudaError_t CpuProgram::capture_end(cudaStream_t handle, cudaGraph_t* graph) {
  Turn turn(tables_);
  ProgramStream* stream;
  if (!stream_of(handle, &stream) || stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture == nullptr) return cudaErrorIllegalState;
  if (!stream->began) return cudaErrorStreamCaptureUnmatched;
  std::shared_ptr<ProgramGraph> captured = stream->capture;
  // Streams that have joined it go on as they were.
  for (auto& [other, each] : streams_) {
    if (each->capture == captured) {
      each->capture = nullptr;
      each->began = false;
    }
  }
  *graph = handle_of<cudaGraph_t>(captured.get());
  graphs_[*graph] = captured;
  return cudaSuccess;
}

cudaError_t CpuProgram::capture_status(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  Turn turn(tables_);
  ProgramStream* stream;
  if (!stream_of(handle, &stream)) return cudaErrorInvalidResourceHandle;
  bool is_capturing = stream != nullptr && stream->capture != nullptr;
  *status = is_capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

}  // namespace warpcell::cpu

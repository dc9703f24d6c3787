// What a device can do for the command loop: with host/, all that engine/cuda and engine/cpu share. loop.cc turns
// records into these calls and their outcomes into answers and error records.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../protocol/commands.h"
#include "../protocol/profile.h"
#include "host/errors.h"
#include "textures.h"

namespace warpcell {

struct CompileRequest {
  std::string source;
  std::string name;                      // what messages call the source, e.g. "Cell [3] axpy.cu"
  std::string headers;                   // directory of the library's own CUDA headers
  std::vector<std::string> expressions;  // kernels to make callable: "fill", "ns::axpy<float>"
  std::vector<std::string>
      options;  // --std=c++17 --define=N=4 --include=/dir --arch=sm_90 --fast-math --flag=… --verbose
};

struct Compiled {
  std::string log;                   // warnings and, with --verbose, the compiler's report
  std::string artifact;              // cubin, or the shared object's bytes
  std::vector<std::string> lowered;  // one symbol per expression
  std::optional<std::vector<std::string>>
      dependencies;  // every file that the compiler read besides the source; nothing where it does not say
};

struct LaunchRequest {
  uint64_t sequence;
  uint32_t stream;
  uint32_t kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared;
  bool cooperative;     // all blocks run at once, or the launch is refused
  uint32_t cluster[3];  // blocks of a cluster, which run at once; 0×0×0: as the kernel was compiled
  uint8_t* arguments;   // pointers are already this process's addresses; valid during the call only
  uint32_t argument_bytes;
};

struct CopyRequest {
  uint64_t sequence;
  uint32_t stream;
  Place destination, source;
  uint64_t size;
};

struct FillRequest {
  uint64_t sequence;
  uint32_t stream;
  Place destination;
  uint64_t size;
  uint64_t pattern;
  uint32_t width;  // 1, 2, 4 or 8 bytes, of which the size is a multiple
};

// One run of a planned call. The places lie in the record: valid during the call only.
struct RunRequest {
  uint64_t sequence;
  uint32_t stream;
  uint32_t plan;
  const Place* places;
  uint32_t place_count;
  const double* scalars;
  uint32_t scalar_count;
  Place workspace;       // `Planned::workspace` bytes of the device
  Place status;          // an int32 that the session reads
  void* host_workspace;  // `Planned::host_workspace` bytes of this process, during the call only
};

struct PlanRequest {
  uint32_t plan;
  std::string call;                          // "matmul": a row of the device's table
  std::map<std::string, std::string> terms;  // all that is known beforehand: "m" → "512", "a.type" → "float32"
  std::string choice;                        // of an earlier process; empty: choose
  std::optional<RunRequest> trial;           // may be run to choose by measuring
};

struct Planned {
  uint64_t workspace;       // bytes of the device that each run borrows
  uint64_t host_workspace;  // bytes of this process that each run borrows
  uint64_t kept;            // bytes that the plan keeps between runs, as far as known
  bool has_status;          // a run says how it went
  std::string chosen;       // {"library", "version", "path", "algorithm"} as JSON
  std::string choice;
};

// A launch that is followed, with what the device cannot know of it.
struct CheckRequest {
  struct Argument {
    Place place;
    uint64_t bytes;
    uint32_t element;   // bytes
    std::string state;  // "new", "known" or "old", as messages.h says
    bool is_constant;   // the kernel takes it as const
  };
  struct Block {
    Place place;
    uint64_t bytes;
  };
  LaunchRequest launch;
  std::vector<Argument> arguments;
  std::vector<Block> blocks;
  bool has_addresses;
  bool counts;
  // Of which block and thread the steps are wanted.
  bool follows;
  uint64_t followed_block;
  uint32_t followed_thread;
};

struct Checked {
  std::vector<std::string> findings, subjects, reached, counts, steps;
};

// What libraries of a vendor do on a device, a row for each call.
class Libraries {
 public:
  virtual ~Libraries() = default;
  // Throws DeviceError: NO_LIBRARY with the way to get it, UNSUPPORTED for what the library does not cover.
  virtual Planned plan(const PlanRequest& request) = 0;
  // Work, in order with that of its stream. May return before it is done.
  virtual void run(const RunRequest& request) = 0;
  // Forgets a plan; comes after synchronize().
  virtual void release(uint32_t plan) = 0;
};

// Work that a device has taken as one.
class Captured {
 public:
  virtual ~Captured() = default;
  // Runs it, in order with the work of the stream. May return before it is done.
  virtual void launch(uint32_t stream, uint64_t sequence) = 0;
  // Has every run from now on do this launch in place of piece `index`, of which only the arguments differ.
  virtual void change(size_t index, const LaunchRequest& request) = 0;
};

// What was recorded between start and stop: text as profile.h and commands.h say.
struct Profile {
  std::string summary;  // JSON
  std::vector<ProfileRecord> records;
};

// What a profile has besides times.
struct ProfileExtras {
  bool counters = false;
  bool samples = false;
};

// Records what the device does. Costs nothing while it is off.
class Profiler {
 public:
  virtual ~Profiler() = default;
  // Notes for the reader as JSON. A profile that is under way is given up. `sequence` is that of the command being
  // performed, whenever it is read: each record has its own.
  virtual std::string start(ProfileExtras extras, const uint64_t& sequence) = 0;
  // Comes after synchronize(). Throws DeviceError("NOT_PROFILING") without a start.
  virtual Profile stop() = 0;
};

// Told by a device, on any thread, what becomes of commands that it has taken.
class Listener {
 public:
  virtual ~Listener() = default;
  // All that the stream was given up to this command is done and visible.
  virtual void completed(uint32_t stream, uint64_t sequence) = 0;
  // It could not be done after all.
  virtual void refused(uint64_t sequence, const DeviceError& reason) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  // One JSON object: {"name", "kind", "index", "arch", "warpSize", "multiprocessors", "maxThreadsPerBlock", "maxBlock":
  // [x,y,z], "maxGrid": [x,y,z], "sharedPerBlock", "sharedPerBlockOptin", "registersPerBlock", "memoryTotal",
  // "compiler": {"name","version","path"}, "driver", "shareable": bool}.
  // Bytes.
  virtual std::string properties() = 0;

  // Memory. A segment keeps its number over restarts; `descriptor` is owned by the callee.
  virtual int segment_create(uint32_t segment, uint64_t bytes) = 0;  // returns a descriptor for the session
  virtual void segment_import(uint32_t segment, Memory memory, uint64_t bytes, int descriptor) = 0;
  virtual void segment_release(uint32_t segment) = 0;  // comes after synchronize(), as module_unload does
  virtual void* address(Place place) = 0;              // throws DeviceError("ILLEGAL_PLACE") for an unknown segment

  virtual Compiled compile(const CompileRequest& request) = 0;
  // One JSON object per kernel: {"name", "registers", "shared", "local", "constant", "maxThreads", "spillStores",
  // "spillLoads", "binary", "parameters": [{"offset","size"}…]}; a figure the device does not know is null.
  virtual std::vector<std::string> module_load(uint32_t module, uint32_t first_kernel, const std::string& artifact,
                                               const std::vector<std::string>& lowered) = 0;
  virtual void module_unload(uint32_t module) = 0;
  // Gives variables of a module, by their symbols, the numbers first, first + 1 …; returns the bytes of each. They end
  // with their module.
  virtual std::vector<uint64_t> variables_find(uint32_t module, uint32_t first,
                                               const std::vector<std::string>& symbols) = 0;
  // Both come after synchronize().
  virtual void variable_write(uint32_t variable, const std::string& value) = 0;
  virtual std::string variable_read(uint32_t variable) = 0;
  virtual std::string occupancy(uint32_t kernel, uint32_t threads, uint32_t shared) = 0;
  // `headers`: as in CompileRequest.
  virtual std::string disassemble(const std::string& artifact, const std::string& form, const std::string& headers) = 0;

  // Streams. Stream 0 is always open; the work of streams that are open runs side by side.
  virtual void stream_open(uint32_t stream) = 0;
  // What `stream` is given from now on comes after all that `other` was given before.
  virtual void stream_wait(uint32_t stream, uint32_t other) = 0;

  // Has the event be what `stream` was given so far, and note when that is done.
  virtual void event_record(uint32_t stream, uint32_t event) = 0;
  // What `stream` is given from now on comes after the event, where there is one.
  virtual void event_wait(uint32_t stream, uint32_t event) = 0;
  virtual void event_release(uint32_t event) = 0;
  // Milliseconds between two that are over. Throws DeviceError NOT_RECORDED.
  virtual double event_elapsed(uint32_t first, uint32_t second) = 0;

  // Work, in order on its stream. These may return before the work is done.
  virtual void launch(const LaunchRequest& request) = 0;
  virtual void copy(const CopyRequest& request) = 0;
  virtual void fill(const FillRequest& request) = 0;
  // The listener is told when all that the stream was given before is done, and what kernels printed is flushed.
  virtual void fence(uint32_t stream, uint64_t sequence) = 0;
  // Returns when all work of all streams is done, and what kernels printed is flushed.
  virtual void synchronize() = 0;
  virtual std::vector<double> time(const LaunchRequest& request, uint32_t repeats,
                                   uint32_t warmup) = 0;  // device ms each
  // Runs a launch of a kernel that was compiled to be checked, and says what it found.
  virtual Checked check(const CheckRequest&) {
    throw DeviceError("UNSUPPORTED", "Launches are checked on the cpu device only.");
  }
  // A JSON object for each library that the device opens where this machine has it: {"name", "purpose", "path",
  // "version", "missing"}. It is opened; where it cannot be used, "missing" says why and what to do.
  virtual std::vector<std::string> known_libraries() { return {}; }
  // `give` puts piece 0, 1, … of `count` on stream 0; the device keeps them instead of running them. Null, without a
  // call of `give`: it runs such pieces as fast one by one.
  virtual std::unique_ptr<Captured> capture(size_t count, const std::function<void(size_t)>& give) {
    (void)count, (void)give;
    return nullptr;
  }
  // Null where a device has none.
  virtual Libraries* libraries() { return nullptr; }
  virtual Profiler* profiler() { return nullptr; }
  virtual Textures* textures() { return nullptr; }

  // Tells the listener of fences that are done. True: there are others, which nobody but this call will find done.
  virtual bool look() { return false; }
  // The loop calls this once when the ring has stayed empty for some microseconds after work: a device that can, now
  // asks for `StreamState::progress` to reach the last launch without waiting for it.
  virtual void idle() {}
  // After a fatal error: the last launch that can be to blame, as far as the device knows; 0: it does not know.
  virtual uint64_t last_suspect() { return 0; }

  // Runs on a thread of its own, also while the others block.
  virtual void sample(Gauges& gauges) = 0;
};

// `control` is the mapped control segment, for `progress` and for fault records written from a signal handler.
std::unique_ptr<Device> open_cpu(int index, Control* control, Listener& listener);
std::unique_ptr<Device> open_cuda(int index, Control* control, Listener& listener);
// `index` is a compute capability: 90.
std::unique_ptr<Device> open_nvrtc(int index, Control* control, Listener& listener);

}  // namespace warpcell

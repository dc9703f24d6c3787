// Every word a session and a device process say to each other: turns work on a device into plain data in shared memory.
// Both sides check kProtocolVersion before anything else.
#pragma once
#include <atomic>
#include <cstdint>

namespace warpcell {

constexpr uint32_t kProtocolVersion = 1;
constexpr uint64_t kRingBytes = 1u << 20;      // a power of two; a record never wraps: the writer pads with Op::skip
constexpr uint32_t kMaxArgumentBytes = 32764;  // CUDA's limit of kernel parameters, from compute capability 7.0 on
// Streams of a device. A GPU takes work from as many queues at once: more streams would wait for each other there.
constexpr uint32_t kMaxStreams = 32;
constexpr uint32_t kErrorSlots = 64;
constexpr uint32_t kErrorTextBytes = 448;

// A place in memory as both sides name it. Addresses differ in every process and after every restart, so no command
// carries one: a place is `segment << 40 | offset`. It stays below 2^53, exact in a JavaScript number.
using Place = uint64_t;
constexpr int kOffsetBits = 40;
constexpr uint32_t kMaxSegments = 8191;
constexpr Place place(uint32_t segment, uint64_t offset) { return (uint64_t(segment) << kOffsetBits) | offset; }
constexpr uint32_t segment_of(Place p) { return uint32_t(p >> kOffsetBits); }
constexpr uint64_t offset_of(Place p) { return p & ((uint64_t(1) << kOffsetBits) - 1); }

// device: memory that kernels use. host: shared memory that the session reads (pinned, where the device has its own
// memory).
enum class Memory : uint32_t { device = 0, host = 1 };

// X(name, number, has_message): a command with a message sends one Fields payload (fields.h) over the socket, and is
// answered by one (messages.h). A new command is one line here and one function in engine/loop.cc.
// clang-format off
#define WARPCELL_COMMANDS(X) \
  X(skip, 0, false)              \
  X(fence, 1, false)             \
  X(launch, 2, false)            \
  X(copy, 3, false)              \
  X(fill, 4, false)              \
  X(segment_create, 5, true)     \
  X(segment_import, 6, true)     \
  X(segment_release, 7, false)   \
  X(hello, 8, true)              \
  X(compile, 9, true)            \
  X(module_load, 10, true)       \
  X(module_unload, 11, false)    \
  X(occupancy, 12, true)         \
  X(time, 13, true)              \
  X(disassemble, 14, true)       \
  X(address, 15, true)           \
  X(plan, 16, true)              \
  X(run, 17, false)              \
  X(profile_start, 18, true)     \
  X(profile_stop, 19, true)      \
  X(plan_release, 20, false)     \
  X(known_libraries, 21, true)   \
  X(stream_open, 22, false)      \
  X(stream_wait, 23, false)      \
  X(graph_create, 24, true)      \
  X(graph_update, 25, false)     \
  X(graph_launch, 26, false)     \
  X(graph_release, 27, false)    \
  X(event_record, 28, false)     \
  X(event_wait, 29, false)       \
  X(event_release, 30, false)    \
  X(event_elapsed, 31, true)     \
  X(variables_find, 32, true)    \
  X(variable_write, 33, true)    \
  X(variable_read, 34, true)     \
  X(check, 35, true)             \
  X(host_load, 40, true)         \
  X(host_call, 41, true)         \
  X(host_resume, 42, true)       \
  X(host_unload, 43, false)      \
  X(texture_create, 44, true)    \
  X(texture_copy, 45, false)     \
  X(texture_release, 46, false)
// clang-format on

enum class Op : uint16_t {
#define X(name, number, message) name = number,
  // clang-format off
  WARPCELL_COMMANDS(X)
// clang-format on
#undef X
};

// The head of every record in the ring. `bytes` counts the whole record and is a multiple of 8.
struct Header {
  uint32_t bytes;
  Op op;
  uint16_t stream;    // below kMaxStreams; 0 of a command with a message
  uint64_t sequence;  // 1, 2, 3 … per device, never reused, also across restarts of the device process
  uint32_t origin;    // which line of which cell asked; the session owns the table
  uint32_t reserved;
};
static_assert(sizeof(Header) == 24);

struct Skip {
  Header header;
};

// Done when everything before it on the stream is done: `StreamState::completed` reaches its sequence.
struct Fence {
  Header header;
};

// Opens its stream, which is open until the process ends, and at once where it was open before. What is on one stream
// runs in order, what is on different ones may run at the same time.
struct StreamOpen {
  Header header;
};

// What follows on its stream begins after all that came before this record on the other.
struct StreamWait {
  Header header;
  uint32_t other;
  uint32_t reserved;
};

// Followed by pointer_count uint16 offsets into the arguments (padded to 8 bytes), then argument_bytes of arguments
// (padded to 8 bytes), laid out as the kernel's parameters are: each at its natural alignment. The 8 bytes at each
// pointer offset hold a Place (or ~0 for a null pointer), which the device process replaces with its own address; or
// kTextureMark | the number of a texture, which it replaces with the texture object's handle.
struct Launch {
  Header header;
  uint32_t kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared;  // dynamic shared memory, bytes
  uint16_t argument_bytes;
  uint16_t pointer_count;
  uint32_t flags;  // 1: cooperative; then 8 bits for the blocks of a cluster along x, y and z each, 0: no clusters
};
static_assert(sizeof(Launch) == 64);
constexpr uint64_t kNullPointer = ~uint64_t(0);
constexpr uint64_t kTextureMark = uint64_t(1) << 63;

struct Copy {
  Header header;
  Place destination;
  Place source;
  uint64_t size;
};  // bytes; the ranges do not overlap
struct Fill {
  Header header;
  Place destination;
  uint64_t size;
  uint64_t pattern;
  uint32_t width;
  uint32_t reserved;
};  // width 1, 2, 4 or 8 bytes; size is a multiple of it
// A planned call of a library. Followed by place_count Places (or ~0 for a null pointer) and scalar_count doubles, in
// the order that the call has them. `workspace` and `status` are ~0 where the plan asked for none.
struct Run {
  Header header;
  uint32_t plan;
  uint16_t place_count;
  uint16_t scalar_count;
  Place workspace;  // memory of the device
  Place status;     // where the call leaves an int32 for the session: 0, or what it found wrong with its operands
};
static_assert(sizeof(Run) == 48);

struct SegmentRelease {
  Header header;
  uint32_t segment;
  uint32_t reserved;
};
struct ModuleUnload {
  Header header;
  uint32_t module;
  uint32_t reserved;
};
// Of code with host functions.
struct HostUnload {
  Header header;
  uint32_t module;
  uint32_t reserved;
};
struct PlanRelease {
  Header header;
  uint32_t plan;
  uint32_t reserved;
};
// Writes over arguments of launches in a graph, for all its runs from now on. Followed by count Changes.
struct GraphUpdate {
  Header header;
  uint32_t graph;
  uint32_t count;
};
struct Change {
  uint32_t record;  // by its place among the graph's, from 0
  uint32_t byte;    // of the record: a multiple of 8, in the arguments of a launch, and no pointer
  uint64_t value;
};
// Runs all that is in a graph, in its order.
struct GraphLaunch {
  Header header;
  uint32_t graph;
  uint32_t reserved;
};
struct GraphRelease {
  Header header;
  uint32_t graph;
  uint32_t reserved;
};
// A place in its stream, which others may wait for, and when it was reached. The same number again is a new place.
struct EventRecord {
  Header header;
  uint32_t event;
  uint32_t reserved;
};
// What follows on its stream begins after the event. One that no process knows is over.
struct EventWait {
  Header header;
  uint32_t event;
  uint32_t reserved;
};
struct EventRelease {
  Header header;
  uint32_t event;
  uint32_t reserved;
};
// Has a texture or surface hold what its memory in the session's segment holds (to_memory: the other way round).
struct TextureCopy {
  Header header;
  uint32_t texture;
  uint32_t to_memory;
};
struct TextureRelease {
  Header header;
  uint32_t texture;
  uint32_t reserved;
};
struct Message {
  Header header;
};  // the record of every command with a message

// What went wrong with a command that has no answer of its own.
struct ErrorRecord {
  uint64_t sequence;  // of the command; of the first that may be to blame when `last` is larger
  uint64_t last;
  uint32_t fatal;       // 1: the device process is lost with it
  uint32_t has_thread;  // 1: block and thread are known
  uint32_t block[3];
  uint32_t thread[3];
  char code[32];  // ILLEGAL_ADDRESS, STACK_OVERFLOW, DIVISION_BY_ZERO, DEADLOCK, TRAP, INVALID_LAUNCH, DRIVER …
  char text[kErrorTextBytes];
};

// Sampled by the device process four times a second, also while a kernel runs. Bytes; a negative number: not known.
struct Gauges {
  std::atomic<uint64_t> version;  // odd while being written
  int64_t memory_total;           // of the whole device
  int64_t memory_used;            // of the whole device, by everyone
  int64_t process_memory;         // of this device process
  double utilization;             // 0 … 1
  double temperature;             // degrees Celsius
  double power;                   // watts
  double sampled;                 // milliseconds since the epoch
};

// How far a stream is. The words lie on lines of their own: who waits for one is not disturbed by the other.
struct StreamState {
  alignas(64) std::atomic<uint64_t> completed;  // all of its commands up to this sequence are done and visible
  alignas(64) std::atomic<uint64_t> progress;   // as far as known without waiting: its kernels up to here have finished
};
// Together they fill a page, which a GPU writes to and nobody else needs.
constexpr uint64_t kStreamsAlignment = 4096;
static_assert(sizeof(StreamState[kMaxStreams]) == kStreamsAlignment);

// The first bytes of the control segment, which is new for every device process; the ring follows at kRingOffset.
// Kernels of the CPU can write here too, so the session believes only what can be.
struct Control {
  std::atomic<uint32_t> protocol;
  std::atomic<uint32_t> stop;                         // 1: finish and exit
  alignas(64) std::atomic<uint64_t> head;             // bytes published by the session
  alignas(64) std::atomic<uint64_t> tail;             // bytes taken by the device process
  alignas(64) std::atomic<uint32_t> engine_sleeping;  // futex; 1 while the device process sleeps
  alignas(64) std::atomic<uint32_t> wake;             // futex; counts up with every completion, answer and error
  std::atomic<uint32_t> waiters;                      // sessions' threads asleep on `wake`
  alignas(64) std::atomic<uint32_t> error_count;
  ErrorRecord errors[kErrorSlots];  // error k is errors[k % kErrorSlots]
  alignas(64) Gauges gauges;
  alignas(kStreamsAlignment) StreamState streams[kMaxStreams];  // by number
};

constexpr uint64_t kRingOffset = (sizeof(Control) + 4095) & ~uint64_t(4095);
constexpr uint64_t kControlBytes = kRingOffset + kRingBytes;

// The socket (SOCK_SEQPACKET) between the two: one packet per message, its Fields in an attached memfd, so that no side
// ever blocks on the other. `memory` is attached second where a segment travels.
struct Packet {
  uint64_t sequence;
  uint64_t bytes;        // of the fields
  uint32_t descriptors;  // 1: fields; 2: fields and a segment
  uint32_t reserved;
};

// Descriptors as the device process inherits them: warpcell-device KIND INDEX
constexpr int kControlDescriptor = 3;
constexpr int kSocketDescriptor = 4;

}  // namespace warpcell

// One function for each command.
#include "loop.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "../protocol/futex.h"
#include "fill_record.h"
#include "host/refusals.h"
#include "launch_record.h"
#include "run_record.h"

namespace warpcell {

namespace {

// The session knows these from the exit status of the process.
constexpr int kExitLost = 70;

// A ring that stays empty this long has run dry; a shorter gap is only the session preparing the next launch.
constexpr uint64_t kIdleNanoseconds = 5000;

// How fences of a device that must be looked at are found done. While records come, now and then; afterwards, as long
// as the session looks before it sleeps, without a pause; then the pauses grow with the time that has passed, so that
// no wait is longer by more than one part in so many.
constexpr uint64_t kRecordsPerLook = 32;
constexpr uint64_t kLookNanoseconds = 10000000;
constexpr uint64_t kPausesPerWait = 256;
constexpr uint64_t kLongestPause = 500000;

// A record as its command lays it out.
template <class Record>
Record& as(Header& header) {
  if (header.bytes >= sizeof(Record)) return reinterpret_cast<Record&>(header);
  throw DeviceError("PROTOCOL", "The record of command " + std::to_string(unsigned(header.op)) + " must have " +
                                    std::to_string(sizeof(Record)) + " bytes or more, but has " +
                                    std::to_string(header.bytes) + ".");
}

Memory memory_of(const std::string& field) {
  if (field == "device") return Memory::device;
  if (field == "host") return Memory::host;
  throw DeviceError("PROTOCOL", "Memory is \"device\" or \"host\", not \"" + field + "\".");
}

}  // namespace

void Loop::serve() {
  while (!channel_.is_stopped()) {
    Header* header = channel_.front();
    if (header == nullptr) {
      if (look())
        doze();
      else if (!channel_.spin(kIdleNanoseconds))
        rest();
      continue;
    }
    dozing_since_ = 0;
    if (last_ != 0 && header->sequence != last_ + 1)
      throw std::runtime_error("command " + std::to_string(header->sequence) + " follows command " +
                               std::to_string(last_) + " in the ring");
    last_ = header->sequence;
    dispatch(*header);
    channel_.release();
    if (last_ % kRecordsPerLook == 0) look();
  }
}

void Loop::rest() {
  idle();
  channel_.wait_for_record();
}

void Loop::idle() {
  try {
    device_.idle();
  } catch (const DeviceError& error) {
    if (error.fatal) lose(last_, error.code, error.what());
    channel_.refused(last_, error);
  }
}

// A wait meets only what earlier work has failed with: a device that cannot wait for its work is lost, whatever it
// calls the failure. Without a word the session would wait for ever.
bool Loop::look() {
  try {
    if (device_.look()) return true;
  } catch (const DeviceError& error) { lose(last_, error.code, error.what()); }
  dozing_since_ = 0;
  return false;
}

void Loop::doze() {
  uint64_t now = nanoseconds();
  if (dozing_since_ == 0) dozing_since_ = now;
  uint64_t waited = now - dozing_since_;
  if (waited > kIdleNanoseconds) idle();
  if (waited > kLookNanoseconds) channel_.sleep(std::min(waited / kPausesPerWait, kLongestPause));
}

void Loop::dispatch(Header& header) {
  if (header.stream >= kMaxStreams) lose(header.sequence, "PROTOCOL", unknown_stream(header.stream).what());
  given_[header.stream] = header.sequence;
  switch (header.op) {
#define X(name, number, message) \
  case Op::name:                 \
    return perform(&Loop::name, header);
    // clang-format off
    WARPCELL_COMMANDS(X)
// clang-format on
#undef X
  }
  lose(header.sequence, "PROTOCOL", "There is no command " + std::to_string(unsigned(header.op)) + ".");
}

void Loop::perform(Command command, Header& header) {
  try {
    (this->*command)(header);
  } catch (const DeviceError& error) {
    if (error.fatal) lose(header.sequence, error.code, error.what());
    channel_.refused(header.sequence, error);
  }
}

template <class Make>
void Loop::answer(uint64_t sequence, Make make) {
  try {
    channel_.answer(sequence, make());
  } catch (const DeviceError& error) {
    if (error.fatal) lose(sequence, error.code, error.what());
    channel_.answer_error(sequence, error.code, error.what(), error.details);
  } catch (const MessageError& error) {
    channel_.answer_error(sequence, "PROTOCOL", error.what(), "");
  } catch (const std::bad_alloc&) {
    channel_.answer_error(sequence, "OUT_OF_MEMORY", "The device process has no memory left for a command.", "");
  } catch (const std::exception& error) {
    channel_.answer_error(sequence, "DRIVER",
                          std::string("The device process could not do that: ") + error.what() + ".", "");
  }
}

template <Op op>
void Loop::perform(Exchange<op> exchange, Header& header) {
  Request received = channel_.receive(header.sequence);
  answer(header.sequence, [&] {
    RequestOf<op> request;
    request.read(received.fields);
    Beside beside{header.sequence, std::move(received.descriptor)};
    Fields fields = (this->*exchange)(request, beside).written();
    return Answer{std::move(fields), beside.sent};
  });
}

// Answers may come in any order. One at a time: a compiler has all the threads it wants.
template <Op op>
void Loop::perform(Aside<op> aside, Header& header) {
  static std::mutex one;
  std::thread([this, aside, sequence = header.sequence, received = channel_.receive(header.sequence)]() mutable {
    std::lock_guard<std::mutex> lock(one);
    answer(sequence, [&] {
      RequestOf<op> request;
      request.read(received.fields);
      return Answer{(this->*aside)(request).written()};
    });
  }).detach();
}

// A device finds a fault when it waits, or at some later command: every launch that has not finished may be to blame,
// of whichever stream.
void Loop::lose(uint64_t sequence, const std::string& code, const std::string& text) {
  uint64_t first = sequence;
  for (uint32_t stream = 0; stream < kMaxStreams; stream++) {
    uint64_t reached = channel_.reached(stream);
    if (reached < given_[stream]) first = std::min(first, reached + 1);
  }
  uint64_t last = device_.last_suspect();
  if (last < first || last > sequence) last = sequence;
  channel_.report(std::min(first, last), last, code, text, true);
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(kExitLost);
}

void Loop::skip(Header&) {}

void Loop::fence(Header& header) {
  try {
    device_.fence(header.stream, header.sequence);
  } catch (const DeviceError& error) { lose(header.sequence, error.code, error.what()); }
}

void Loop::stream_open(Header& header) { device_.stream_open(header.stream); }

void Loop::stream_wait(Header& header) { device_.stream_wait(header.stream, as<StreamWait>(header).other); }

void Loop::event_record(Header& header) { device_.event_record(header.stream, as<EventRecord>(header).event); }

void Loop::event_wait(Header& header) { device_.event_wait(header.stream, as<EventWait>(header).event); }

void Loop::event_release(Header& header) { device_.event_release(as<EventRelease>(header).event); }

void Loop::launch(Header& header) { device_.launch(read_launch(device_, as<Launch>(header), header.bytes)); }

void Loop::copy(Header& header) {
  auto& command = as<Copy>(header);
  device_.copy({header.sequence, header.stream, command.destination, command.source, command.size});
}

void Loop::fill(Header& header) { device_.fill(read_fill(as<Fill>(header))); }

// Work that is still under way may use the segment, the module, or what a plan has.
void Loop::segment_release(Header& header) {
  device_.synchronize();
  device_.segment_release(as<SegmentRelease>(header).segment);
}

void Loop::module_unload(Header& header) {
  device_.synchronize();
  device_.module_unload(as<ModuleUnload>(header).module);
}

void Loop::plan_release(Header& header) {
  device_.synchronize();
  libraries().release(as<PlanRelease>(header).plan);
}

void Loop::texture_copy(Header& header) {
  auto& command = as<TextureCopy>(header);
  textures().copy(command.texture, header.stream, header.sequence, command.to_memory != 0);
}

void Loop::texture_release(Header& header) {
  device_.synchronize();
  textures().release(as<TextureRelease>(header).texture);
}

Graph& Loop::graph(uint32_t number) {
  auto found = graphs_.find(number);
  if (found != graphs_.end()) return found->second;
  throw DeviceError("PROTOCOL", "There is no graph " + std::to_string(number) + ".");
}

void Loop::graph_update(Header& header) {
  auto& command = as<GraphUpdate>(header);
  if (sizeof(GraphUpdate) + command.count * sizeof(Change) > header.bytes)
    throw DeviceError("PROTOCOL", "The record of a change of a graph does not hold its " +
                                      std::to_string(command.count) + " changes.");
  graph(command.graph).change(reinterpret_cast<const Change*>(&command + 1), command.count);
}

void Loop::graph_launch(Header& header) { graph(as<GraphLaunch>(header).graph).launch(header.stream, header.sequence); }

void Loop::graph_release(Header& header) {
  device_.synchronize();
  graphs_.erase(as<GraphRelease>(header).graph);
}

void Loop::host_unload(Header& header) { host_functions_->unload(as<HostUnload>(header).module); }

void Loop::run(Header& header) { libraries().run(read_run(as<Run>(header), header.bytes)); }

AnswerOf<Op::segment_create> Loop::segment_create(RequestOf<Op::segment_create>& request, Beside& beside) {
  beside.sent = device_.segment_create(uint32_t(request.segment), request.bytes);
  return {};
}

AnswerOf<Op::segment_import> Loop::segment_import(RequestOf<Op::segment_import>& request, Beside& beside) {
  if (!beside.received) throw DeviceError("PROTOCOL", "The segment came without its descriptor.");
  Memory memory = memory_of(request.memory);
  device_.segment_import(uint32_t(request.segment), memory, request.bytes, beside.received.release());
  return {};
}

AnswerOf<Op::hello> Loop::hello(RequestOf<Op::hello>&, Beside&) { return {device_.properties()}; }

AnswerOf<Op::compile> Loop::compile(RequestOf<Op::compile>& request) {
  Compiled compiled =
      device_.compile({request.source, request.name, request.headers, request.expressions, request.options});
  AnswerOf<Op::compile> answer{compiled.log, compiled.artifact, {compiled.lowered}, {}};
  if (compiled.dependencies.has_value()) answer.dependencies = Lines{*compiled.dependencies};
  return answer;
}

AnswerOf<Op::module_load> Loop::module_load(RequestOf<Op::module_load>& request, Beside&) {
  return {{device_.module_load(uint32_t(request.module), uint32_t(request.firstKernel), request.artifact,
                               request.lowered)}};
}

AnswerOf<Op::variables_find> Loop::variables_find(RequestOf<Op::variables_find>& request, Beside&) {
  uint32_t first = uint32_t(request.first);
  AnswerOf<Op::variables_find> answer;
  for (uint64_t bytes : device_.variables_find(uint32_t(request.module), first, request.symbols))
    answer.bytes.push_back(std::to_string(bytes));
  for (size_t i = 0; i < request.values.size(); i++) {
    if (!request.values[i].empty()) device_.variable_write(first + uint32_t(i), request.values[i]);
  }
  return answer;
}

AnswerOf<Op::variable_write> Loop::variable_write(RequestOf<Op::variable_write>& request, Beside&) {
  device_.synchronize();
  device_.variable_write(uint32_t(request.variable), request.value);
  return {};
}

AnswerOf<Op::variable_read> Loop::variable_read(RequestOf<Op::variable_read>& request, Beside&) {
  device_.synchronize();
  return {device_.variable_read(uint32_t(request.variable))};
}

AnswerOf<Op::texture_create> Loop::texture_create(RequestOf<Op::texture_create>& request, Beside&) {
  device_.synchronize();
  TextureMemory memory{uint32_t(request.array), request.place};
  textures().create(uint32_t(request.texture), memory, read_texture(request.terms));
  return {};
}

AnswerOf<Op::occupancy> Loop::occupancy(RequestOf<Op::occupancy>& request, Beside&) {
  return {device_.occupancy(uint32_t(request.kernel), uint32_t(request.threads), uint32_t(request.shared))};
}

AnswerOf<Op::time> Loop::time(RequestOf<Op::time>& request, Beside& beside) {
  std::string& record = request.launch;
  if (record.size() < sizeof(Launch))
    throw DeviceError("PROTOCOL", "There is no launch record to time in " + std::to_string(record.size()) + " bytes.");
  LaunchRequest launch = read_launch(device_, *reinterpret_cast<Launch*>(&record[0]), record.size());
  launch.sequence = beside.sequence;

  AnswerOf<Op::time> answer;
  for (double milliseconds : device_.time(launch, uint32_t(request.repeats), uint32_t(request.warmup))) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", milliseconds);
    answer.milliseconds.push_back(text);
  }
  return answer;
}

AnswerOf<Op::check> Loop::check(RequestOf<Op::check>& request, Beside& beside) {
  std::string& record = request.launch;
  if (record.size() < sizeof(Launch))
    throw DeviceError("PROTOCOL", "There is no launch record to check in " + std::to_string(record.size()) + " bytes.");
  CheckRequest task{read_launch(device_, *reinterpret_cast<Launch*>(&record[0]), record.size()),
                    {},
                    {},
                    request.hasAddresses,
                    request.counts,
                    !request.followed.empty(),
                    0,
                    0};
  task.launch.sequence = beside.sequence;
  for (const std::string& line : request.arguments) {
    std::istringstream words(line);
    CheckRequest::Argument argument{};
    words >> argument.place >> argument.bytes >> argument.element >> argument.state >> argument.is_constant;
    if (!words) throw DeviceError("PROTOCOL", "An argument of a check must be five words, but is \"" + line + "\".");
    task.arguments.push_back(argument);
  }
  for (const std::string& line : request.blocks) {
    std::istringstream words(line);
    CheckRequest::Block block{};
    words >> block.place >> block.bytes;
    if (!words) throw DeviceError("PROTOCOL", "A block of a check must be two numbers, but is \"" + line + "\".");
    task.blocks.push_back(block);
  }
  if (task.follows) {
    std::istringstream words(request.followed);
    words >> task.followed_block >> task.followed_thread;
    if (!words)
      throw DeviceError("PROTOCOL", "A thread to follow must be two numbers, but is \"" + request.followed + "\".");
  }
  Checked checked = device_.check(task);
  return {{checked.findings}, {checked.subjects}, {checked.reached}, {checked.counts}, {checked.steps}};
}

AnswerOf<Op::disassemble> Loop::disassemble(RequestOf<Op::disassemble>& request, Beside&) {
  return {device_.disassemble(request.artifact, request.form, request.headers)};
}

AnswerOf<Op::address> Loop::address(RequestOf<Op::address>& request, Beside&) {
  return {std::to_string(reinterpret_cast<uintptr_t>(device_.address(request.place)))};
}

AnswerOf<Op::plan> Loop::plan(RequestOf<Op::plan>& request, Beside& beside) {
  PlanRequest task = read_plan(uint32_t(request.plan), request.call);
  task.choice = request.choice;
  std::string& record = request.trial;
  if (!record.empty()) {
    if (record.size() < sizeof(Run))
      throw DeviceError("PROTOCOL",
                        "There is no run record to measure in " + std::to_string(record.size()) + " bytes.");
    task.trial = read_run(*reinterpret_cast<Run*>(&record[0]), record.size());
    task.trial->sequence = beside.sequence;
  }

  Planned planned = libraries().plan(task);
  return {planned.workspace, planned.host_workspace, planned.kept, planned.has_status, planned.chosen, planned.choice};
}

AnswerOf<Op::event_elapsed> Loop::event_elapsed(RequestOf<Op::event_elapsed>& request, Beside&) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", device_.event_elapsed(uint32_t(request.first), uint32_t(request.second)));
  return {text};
}

AnswerOf<Op::graph_create> Loop::graph_create(RequestOf<Op::graph_create>& request, Beside&) {
  uint32_t number = uint32_t(request.graph);
  graphs_.erase(number);
  graphs_.try_emplace(number, device_, std::move(request.records));
  return {};
}

AnswerOf<Op::host_load> Loop::host_load(RequestOf<Op::host_load>& request, Beside&) {
  host_functions_->load(uint32_t(request.module), request.object, request.kernels, request.device);
  return {};
}

AnswerOf<Op::host_call> Loop::host_call(RequestOf<Op::host_call>& request, Beside& beside) {
  HostStep step = host_functions_->call(
      {beside.sequence, uint32_t(request.module), request.function, request.name, std::move(request.values)});
  return {std::move(step.events), std::move(step.payload)};
}

AnswerOf<Op::host_resume> Loop::host_resume(RequestOf<Op::host_resume>& request, Beside& beside) {
  HostStep step = host_functions_->resume(beside.sequence, request.values);
  return {std::move(step.events), std::move(step.payload)};
}

AnswerOf<Op::known_libraries> Loop::known_libraries(RequestOf<Op::known_libraries>&, Beside&) {
  return {{device_.known_libraries()}};
}

AnswerOf<Op::profile_start> Loop::profile_start(RequestOf<Op::profile_start>& request, Beside&) {
  device_.synchronize();
  return {profiler().start({request.counters, request.samples}, last_)};
}

AnswerOf<Op::profile_stop> Loop::profile_stop(RequestOf<Op::profile_stop>&, Beside&) {
  device_.synchronize();
  Profile profile = profiler().stop();
  auto* bytes = reinterpret_cast<const char*>(profile.records.data());
  return {profile.summary, std::string(bytes, profile.records.size() * sizeof(ProfileRecord))};
}

Profiler& Loop::profiler() {
  if (Profiler* profiler = device_.profiler()) return *profiler;
  throw DeviceError("UNSUPPORTED", "This device cannot be profiled.");
}

Textures& Loop::textures() {
  if (Textures* textures = device_.textures()) return *textures;
  throw DeviceError("UNSUPPORTED", "This device has no textures.");
}

Libraries& Loop::libraries() {
  if (Libraries* libraries = device_.libraries()) return *libraries;
  throw DeviceError("NO_LIBRARY", "This device has no libraries.");
}

void refuse(Channel& channel, const DeviceError& reason) {
  while (!channel.is_stopped()) {
    Header* header = channel.front();
    if (header == nullptr) {
      channel.wait_for_record();
      continue;
    }

    bool has_message = false;
    switch (header->op) {
#define X(name, number, message) \
  case Op::name:                 \
    has_message = message;       \
    break;
      // clang-format off
      WARPCELL_COMMANDS(X)
// clang-format on
#undef X
    }
    if (has_message) {
      channel.receive(header->sequence);
      return channel.answer_error(header->sequence, reason.code, reason.what(), reason.details);
    }
    channel.release();
  }
}

}  // namespace warpcell

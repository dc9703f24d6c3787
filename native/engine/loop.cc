// One function for each command.
#include "loop.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "launch_record.h"
#include "run_record.h"

namespace warpcell {

namespace {

// The session knows these from the exit status of the process.
constexpr int kExitLost = 70;

// A ring that stays empty this long has run dry; a shorter gap is only the session preparing the next launch.
constexpr uint64_t kIdleNanoseconds = 5000;

uint64_t number(const std::string& field) {
  errno = 0;
  char* end = nullptr;
  uint64_t value = std::strtoull(field.c_str(), &end, 10);
  bool is_number = !field.empty() && field[0] >= '0' && field[0] <= '9' && *end == '\0' && errno == 0;
  if (!is_number) throw DeviceError("PROTOCOL", "A message must have a decimal number where it has \"" + field + "\".");
  return value;
}

void expect_fields(const Request& request, size_t least) {
  if (request.fields.size() >= least) return;
  throw DeviceError("PROTOCOL", "A message must have " + std::to_string(least) + " fields, but has " +
                                    std::to_string(request.fields.size()) + ".");
}

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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); i++) text += (i == 0 ? "" : "\n") + lines[i];
  return text;
}

}  // namespace

void Loop::serve() {
  while (!channel_.is_stopped()) {
    Header* header = channel_.front();
    if (header == nullptr) {
      if (!channel_.spin(kIdleNanoseconds)) rest();
      continue;
    }
    if (last_ != 0 && header->sequence != last_ + 1)
      throw std::runtime_error("command " + std::to_string(header->sequence) + " follows command " +
                               std::to_string(last_) + " in the ring");
    last_ = header->sequence;
    dispatch(*header);
    channel_.release();
  }
}

void Loop::rest() {
  try {
    device_.idle();
  } catch (const DeviceError& error) {
    if (error.fatal) lose(last_, error.code, error.what());
    channel_.report(last_, last_, error.code, error.what(), false);
  }
  channel_.wait_for_record();
}

void Loop::dispatch(Header& header) {
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
    channel_.report(header.sequence, header.sequence, error.code, error.what(), false);
  }
}

template <class Make>
void Loop::answer(uint64_t sequence, Make make) {
  try {
    channel_.answer(sequence, make());
  } catch (const DeviceError& error) {
    if (error.fatal) lose(sequence, error.code, error.what());
    channel_.answer_error(sequence, error.code, error.what(), error.details);
  } catch (const std::bad_alloc&) {
    channel_.answer_error(sequence, "OUT_OF_MEMORY", "The device process has no memory left for a command.", "");
  } catch (const std::exception& error) {
    channel_.answer_error(sequence, "DRIVER", std::string("The device process could not do it: ") + error.what() + ".",
                          "");
  }
}

void Loop::perform(Exchange exchange, Header& header) {
  Request request = channel_.receive(header.sequence);
  answer(header.sequence, [&] { return (this->*exchange)(request, header); });
}

// Answers may come in any order. One at a time: a compiler has all the threads it wants.
void Loop::perform(Aside aside, Header& header) {
  static std::mutex one;
  std::thread([this, aside, sequence = header.sequence, request = channel_.receive(header.sequence)]() mutable {
    std::lock_guard<std::mutex> lock(one);
    answer(sequence, [&] { return (this->*aside)(request); });
  }).detach();
}

// A device finds a fault when it waits, or at some later command: every launch that has not finished may be to blame.
void Loop::lose(uint64_t sequence, const std::string& code, const std::string& text) {
  uint64_t first = channel_.progress() + 1;
  uint64_t last = device_.last_suspect();
  if (last < first || last > sequence) last = sequence;
  channel_.report(first < last ? first : last, last, code, text, true);
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(kExitLost);
}

void Loop::skip(Header&) {}

// A wait meets only what earlier work has failed with: a device that cannot wait for its work is lost, whatever it
// calls the failure. Without a word the session would wait for ever.
void Loop::fence(Header&) {
  try {
    device_.synchronize();
  } catch (const DeviceError& error) { lose(last_, error.code, error.what()); }
  channel_.complete(last_);
}

void Loop::launch(Header& header) { device_.launch(read_launch(device_, as<Launch>(header), header.bytes)); }

void Loop::copy(Header& header) {
  auto& command = as<Copy>(header);
  device_.copy(command.destination, command.source, command.size);
}

void Loop::fill(Header& header) {
  auto& command = as<Fill>(header);
  bool is_width = command.width == 1 || command.width == 2 || command.width == 4 || command.width == 8;
  if (!is_width || command.size % command.width != 0) {
    throw DeviceError("PROTOCOL", "A fill is of whole elements of 1, 2, 4 or 8 bytes, not of " +
                                      std::to_string(command.size) + " bytes of width " +
                                      std::to_string(command.width) + ".");
  }
  device_.fill(command.destination, command.size, command.pattern, command.width);
}

// Work that is still under way may use the segment, or the module.
void Loop::segment_release(Header& header) {
  device_.synchronize();
  device_.segment_release(as<SegmentRelease>(header).segment);
}

void Loop::module_unload(Header& header) {
  device_.synchronize();
  device_.module_unload(as<ModuleUnload>(header).module);
}

void Loop::run(Header& header) { libraries().run(read_run(as<Run>(header), header.bytes)); }

Answer Loop::segment_create(Request& request, const Header&) {
  expect_fields(request, 2);
  int descriptor = device_.segment_create(uint32_t(number(request.fields[0])), number(request.fields[1]));
  return {{"ok"}, descriptor};
}

Answer Loop::segment_import(Request& request, const Header&) {
  expect_fields(request, 3);
  if (!request.descriptor) throw DeviceError("PROTOCOL", "The segment came without its descriptor.");
  uint32_t segment = uint32_t(number(request.fields[0]));
  Memory memory = memory_of(request.fields[1]);
  uint64_t bytes = number(request.fields[2]);
  device_.segment_import(segment, memory, bytes, request.descriptor.release());
  return {{"ok"}};
}

Answer Loop::hello(Request&, const Header&) { return {{"ok", device_.properties()}}; }

Answer Loop::compile(Request& request) {
  expect_fields(request, 4);
  CompileRequest task;
  task.source = request.fields[0];
  task.name = request.fields[1];
  task.headers = request.fields[2];
  task.expressions = lines_of(request.fields[3]);
  task.options.assign(request.fields.begin() + 4, request.fields.end());

  Compiled compiled = device_.compile(task);
  Answer answer = {{"ok", compiled.log, compiled.artifact, joined(compiled.lowered)}};
  if (compiled.dependencies.has_value()) answer.fields.push_back(joined(*compiled.dependencies));
  return answer;
}

Answer Loop::module_load(Request& request, const Header&) {
  expect_fields(request, 4);
  auto kernels = device_.module_load(uint32_t(number(request.fields[0])), uint32_t(number(request.fields[1])),
                                     request.fields[2], lines_of(request.fields[3]));
  return {{"ok", joined(kernels)}};
}

Answer Loop::occupancy(Request& request, const Header&) {
  expect_fields(request, 3);
  return {{"ok", device_.occupancy(uint32_t(number(request.fields[0])), uint32_t(number(request.fields[1])),
                                   uint32_t(number(request.fields[2])))}};
}

Answer Loop::time(Request& request, const Header& header) {
  expect_fields(request, 3);
  std::string record = request.fields[2];
  if (record.size() < sizeof(Launch))
    throw DeviceError("PROTOCOL", "There is no launch record to time in " + std::to_string(record.size()) + " bytes.");
  LaunchRequest launch = read_launch(device_, *reinterpret_cast<Launch*>(&record[0]), record.size());
  launch.sequence = header.sequence;

  std::string times;
  for (double milliseconds :
       device_.time(launch, uint32_t(number(request.fields[0])), uint32_t(number(request.fields[1])))) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%.9g", times.empty() ? "" : "\n", milliseconds);
    times += text;
  }
  return {{"ok", times}};
}

Answer Loop::disassemble(Request& request, const Header&) {
  expect_fields(request, 3);
  return {{"ok", device_.disassemble(request.fields[0], request.fields[1], request.fields[2])}};
}

Answer Loop::address(Request& request, const Header&) {
  expect_fields(request, 1);
  return {{"ok", std::to_string(reinterpret_cast<uintptr_t>(device_.address(number(request.fields[0]))))}};
}

Answer Loop::plan(Request& request, const Header& header) {
  expect_fields(request, 4);
  PlanRequest task = read_plan(uint32_t(number(request.fields[0])), request.fields[1]);
  task.choice = request.fields[2];
  std::string& record = request.fields[3];
  if (!record.empty()) {
    if (record.size() < sizeof(Run))
      throw DeviceError("PROTOCOL",
                        "There is no run record to measure in " + std::to_string(record.size()) + " bytes.");
    task.trial = read_run(*reinterpret_cast<Run*>(&record[0]), record.size());
    task.trial->sequence = header.sequence;
  }

  Planned planned = libraries().plan(task);
  return {{"ok", std::to_string(planned.workspace), planned.chosen, planned.choice}};
}

Answer Loop::profile_start(Request& request, const Header&) {
  expect_fields(request, 2);
  device_.synchronize();
  return {{"ok", profiler().start({number(request.fields[0]) != 0, number(request.fields[1]) != 0}, last_)}};
}

Answer Loop::profile_stop(Request&, const Header&) {
  device_.synchronize();
  Profile profile = profiler().stop();
  auto* bytes = reinterpret_cast<const char*>(profile.records.data());
  return {{"ok", profile.summary, std::string(bytes, profile.records.size() * sizeof(ProfileRecord))}};
}

Profiler& Loop::profiler() {
  if (Profiler* profiler = device_.profiler()) return *profiler;
  throw DeviceError("UNSUPPORTED", "This device cannot be profiled.");
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

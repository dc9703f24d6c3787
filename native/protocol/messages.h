// What each command with a message asks, and what it is answered, field by field in the order in which they travel.
// lib/wire/messages.ts has the same table; a test compares the two.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.h"
#include "fields.h"

namespace warpcell {

// Kinds of fields. Text and Bytes travel as they are, a Number as decimal text, a Flag as 1 or 0, Lines joined by \n. A
// List is a field for each of its elements, up to the end of the message; MaybeLines may be missing at its end.
using Text = std::string;
using Bytes = std::string;
using Number = uint64_t;
using Flag = bool;
struct Lines : std::vector<std::string> {};
struct List : std::vector<std::string> {};
using MaybeLines = std::optional<Lines>;

// Every answer is preceded by a field "ok", or is "error" followed by [code, sentence, details].
// clang-format off
#define WARPCELL_MESSAGES(M) \
  M(segment_create) M(segment_import) M(hello) M(compile) M(module_load) M(occupancy) M(time) M(disassemble) \
  M(address) M(plan) M(profile_start) M(profile_stop) M(known_libraries) M(graph_create) M(event_elapsed) \
  M(variables_find) M(variable_write) M(variable_read) M(check) \
  M(host_load) M(host_call) M(host_resume) M(texture_create)

#define WARPCELL_REQUEST_hello(X)
#define WARPCELL_ANSWER_hello(X) X(Text, properties)  /* JSON: Device::properties */

// Answered with the descriptor of the new segment.
#define WARPCELL_REQUEST_segment_create(X) X(Number, segment) X(Number, bytes)
#define WARPCELL_ANSWER_segment_create(X)

// Comes with the segment's descriptor. memory: "device" or "host".
#define WARPCELL_REQUEST_segment_import(X) X(Number, segment) X(Text, memory) X(Number, bytes)
#define WARPCELL_ANSWER_segment_import(X)

// Refused with COMPILE, a sentence and the log. dependencies: the files that the compiler has read, where it says so.
#define WARPCELL_REQUEST_compile(X) \
  X(Text, source) X(Text, name) X(Text, headers) X(Lines, expressions) X(List, options)
#define WARPCELL_ANSWER_compile(X) X(Text, log) X(Bytes, artifact) X(Lines, lowered) X(MaybeLines, dependencies)

// kernels: a JSON object for each (Device::module_load).
#define WARPCELL_REQUEST_module_load(X) \
  X(Number, module) X(Number, firstKernel) X(Bytes, artifact) X(Lines, lowered)
#define WARPCELL_ANSWER_module_load(X) X(Lines, kernels)

// Gives variables of a loaded module the numbers first, first + 1 … values: what each is to hold from now on; nothing: as
// it is. bytes: of each, a decimal number.
#define WARPCELL_REQUEST_variables_find(X) X(Number, module) X(Number, first) X(Lines, symbols) X(List, values)
#define WARPCELL_ANSWER_variables_find(X) X(Lines, bytes)

// All of a variable, behind all work that came before.
#define WARPCELL_REQUEST_variable_write(X) X(Number, variable) X(Bytes, value)
#define WARPCELL_ANSWER_variable_write(X)
#define WARPCELL_REQUEST_variable_read(X) X(Number, variable)
#define WARPCELL_ANSWER_variable_read(X) X(Bytes, value)

// A texture or surface of what lies at a place, behind all work that came before. terms: "texture dtype=uint8 channels=4
// size=640x480 …" (engine/textures.h). Those with one `array` share what they hold.
#define WARPCELL_REQUEST_texture_create(X) X(Number, texture) X(Number, array) X(Number, place) X(Text, terms)
#define WARPCELL_ANSWER_texture_create(X)

// shared: dynamic shared memory, bytes. figures: JSON.
#define WARPCELL_REQUEST_occupancy(X) X(Number, kernel) X(Number, threads) X(Number, shared)
#define WARPCELL_ANSWER_occupancy(X) X(Text, figures)

// launch: a Launch record. milliseconds: of each repeat on the device.
#define WARPCELL_REQUEST_time(X) X(Number, repeats) X(Number, warmup) X(Bytes, launch)
#define WARPCELL_ANSWER_time(X) X(Lines, milliseconds)

// A launch of a checked kernel, which is followed. launch: a Launch record. arguments: of each tensor "place bytes
// element state const", with the bytes of an element, and 1 where the kernel takes it as const. state: "new" (nothing
// has written to it), "known" (nothing but checked launches has) or "old". blocks: "place bytes" of each allocated
// block. hasAddresses: kernels may have addresses of other tensors than the arguments. counts: what the launch does in
// each line is wanted. followed: "block thread", of which the steps are wanted, or nothing. findings, subjects, counts,
// steps: a JSON object for each (Device::check); reached: of each tensor "elements prefix", that were written.
#define WARPCELL_REQUEST_check(X) \
  X(Bytes, launch) X(Lines, arguments) X(Lines, blocks) X(Flag, hasAddresses) X(Flag, counts) X(Text, followed)
#define WARPCELL_ANSWER_check(X) \
  X(Lines, findings) X(Lines, subjects) X(Lines, reached) X(Lines, counts) X(Lines, steps)

// form: "ptx", "sass", "sass-lines", "sass-registers", or of the cpu "assembly". headers: as of compile.
#define WARPCELL_REQUEST_disassemble(X) X(Bytes, artifact) X(Text, form) X(Text, headers)
#define WARPCELL_ANSWER_disassemble(X) X(Text, listing)

// address: where kernels of this process find the place, as decimal text: it may be more than a JavaScript number holds.
#define WARPCELL_REQUEST_address(X) X(Number, place)
#define WARPCELL_ANSWER_address(X) X(Text, address)

// call: with its terms ("matmul m=2 n=2 …"). choice: what an earlier process answered for the same call, or nothing;
// then the trial, a Run record or nothing, may be run to measure, and what it writes is to be written again. The same
// number again replaces a plan. workspace: bytes that each run borrows from the device. hostWorkspace: bytes that it
// borrows from the process. kept: bytes that the process keeps between runs. hasStatus: a run needs a place for one.
// chosen: JSON. Refused with NO_LIBRARY without the library, with UNSUPPORTED for a call that it does not cover.
#define WARPCELL_REQUEST_plan(X) X(Number, plan) X(Text, call) X(Bytes, choice) X(Bytes, trial)
#define WARPCELL_ANSWER_plan(X) \
  X(Number, workspace) X(Number, hostWorkspace) X(Number, kept) X(Flag, hasStatus) X(Text, chosen) X(Bytes, choice)

// libraries: a JSON object for each (Device::known_libraries).
#define WARPCELL_REQUEST_known_libraries(X)
#define WARPCELL_ANSWER_known_libraries(X) X(Lines, libraries)

// records: launches, copies, fills and runs, one after the other. The same number again replaces a graph. Refused with
// UNSUPPORTED for work that the device cannot keep.
#define WARPCELL_REQUEST_graph_create(X) X(Number, graph) X(Bytes, records)
#define WARPCELL_ANSWER_graph_create(X)

// milliseconds: between two events that are over. Refused with NOT_RECORDED for one that the process does not know.
#define WARPCELL_REQUEST_event_elapsed(X) X(Number, first) X(Number, second)
#define WARPCELL_ANSWER_event_elapsed(X) X(Text, milliseconds)

// notes: JSON {"notes": [text…]}: what will be missing, and the remedy.
#define WARPCELL_REQUEST_profile_start(X) X(Flag, counters) X(Flag, samples)
#define WARPCELL_ANSWER_profile_start(X) X(Text, notes)

// Of all work submitted before, which is done. summary: JSON (profile.h). records: ProfileRecords.
#define WARPCELL_REQUEST_profile_stop(X)
#define WARPCELL_ANSWER_profile_stop(X) X(Text, summary) X(Bytes, records)
// Host functions of a cell. object: a shared object. kernels: of those that it launches, "symbol number threads
// offset:size …" with the number by which launches name it, the most threads of a block, and its parameters. device:
// "name value" for each fact of the device that host code may ask for.
#define WARPCELL_REQUEST_host_load(X) X(Number, module) X(Bytes, object) X(Lines, kernels) X(Lines, device)
#define WARPCELL_ANSWER_host_load(X)

// Runs a host function until it waits for the session, or has ended. function: its symbol. name: what people call it.
// values: a field for each argument, "z" (none), "b0", "b1", "i" with a whole number, "n" with a number, "s" with text,
// "l" with the number of items, which follow, or "t" with "number place block bytes dtype dim size … stride …": the block is all
// memory that the tensor lies in, the dtype its place in device/program/warpcell_program/session.h. events: JSON,
// objects with what it did, by their "kind"; the last one is "end", or what it waits for. payload: bytes that they name.
#define WARPCELL_REQUEST_host_call(X) X(Number, module) X(Text, function) X(Text, name) X(List, values)
#define WARPCELL_ANSWER_host_call(X) X(Text, events) X(Bytes, payload)

// What it waits for. values: "ok" and the answer's parts, or "error" and a sentence.
#define WARPCELL_REQUEST_host_resume(X) X(List, values)
#define WARPCELL_ANSWER_host_resume(X) X(Text, events) X(Bytes, payload)
// clang-format on

// A message that is not laid out as its command says.
struct MessageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Fields of a message, one after the other. `what` is the command, `names` those of its fields.
class FieldReader {
 public:
  FieldReader(const Fields& fields, const char* what, const char* names)
      : fields_(fields), what_(what), names_(names) {}

  void take(const char*, std::string& field) { field = next(); }
  void take(const char* name, Number& field) {
    const std::string& text = next();
    field = 0;
    bool is_number = !text.empty();
    for (char digit : text) {
      is_number = is_number && digit >= '0' && digit <= '9' && field <= (~Number(0) - Number(digit - '0')) / 10;
      field = field * 10 + Number(digit - '0');
    }
    if (!is_number) fail(name, "a decimal number", text);
  }
  void take(const char* name, Flag& field) {
    const std::string& text = next();
    if (text != "0" && text != "1") fail(name, "0 or 1", text);
    field = text == "1";
  }
  void take(const char*, Lines& field) { field = lines_of(next()); }
  void take(const char*, List& field) {
    field.assign(fields_.begin() + long(at_), fields_.end());
    at_ = fields_.size();
  }
  void take(const char*, MaybeLines& field) {
    if (at_ < fields_.size()) field = lines_of(next());
  }
  void end() const {
    if (at_ != fields_.size()) throw_count();
  }

 private:
  const std::string& next() {
    if (at_ == fields_.size()) throw_count();
    return fields_[at_++];
  }
  static Lines lines_of(const std::string& text) {
    Lines lines;
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      if (end == std::string::npos) end = text.size();
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }
  [[noreturn]] void fail(const char* name, const char* expected, const std::string& text) const {
    throw MessageError(std::string("The field ") + name + " of " + what_ + " must be " + expected + ", but is \"" +
                       text.substr(0, 80) + "\".");
  }
  [[noreturn]] void throw_count() const {
    throw MessageError(std::string("The message ") + what_ + " must have the fields [" +
                       (*names_ == 0 ? "" : names_ + 2) + "], but has " + std::to_string(fields_.size()) + " of them.");
  }

  const Fields& fields_;
  const char* what_;
  const char* names_;
  size_t at_ = 0;
};

inline void put_field(Fields& fields, const std::string& field) { fields.push_back(field); }
inline void put_field(Fields& fields, Number field) { fields.push_back(std::to_string(field)); }
inline void put_field(Fields& fields, Flag field) { fields.push_back(field ? "1" : "0"); }
inline void put_field(Fields& fields, const Lines& field) {
  std::string text;
  for (size_t i = 0; i < field.size(); i++) text += (i == 0 ? "" : "\n") + field[i];
  fields.push_back(text);
}
inline void put_field(Fields& fields, const List& field) { fields.insert(fields.end(), field.begin(), field.end()); }
inline void put_field(Fields& fields, const MaybeLines& field) {
  if (field.has_value()) put_field(fields, *field);
}

// As segment_import has it.
inline Text name_of(Memory memory) { return memory == Memory::device ? "device" : "host"; }

template <Op>
struct RequestOf;
template <Op>
struct AnswerOf;

#define WARPCELL_FIELD(kind, name) kind name{};
#define WARPCELL_NAME(kind, name) ", " #name
#define WARPCELL_TAKE(kind, name) reader.take(#name, name);
#define WARPCELL_PUT(kind, name) put_field(fields, name);
#define WARPCELL_MESSAGE(command)                                                         \
  template <>                                                                             \
  struct RequestOf<Op::command> {                                                         \
    WARPCELL_REQUEST_##command(WARPCELL_FIELD) /* Throws MessageError. */                 \
        void read(const Fields& fields) {                                                 \
      FieldReader reader(fields, #command, "" WARPCELL_REQUEST_##command(WARPCELL_NAME)); \
      WARPCELL_REQUEST_##command(WARPCELL_TAKE) reader.end();                             \
    }                                                                                     \
    Fields written() const {                                                              \
      Fields fields;                                                                      \
      WARPCELL_REQUEST_##command(WARPCELL_PUT) return fields;                             \
    }                                                                                     \
  };                                                                                      \
  template <>                                                                             \
  struct AnswerOf<Op::command> {                                                          \
    WARPCELL_ANSWER_##command(WARPCELL_FIELD) Fields written() const {                    \
      Fields fields = {"ok"};                                                             \
      WARPCELL_ANSWER_##command(WARPCELL_PUT) return fields;                              \
    }                                                                                     \
  };
WARPCELL_MESSAGES(WARPCELL_MESSAGE)
#undef WARPCELL_MESSAGE
#undef WARPCELL_PUT
#undef WARPCELL_TAKE
#undef WARPCELL_NAME
#undef WARPCELL_FIELD

}  // namespace warpcell

// Reads arguments, keeps account of what a host function holds, and writes what it has done.
#include "host_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "../host/errors.h"

namespace warpcell {

HostCall* host_call = nullptr;

void Turns::pass(bool to_function) {
  std::unique_lock<std::mutex> lock(mutex_);
  is_functions_ = to_function;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_functions_ != to_function; });
}

void Turns::wait_for_function_turn() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return is_functions_; });
}

HostCall::~HostCall() {
  host_call = nullptr;
  for (HostTensor* tensor : held_) warpcell_tensor_drop(tensor);
}

std::vector<warpcell_value> HostCall::arguments(const std::vector<std::string>& values) {
  std::vector<warpcell_value> read;
  for (size_t at = 0; at < values.size();) read.push_back(value(values, &at));
  return read;
}

warpcell_value HostCall::value(const std::vector<std::string>& values, size_t* at) {
  if (*at >= values.size() || values[*at].empty())
    throw DeviceError("PROTOCOL", "An argument of a host function is missing.");
  const std::string& field = values[(*at)++];
  warpcell_value value{};
  const char* rest = field.c_str() + 1;
  switch (field[0]) {
    case 'z':
      value.kind = warpcell_none;
      return value;
    case 'b':
      value.kind = warpcell_boolean;
      value.integer = *rest == '1';
      return value;
    case 'i':
      value.kind = warpcell_integer;
      value.integer = std::strtoll(rest, nullptr, 10);
      return value;
    case 'n':
      value.kind = warpcell_number;
      value.number = std::strtod(rest, nullptr);
      return value;
    case 's':
      value.kind = warpcell_text;
      value.text = rest;
      value.count = field.size() - 1;
      return value;
    case 't':
      value.kind = warpcell_is_tensor;
      held_.push_back(tensor(rest));
      value.tensor = held_.back();
      return value;
    case 'l': {
      value.kind = warpcell_list;
      value.count = std::strtoull(rest, nullptr, 10);
      std::vector<warpcell_value> items;
      for (size_t i = 0; i < value.count; i++) items.push_back(this->value(values, at));
      lists_.push_back(std::move(items));
      value.items = lists_.back().data();
      return value;
    }
  }
  throw DeviceError("PROTOCOL", std::string("No argument of a host function begins with \"") + field[0] + "\".");
}

// "number place block bytes dtype dim size … stride …"
HostTensor* HostCall::tensor(const std::string& described) {
  std::istringstream words(described);
  Place place = 0, block = 0;
  uint64_t bytes = 0;
  auto* tensor = new HostTensor{};
  words >> tensor->number >> place >> block >> bytes >> tensor->dtype >> tensor->dim;
  tensor->lengths.resize(words ? 2 * size_t(tensor->dim) : 0);
  for (int64_t& length : tensor->lengths) words >> length;
  if (!words) {
    delete tensor;
    throw DeviceError("PROTOCOL", "A tensor of a host function is described as \"" + described + "\".");
  }
  tensor->call = number;
  tensor->sizes = tensor->lengths.data();
  tensor->strides = tensor->sizes + tensor->dim;
  tensor->numel = 1;
  for (int32_t axis = 0; axis < tensor->dim; axis++) tensor->numel *= tensor->sizes[axis];
  tensor->data = address_(place);
  blocks_.push_back({reinterpret_cast<uint64_t>(address_(block)), bytes, tensor->number});
  return tensor;
}

size_t HostCall::attach(const void* bytes, size_t count) {
  size_t at = payload_.size();
  payload_.append(static_cast<const char*>(bytes), count);
  return at;
}

std::vector<std::string> HostCall::ask(const JsonObject& event) {
  note(event);
  turns_.to_session();
  std::vector<std::string> answer = std::move(answer_);
  if (answer.empty() || (answer[0] != "ok" && answer.size() < 2))
    throw std::runtime_error("The session gave no answer that this process understands.");
  if (answer[0] != "ok") throw std::runtime_error(answer[1]);
  answer.erase(answer.begin());
  return answer;
}

const HostBlock* block_at(const std::vector<HostBlock>& blocks, uint64_t address) {
  const HostBlock* ends = nullptr;
  for (const HostBlock& block : blocks) {
    if (address >= block.start && address < block.start + block.bytes) return &block;
    if (address == block.start + block.bytes) ends = &block;
  }
  return ends;
}

void HostCall::dropped(HostTensor* tensor) {
  blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(),
                               [tensor](const HostBlock& block) { return block.number == tensor->number; }),
                blocks_.end());
  note(JsonObject().text("kind", "drop").number("tensor", int64_t(tensor->number)));
}

void HostCall::give(const std::string& value) { open_.back().push_back(value); }

void HostCall::open() { open_.emplace_back(); }

void HostCall::close() {
  std::string list = json_list(open_.back());
  open_.pop_back();
  give(list);
}

void HostCall::keep(HostTensor* tensor) {
  tensor->holders.fetch_add(1);
  held_.push_back(tensor);
  give(JsonObject().number("tensor", int64_t(tensor->number)).done());
}

void HostCall::failed(const std::string& what, const char* file, unsigned line) {
  JsonObject exception;
  exception.text("what", what).number("line", line);
  exception_ = exception.raw("file", file == nullptr ? "null" : json_text(file)).done();
}

void HostCall::end(const std::string& failures) {
  std::string result = open_.size() == 1 && !open_[0].empty() ? open_[0][0] : "null";
  note(JsonObject()
           .text("kind", "end")
           .raw("result", exception_ == "null" ? result : "null")
           .raw("exception", exception_)
           .raw("failures", failures));
}

HostStep HostCall::take_step() {
  HostStep step{json_list(events_), std::move(payload_)};
  events_.clear();
  payload_.clear();
  return step;
}

}  // namespace warpcell

// --- what the header of host functions calls

using warpcell::host_call;
using warpcell::HostTensor;
using warpcell::JsonObject;

namespace {

HostTensor* own(warpcell_tensor* tensor) { return static_cast<HostTensor*>(tensor); }

thread_local std::string problem_text;

// The session's answer to a question for a tensor; null, with the reason, where it refuses.
warpcell_tensor* asked(const JsonObject& event, const char** problem) {
  try {
    if (host_call == nullptr) throw std::runtime_error("A tensor can be made only while a host function is called.");
    std::vector<std::string> answer = host_call->ask(event);
    if (answer.empty()) throw std::runtime_error("The session gave no tensor.");
    return host_call->tensor(answer[0]);
  } catch (const std::exception& error) {
    problem_text = error.what();
    *problem = problem_text.c_str();
    return nullptr;
  }
}

}  // namespace

warpcell_tensor* warpcell_tensor_new(const int64_t* sizes, size_t dim, int32_t dtype, const double* fill, unsigned line,
                                     const char** problem) {
  std::vector<std::string> lengths;
  for (size_t axis = 0; axis < dim; axis++) lengths.push_back(std::to_string(sizes[axis]));
  char value[40] = "null";
  if (fill != nullptr) std::snprintf(value, sizeof value, "\"%.17g\"", *fill);
  JsonObject event;
  event.text("kind", "make").raw("sizes", warpcell::json_list(lengths)).number("dtype", dtype);
  return asked(event.raw("fill", value).number("line", line), problem);
}

warpcell_tensor* warpcell_tensor_contiguous(warpcell_tensor* tensor, unsigned line, const char** problem) {
  return asked(
      JsonObject().text("kind", "contiguous").number("tensor", int64_t(own(tensor)->number)).number("line", line),
      problem);
}

void warpcell_tensor_hold(warpcell_tensor* tensor) { own(tensor)->holders.fetch_add(1); }

void warpcell_tensor_drop(warpcell_tensor* tensor) {
  if (own(tensor)->holders.fetch_sub(1) > 1) return;
  if (warpcell_tensor_is_current(tensor)) host_call->dropped(own(tensor));
  delete own(tensor);
}

int warpcell_tensor_is_current(const warpcell_tensor* tensor) {
  return host_call != nullptr && static_cast<const HostTensor*>(tensor)->call == host_call->number;
}

void warpcell_give_none() { host_call->give("null"); }
void warpcell_give_boolean(int value) { host_call->give(value != 0 ? "true" : "false"); }
void warpcell_give_integer(int64_t value) {
  host_call->give(JsonObject().text("integer", std::to_string(value)).done());
}
void warpcell_give_unsigned(uint64_t value) {
  host_call->give(JsonObject().text("integer", std::to_string(value)).done());
}
void warpcell_give_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  host_call->give(JsonObject().text("number", text).done());
}
void warpcell_give_text(const char* text, size_t bytes) {
  host_call->give(JsonObject().text("text", std::string(text, bytes)).done());
}
void warpcell_give_tensor(warpcell_tensor* tensor) { host_call->keep(own(tensor)); }
void warpcell_give_open() { host_call->open(); }
void warpcell_give_close() { host_call->close(); }
void warpcell_give_exception(const char* what, const char* file, unsigned line) { host_call->failed(what, file, line); }

// One call of a host function: its tensors and other memory, what it has done, and its turns with the session. All but
// the turns is the function's thread's.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "../../device/program/warpcell_program/session.h"
#include "../../protocol/commands.h"
#include "../host/json.h"
#include "../host_functions.h"

namespace warpcell {

// The function and the session take turns: one of them runs.
class Turns {
 public:
  // The other one runs until it is this one's turn again.
  void to_function() { pass(true); }
  void to_session() { pass(false); }
  void wait_for_function_turn();

 private:
  void pass(bool to_function);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_functions_ = false;
};

struct HostTensor : warpcell_tensor {
  uint64_t number;  // by which the session knows it
  uint64_t call;
  std::atomic<int> holders{1};
  std::vector<int64_t> lengths;
};

// Memory of the device that the function may give to kernels.
struct HostBlock {
  uint64_t start;
  uint64_t bytes;
  uint64_t number;  // of the tensor that lies there, of what cudaMalloc gave, or of a variable
  bool is_variable = false;
};

// The block around an address, or the one that ends there; null for none.
const HostBlock* block_at(const std::vector<HostBlock>& blocks, uint64_t address);

class HostCall {
 public:
  HostCall(uint64_t number, Turns& turns, const std::function<void*(Place)>& address)
      : number(number), turns_(turns), address_(address) {}
  ~HostCall();

  // The arguments as the function gets them.
  std::vector<warpcell_value> arguments(const std::vector<std::string>& values);
  void note(const JsonObject& event) { events_.push_back(event.done()); }
  // Where bytes that an event speaks of begin in the payload.
  size_t attach(const void* bytes, size_t count);
  // Hands the turn to the session; returns what it answers. Throws std::runtime_error with the session's reason where
  // it refuses.
  std::vector<std::string> ask(const JsonObject& event);
  // Reads a tensor that the session describes; the caller holds it.
  HostTensor* tensor(const std::string& described);
  void add_block(const HostBlock& block) { blocks_.push_back(block); }
  // Where its tensors and variables lie.
  const std::vector<HostBlock>& blocks() const { return blocks_; }
  void* address(Place place) const { return address_(place); }
  void dropped(HostTensor* tensor);

  // Results, as JSON.
  void give(const std::string& value);
  void open();
  void close();
  void keep(HostTensor* tensor);
  void failed(const std::string& what, const char* file, unsigned line);
  // The last event.
  void end(const std::string& failures);

  HostStep take_step();
  void answer(std::vector<std::string> values) { answer_ = std::move(values); }

  const uint64_t number;

 private:
  warpcell_value value(const std::vector<std::string>& values, size_t* at);

  Turns& turns_;
  const std::function<void*(Place)>& address_;
  std::vector<std::string> events_;
  std::string payload_;
  std::vector<std::string> answer_;
  std::vector<HostBlock> blocks_;
  std::vector<HostTensor*> held_;  // arguments and results
  std::vector<std::vector<warpcell_value>> lists_;
  std::vector<std::vector<std::string>> open_{{}};  // lists of results that are not complete
  std::string exception_ = "null";
};

// The one that is under way; null: none is.
extern HostCall* host_call;

}  // namespace warpcell

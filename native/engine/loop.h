// The command loop: turns records and messages into calls of a Device, and their outcomes into answers and error
// records.
#pragma once
#include "../protocol/messages.h"
#include "channel.h"
#include "device.h"
#include "graph.h"
#include "host_functions.h"

namespace warpcell {

class Loop {
 public:
  Loop(Channel& channel, Device& device, std::unique_ptr<HostFunctions> host_functions)
      : channel_(channel), device_(device), host_functions_(std::move(host_functions)) {}

  // Returns when the session asks for an end. Ends the process when the device is lost.
  void serve();

 private:
  // What goes with a message besides its fields.
  struct Beside {
    uint64_t sequence;
    Descriptor received;
    int sent = -1;
  };
  using Command = void (Loop::*)(Header&);
  template <Op op>
  using Exchange = AnswerOf<op> (Loop::*)(RequestOf<op>&, Beside&);
  template <Op op>
  using Aside = AnswerOf<op> (Loop::*)(RequestOf<op>&);  // beside the commands that follow

  void rest();
  void idle();
  bool look();
  void doze();
  void dispatch(Header& header);
  void perform(Command command, Header& header);
  template <Op op>
  void perform(Exchange<op> exchange, Header& header);
  template <Op op>
  void perform(Aside<op> aside, Header& header);
  [[noreturn]] void lose(uint64_t sequence, const std::string& code, const std::string& text);

  // One for each command in protocol/commands.h: a Command when it has no message, an Exchange or an Aside when it has
  // one.
  void skip(Header&);
  void fence(Header&);
  void launch(Header&);
  void copy(Header&);
  void fill(Header&);
  void segment_release(Header&);
  void module_unload(Header&);
  void plan_release(Header&);
  void run(Header&);
  void stream_open(Header&);
  void stream_wait(Header&);
  void event_record(Header&);
  void event_wait(Header&);
  void event_release(Header&);
  void graph_update(Header&);
  void graph_launch(Header&);
  void graph_release(Header&);
  void host_unload(Header&);
  void texture_copy(Header&);
  void texture_release(Header&);
  AnswerOf<Op::segment_create> segment_create(RequestOf<Op::segment_create>&, Beside&);
  AnswerOf<Op::segment_import> segment_import(RequestOf<Op::segment_import>&, Beside&);
  AnswerOf<Op::hello> hello(RequestOf<Op::hello>&, Beside&);
  AnswerOf<Op::compile> compile(RequestOf<Op::compile>&);
  AnswerOf<Op::module_load> module_load(RequestOf<Op::module_load>&, Beside&);
  AnswerOf<Op::variables_find> variables_find(RequestOf<Op::variables_find>&, Beside&);
  AnswerOf<Op::variable_write> variable_write(RequestOf<Op::variable_write>&, Beside&);
  AnswerOf<Op::variable_read> variable_read(RequestOf<Op::variable_read>&, Beside&);
  AnswerOf<Op::texture_create> texture_create(RequestOf<Op::texture_create>&, Beside&);
  AnswerOf<Op::occupancy> occupancy(RequestOf<Op::occupancy>&, Beside&);
  AnswerOf<Op::time> time(RequestOf<Op::time>&, Beside&);
  AnswerOf<Op::check> check(RequestOf<Op::check>&, Beside&);
  AnswerOf<Op::disassemble> disassemble(RequestOf<Op::disassemble>&, Beside&);
  AnswerOf<Op::address> address(RequestOf<Op::address>&, Beside&);
  AnswerOf<Op::plan> plan(RequestOf<Op::plan>&, Beside&);
  AnswerOf<Op::known_libraries> known_libraries(RequestOf<Op::known_libraries>&, Beside&);
  AnswerOf<Op::event_elapsed> event_elapsed(RequestOf<Op::event_elapsed>&, Beside&);
  AnswerOf<Op::graph_create> graph_create(RequestOf<Op::graph_create>&, Beside&);
  AnswerOf<Op::profile_start> profile_start(RequestOf<Op::profile_start>&, Beside&);
  AnswerOf<Op::profile_stop> profile_stop(RequestOf<Op::profile_stop>&, Beside&);
  AnswerOf<Op::host_load> host_load(RequestOf<Op::host_load>&, Beside&);
  AnswerOf<Op::host_call> host_call(RequestOf<Op::host_call>&, Beside&);
  AnswerOf<Op::host_resume> host_resume(RequestOf<Op::host_resume>&, Beside&);

  Libraries& libraries();
  Profiler& profiler();
  Textures& textures();
  template <class Make>
  void answer(uint64_t sequence, Make make);

  Channel& channel_;
  Device& device_;
  std::unique_ptr<HostFunctions> host_functions_;
  uint64_t last_ = 0;                 // sequence of the last record
  uint64_t given_[kMaxStreams] = {};  // the same of each stream
  std::map<uint32_t, Graph> graphs_;  // by number
  Graph& graph(uint32_t number);
  uint64_t dozing_since_ = 0;  // ns; 0: not waiting for fences with nothing else to do
};

// Refuses every message with the reason why there is no device, until the first one is answered.
void refuse(Channel& channel, const DeviceError& reason);

}  // namespace warpcell

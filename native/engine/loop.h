// The command loop: turns records and messages into calls of a Device, and their outcomes into answers and error
// records.
#pragma once
#include "channel.h"
#include "device.h"

namespace warpcell {

class Loop {
 public:
  Loop(Channel& channel, Device& device) : channel_(channel), device_(device) {}

  // Returns when the session asks for an end. Ends the process when the device is lost.
  void serve();

 private:
  using Command = void (Loop::*)(Header&);
  using Exchange = Answer (Loop::*)(Request&, const Header&);
  using Aside = Answer (Loop::*)(Request&);  // beside the commands that follow

  void rest();
  void dispatch(Header& header);
  void perform(Command command, Header& header);
  void perform(Exchange exchange, Header& header);
  void perform(Aside aside, Header& header);
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
  void run(Header&);
  Answer segment_create(Request&, const Header&);
  Answer segment_import(Request&, const Header&);
  Answer hello(Request&, const Header&);
  Answer compile(Request&);
  Answer module_load(Request&, const Header&);
  Answer occupancy(Request&, const Header&);
  Answer time(Request&, const Header&);
  Answer disassemble(Request&, const Header&);
  Answer address(Request&, const Header&);
  Answer plan(Request&, const Header&);
  Answer profile_start(Request&, const Header&);
  Answer profile_stop(Request&, const Header&);

  Libraries& libraries();
  Profiler& profiler();
  template <class Make>
  void answer(uint64_t sequence, Make make);

  Channel& channel_;
  Device& device_;
  uint64_t last_ = 0;  // sequence of the last record
};

// Refuses every message with the reason why there is no device, until the first one is answered.
void refuse(Channel& channel, const DeviceError& reason);

}  // namespace warpcell

// The exports of addon.node: turns calls from JavaScript (lib/wire/binding.ts says what each means) into calls of a
// client.
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <napi.h>
#include <type_traits>

#include "arguments.h"
#include "../memory/copying.h"
#include "instance.h"
#include "../client/registry.h"
#include "report.h"
#include "../memory/shared_memory.h"

namespace warpcell {
namespace {

Connection& connection_of(const Arguments& arguments) { return Registry::instance().at(arguments.small(0)); }
Client& client_of(const Arguments& arguments) { return connection_of(arguments).client; }

const Segment& readable_segment(Client& client, uint32_t number) {
  const Segment* segment = client.segments().find(number);
  if (segment == nullptr) throw ClientError("NO_SEGMENT", "There is no segment " + std::to_string(number) + ".");
  if (segment->memory == Memory::device && client.kind() != "cpu") {
    throw ClientError("NOT_READABLE", "Segment " + std::to_string(number) +
                                          " is memory of the device, which the host cannot read: copy from it.");
  }
  return *segment;
}

void throw_error(Napi::Env env, const std::string& code, const std::string& sentence) {
  Napi::Error error = Napi::Error::New(env, sentence);
  error.Set("code", code);
  error.ThrowAsJavaScriptException();
}

// One per thread of JavaScript. It goes when that thread ends. (Measured beside bare Node-API, the wrapper adds 6 ns to
// the 44 of a submission.)
class Exports : public Napi::Addon<Exports> {
 public:
  Exports(Napi::Env env, Napi::Object exports) : instance_(env) {
    DefineAddon(exports,
                {
                    method<&Exports::open>("open"),
                    method<&Exports::open_view>("openView"),
                    method<&Exports::restart>("restart"),
                    method<&Exports::kill_process>("kill"),
                    method<&Exports::close>("close"),
                    method<&Exports::state>("state"),
                    method<&Exports::process_id>("processId"),
                    method<&Exports::open_stream>("openStream"),
                    method<&Exports::room>("room"),
                    method<&Exports::submit>("submit"),
                    method<&Exports::request>("request"),
                    method<&Exports::reply>("reply"),
                    method<&Exports::wait>("wait"),
                    method<&Exports::wait_async>("waitAsync"),
                    method<&Exports::completed>("completed"),
                    method<&Exports::progress>("progress"),
                    method<&Exports::submitted>("submitted"),
                    method<&Exports::last_sequence>("lastSequence"),
                    method<&Exports::unfinished>("unfinished"),
                    method<&Exports::is_busy>("isBusy"),
                    method<&Exports::errors>("errors"),
                    method<&Exports::flights>("flights"),
                    method<&Exports::allocate>("allocate"),
                    method<&Exports::use>("use"),
                    method<&Exports::use_around>("useAround"),
                    method<&Exports::free_block>("free"),
                    method<&Exports::open_pool>("openPool"),
                    method<&Exports::pin>("pin"),
                    method<&Exports::close_pool>("closePool"),
                    method<&Exports::own>("own"),
                    method<&Exports::disown>("disown"),
                    method<&Exports::buffer>("buffer"),
                    method<&Exports::part>("part"),
                    method<&Exports::part_of>("partOf"),
                    method<&Exports::copy>("copy"),
                    method<&Exports::share_memory>("shareMemory"),
                    method<&Exports::map_memory>("mapMemory"),
                    method<&Exports::lend_memory>("lendMemory"),
                    method<&Exports::limit_memory>("limitMemory"),
                    method<&Exports::largest>("largest"),
                    method<&Exports::trim>("trim"),
                    method<&Exports::borrow>("borrow"),
                    method<&Exports::give_back>("giveBack"),
                    method<&Exports::memory>("memory"),
                    method<&Exports::recent_peak>("recentPeak"),
                    method<&Exports::blocks>("blocks"),
                    method<&Exports::owners>("owners"),
                    method<&Exports::watch>("watch"),
                    method<&Exports::watched>("watched"),
                    method<&Exports::collected>("collected"),
                    method<&Exports::interrupt>("interrupt"),
                    method<&Exports::clear_interrupt>("clearInterrupt"),
                    method<&Exports::gauges>("gauges"),
                    method<&Exports::demangled>("demangled"),
                    InstanceValue("protocolVersion", Napi::Number::New(env, kProtocolVersion), napi_enumerable),
                });
  }

 private:
  // What an export answers becomes a value of JavaScript, and what it throws is thrown there.
  template <auto function>
  Napi::Value guarded(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    try {
      Arguments arguments(info);
      if constexpr (std::is_void_v<decltype((this->*function)(arguments))>) {
        (this->*function)(arguments);
        return env.Undefined();
      } else {
        return Napi::Value::From(env, (this->*function)(arguments));
      }
    } catch (const JavaScriptStopped&) { return {}; } catch (const ClientError& error) {
      throw_error(env, error.code, error.what());
    } catch (const std::exception& error) {
      throw_error(env, "SYSTEM", std::string("The client of the device process failed: ") + error.what() + ".");
    }
    return {};
  }

  template <auto function>
  static PropertyDescriptor method(const char* name) {
    return InstanceMethod<&Exports::guarded<function>>(name, napi_enumerable);
  }

  uint32_t open(const Arguments& arguments) { return open_for(Duty::work, arguments); }
  uint32_t open_view(const Arguments& arguments) { return open_for(Duty::view, arguments); }
  uint32_t open_for(Duty duty, const Arguments& arguments) {
    return Registry::instance().open(arguments.text(0), int(arguments.integer(1)), arguments.text(2), duty, &instance_);
  }

  uint32_t restart(const Arguments& arguments) { return client_of(arguments).restart(); }

  void kill_process(const Arguments& arguments) { client_of(arguments).child().kill(); }

  void close(const Arguments& arguments) { Registry::instance().close(arguments.small(0)); }

  std::string state(const Arguments& arguments) { return client_of(arguments).state(); }

  pid_t process_id(const Arguments& arguments) { return client_of(arguments).child().process_id(); }

  void open_stream(const Arguments& arguments) { client_of(arguments).open_stream(arguments.small(1)); }

  Napi::Value room(const Arguments& arguments) { return instance_.room(client_of(arguments)); }

  int64_t submit(const Arguments& arguments) { return client_of(arguments).submit(); }

  int64_t request(const Arguments& arguments) {
    Client& client = client_of(arguments);
    return client.request(Op(arguments.small(1)), arguments.fields(2), arguments.small(3));
  }

  Napi::Value reply(const Arguments& arguments) {
    Answer answer;
    bool is_here = client_of(arguments).reply(uint64_t(arguments.integer(1)), &answer);
    return is_here ? report_answer(arguments.env(), answer.fields) : arguments.env().Null();
  }

  const char* wait(const Arguments& arguments) {
    Client& client = client_of(arguments);
    Outcome outcome = client.wait(arguments.small(1), uint64_t(arguments.integer(2)), arguments.integer(3));
    return kOutcomeNames[int(outcome)];
  }

  Napi::Value wait_async(const Arguments& arguments) {
    return instance_.promise(connection_of(arguments), arguments.small(1), uint64_t(arguments.integer(2)));
  }

  uint64_t completed(const Arguments& arguments) { return client_of(arguments).reached(arguments.small(1)).completed; }

  uint64_t progress(const Arguments& arguments) { return client_of(arguments).reached(arguments.small(1)).progress; }

  uint64_t submitted(const Arguments& arguments) { return client_of(arguments).submitted(arguments.small(1)); }

  uint64_t last_sequence(const Arguments& arguments) { return client_of(arguments).submitted(); }

  Napi::Value unfinished(const Arguments& arguments) {
    return report_ranges(arguments.env(), client_of(arguments).unfinished());
  }

  bool is_busy(const Arguments& arguments) { return client_of(arguments).is_busy(); }

  Napi::Value errors(const Arguments& arguments) {
    return report_errors(arguments.env(), client_of(arguments).take_errors());
  }

  Napi::Value flights(const Arguments& arguments) {
    const Flights& flights = client_of(arguments).flights();
    return report_flights(arguments.env(),
                          flights.between(uint64_t(arguments.integer(1)), uint64_t(arguments.integer(2))));
  }

  int64_t allocate(const Arguments& arguments) {
    Memory memory = arguments.small(1) == 0 ? Memory::device : Memory::host;
    return client_of(arguments).allocate(memory, arguments.small(2), arguments.bytes(3), arguments.truth(4));
  }

  void use(const Arguments& arguments) { client_of(arguments).use(uint64_t(arguments.integer(1)), arguments.small(2)); }

  void use_around(const Arguments& arguments) {
    client_of(arguments).use_around(uint64_t(arguments.integer(1)), arguments.small(2));
  }

  uint32_t open_pool(const Arguments& arguments) { return client_of(arguments).open_pool(); }

  bool pin(const Arguments& arguments) {
    return client_of(arguments).pin(arguments.small(1), uint64_t(arguments.integer(2)));
  }

  void close_pool(const Arguments& arguments) { client_of(arguments).close_pool(arguments.small(1)); }

  void free_block(const Arguments& arguments) { client_of(arguments).free(uint64_t(arguments.integer(1))); }

  int64_t own(const Arguments& arguments) {
    Client& client = client_of(arguments);
    int64_t place =
        client.allocate(Memory::device, arguments.small(1), arguments.bytes(2), arguments.truth(4), arguments.small(5));
    if (place >= 0) instance_.owned_blocks().add(arguments.small(0), uint64_t(place), arguments.object(3));
    return place;
  }

  void disown(const Arguments& arguments) {
    instance_.owned_blocks().remove(arguments.small(0), uint64_t(arguments.integer(1)));
  }

  Napi::Value buffer(const Arguments& arguments) {
    return instance_.view(readable_segment(client_of(arguments), arguments.small(1)));
  }

  Napi::Value part(const Arguments& arguments) {
    uint64_t place = arguments.bytes(1);
    return instance_.view(readable_segment(client_of(arguments), segment_of(place)), offset_of(place),
                          arguments.bytes(2));
  }

  Napi::Value part_of(const Arguments& arguments) {
    uint64_t place = arguments.bytes(1);
    std::optional<Segment> segment;
    Registry::instance().each([&](uint32_t number, Connection& connection) {
      if (number != arguments.small(0)) return;
      segment = connection.client.share(segment_of(place));
      if (segment && segment->memory == Memory::device && connection.client.kind() != "cpu") segment.reset();
    });
    if (!segment)
      throw ClientError("NO_SEGMENT", "There is no memory of the host at place " + std::to_string(place) + ".");
    return instance_.view(*segment, offset_of(place), arguments.bytes(2));
  }

  void copy(const Arguments& arguments) {
    Napi::Uint8Array to = arguments.byte_array(0), from = arguments.byte_array(1);
    if (to.ByteLength() != from.ByteLength()) throw ClientError("ARGUMENT", "A copy takes two arrays of one length.");
    copy_by_cores(to.Data(), from.Data(), to.ByteLength());
  }

  Napi::Value share_memory(const Arguments& arguments) {
    Descriptor descriptor = create_shared_memory(arguments.bytes(0), 0);
    if (!descriptor) return arguments.env().Null();
    Napi::Object result = made(Napi::Object::New(arguments.env()));
    result.Set("memory", instance_.map(descriptor.get()));
    result.Set("descriptor", descriptor.release());
    return result;
  }

  Napi::Value map_memory(const Arguments& arguments) { return instance_.map(int(arguments.integer(0))); }

  Napi::Value lend_memory(const Arguments& arguments) {
    return instance_.lend(arguments.object(0), arguments.bytes(1), arguments.bytes(2));
  }

  uint64_t trim(const Arguments& arguments) { return client_of(arguments).trim(); }

  int64_t borrow(const Arguments& arguments) {
    uint32_t owner = arguments.small(1);
    uint64_t lent = arguments.bytes(2);
    std::optional<Segment> segment;
    Registry::instance().each([&](uint32_t number, Connection& connection) {
      if (number == owner) segment = connection.client.share(segment_of(lent));
    });
    if (!segment) return kNoMemory;
    int64_t number = client_of(arguments).borrow(std::move(*segment));
    return number < 0 ? number : int64_t(place(uint32_t(number), offset_of(lent)));
  }

  void give_back(const Arguments& arguments) { client_of(arguments).give_back(segment_of(arguments.bytes(1))); }

  Napi::Value memory(const Arguments& arguments) {
    return report_memory(arguments.env(), client_of(arguments).allocator(Memory::device).statistics());
  }

  void limit_memory(const Arguments& arguments) {
    client_of(arguments).allocator(Memory::device).set_limit(arguments.bytes(1));
  }

  Napi::Value largest(const Arguments& arguments) {
    std::vector<uint64_t> found = client_of(arguments).allocator(Memory::device).largest(arguments.small(1));
    Napi::Array list = made(Napi::Array::New(arguments.env(), found.size()));
    for (uint32_t i = 0; i < found.size(); i++) list.Set(i, double(found[i]));
    return list;
  }

  uint64_t recent_peak(const Arguments& arguments) {
    Allocator& allocator = client_of(arguments).allocator(Memory::device);
    uint64_t peak = allocator.statistics().recent_peak;
    if (arguments.truth(1)) allocator.begin_recent_peak();
    return peak;
  }

  Napi::Value blocks(const Arguments& arguments) {
    return report_blocks(arguments.env(), client_of(arguments).allocator(Memory::device).list());
  }

  Napi::Value owners(const Arguments& arguments) {
    Napi::Array result = made(Napi::Array::New(arguments.env()));
    uint32_t count = 0;
    for (const auto& [place, owner] : instance_.owned_blocks().of(arguments.small(0))) result.Set(count++, owner);
    return result;
  }

  uint64_t watch(const Arguments& arguments) { return instance_.weak_objects().add(arguments.object(0)); }

  Napi::Value watched(const Arguments& arguments) { return instance_.weak_objects().find(arguments.bytes(0)); }

  Napi::Value collected(const Arguments& arguments) {
    WeakObjects& objects = instance_.weak_objects();
    Napi::Array result = made(Napi::Array::New(arguments.env()));
    if (!objects.may_have_collected()) return result;
    size_t freed = instance_.owned_blocks().free_collected();
    std::vector<uint64_t> numbers = objects.take_collected();
    // 0 is nobody's number: blocks have been freed.
    if (freed > 0) numbers.push_back(0);
    for (uint32_t i = 0; i < numbers.size(); i++) result.Set(i, double(numbers[i]));
    return result;
  }

  void interrupt(const Arguments&) {
    interrupt_flag().store(true);
    Registry::instance().each([](uint32_t, Connection& connection) { connection.client.wake(); });
  }

  void clear_interrupt(const Arguments&) { interrupt_flag().store(false); }

  Napi::Value gauges(const Arguments& arguments) { return report_gauges(arguments.env()); }

  std::string demangled(const Arguments& arguments) {
    std::string symbol = arguments.text(0);
    std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                                std::free);
    return name ? name.get() : symbol;
  }

  Instance instance_;
};

}  // namespace
}  // namespace warpcell

using warpcell::Exports;
// clang-format off
NODE_API_ADDON(Exports)
// clang-format on

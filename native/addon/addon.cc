// The exports of addon.node: turns calls from JavaScript (lib/wire/binding.ts says what each means) into calls of a client.
#include <node_api.h>
#include <system_error>

#include "../protocol/futex.h"
#include "arguments.h"
#include "instance.h"
#include "registry.h"
#include "report.h"
#include "shared_memory.h"

namespace warpcell {
namespace {

Connection& connection_of(uint32_t number) { return Registry::instance().at(number); }
Client& client_of(uint32_t number) { return connection_of(number).client; }

napi_value nothing_to_say(napi_env env) {
  napi_value result;
  napi_get_undefined(env, &result);
  return result;
}

napi_value open(napi_env env, napi_callback_info info) {
  Arguments<3> arguments(env, info);
  return number(env, Registry::instance().open(arguments.text(0), int(arguments.integer(1)), arguments.text(2), Instance::of(env)));
}

napi_value restart(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, client_of(arguments.small(0)).restart());
}

napi_value kill_process(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  client_of(arguments.small(0)).child().kill();
  return nothing_to_say(env);
}

napi_value close(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  Registry::instance().close(arguments.small(0));
  return nothing_to_say(env);
}

napi_value state(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return text(env, client_of(arguments.small(0)).child().state());
}

napi_value process_id(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, client_of(arguments.small(0)).child().process_id());
}

napi_value submit(napi_env env, napi_callback_info info) {
  Arguments<2> arguments(env, info);
  return number(env, double(client_of(arguments.small(0)).submit(Instance::of(env)->scratch(), arguments.small(1))));
}

napi_value request(napi_env env, napi_callback_info info) {
  Arguments<4> arguments(env, info);
  Client& client = client_of(arguments.small(0));
  return number(env, double(client.request(Op(arguments.small(1)), arguments.fields(2), arguments.small(3))));
}

napi_value reply(napi_env env, napi_callback_info info) {
  Arguments<2> arguments(env, info);
  Answer answer;
  bool is_here = client_of(arguments.small(0)).reply(uint64_t(arguments.integer(1)), &answer);
  return is_here ? report_answer(env, answer.fields) : nothing(env);
}

napi_value wait(napi_env env, napi_callback_info info) {
  Arguments<3> arguments(env, info);
  Outcome outcome = client_of(arguments.small(0)).wait(uint64_t(arguments.integer(1)), arguments.integer(2));
  return text(env, kOutcomeNames[int(outcome)]);
}

napi_value wait_async(napi_env env, napi_callback_info info) {
  Arguments<2> arguments(env, info);
  return Instance::of(env)->promise(connection_of(arguments.small(0)), uint64_t(arguments.integer(1)));
}

napi_value completed(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, double(client_of(arguments.small(0)).control().completed.load(std::memory_order_acquire)));
}

napi_value progress(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, double(client_of(arguments.small(0)).control().progress.load(std::memory_order_acquire)));
}

napi_value submitted(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, double(client_of(arguments.small(0)).submitted()));
}

napi_value errors(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return report_errors(env, client_of(arguments.small(0)).take_errors());
}

napi_value flights(napi_env env, napi_callback_info info) {
  Arguments<3> arguments(env, info);
  const Flights& flights = client_of(arguments.small(0)).flights();
  return report_flights(env, flights.between(uint64_t(arguments.integer(1)), uint64_t(arguments.integer(2))));
}

napi_value allocate(napi_env env, napi_callback_info info) {
  Arguments<4> arguments(env, info);
  Memory memory = arguments.small(1) == 0 ? Memory::device : Memory::host;
  return number(env, double(client_of(arguments.small(0)).allocate(memory, arguments.bytes(2), arguments.truth(3))));
}

napi_value free_block(napi_env env, napi_callback_info info) {
  Arguments<2> arguments(env, info);
  client_of(arguments.small(0)).free(uint64_t(arguments.integer(1)));
  return nothing_to_say(env);
}

const Segment& readable_segment(Client& client, uint32_t number) {
  const Segment* segment = client.segments().find(number);
  if (segment == nullptr) throw ClientError("NO_SEGMENT", "Expected the number of a segment but got " + std::to_string(number) + ".");
  if (segment->memory == Memory::device && client.kind() != "cpu") {
    throw ClientError("NOT_READABLE", "Expected a segment of host memory but segment " + std::to_string(number) + " lies on the device: copy from it.");
  }
  return *segment;
}

napi_value buffer(napi_env env, napi_callback_info info) {
  Arguments<2> arguments(env, info);
  return Instance::of(env)->view(readable_segment(client_of(arguments.small(0)), arguments.small(1)));
}

napi_value part(napi_env env, napi_callback_info info) {
  Arguments<3> arguments(env, info);
  uint64_t place = arguments.bytes(1);
  return Instance::of(env)->view(readable_segment(client_of(arguments.small(0)), segment_of(place)), offset_of(place), arguments.bytes(2));
}

napi_value share_memory(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  Descriptor descriptor = create_shared_memory(arguments.bytes(0), 0);
  if (!descriptor) return nothing(env);
  napi_value result = object(env);
  set(env, result, "memory", Instance::of(env)->map(descriptor.get()));
  set(env, result, "descriptor", number(env, descriptor.release()));
  return result;
}

napi_value map_memory(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return Instance::of(env)->map(int(arguments.integer(0)));
}

napi_value lend_memory(napi_env env, napi_callback_info info) {
  Arguments<3> arguments(env, info);
  return Instance::of(env)->lend(arguments.value(0), arguments.bytes(1), arguments.bytes(2));
}

napi_value trim(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, double(client_of(arguments.small(0)).trim()));
}

napi_value memory(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return report_memory(env, client_of(arguments.small(0)).allocator(Memory::device).statistics());
}

napi_value adjust_external_memory(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  int64_t total;
  napi_adjust_external_memory(env, arguments.integer(0), &total);
  return nothing_to_say(env);
}

napi_value watch(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  return number(env, double(Instance::of(env)->weak_objects().add(arguments.value(0))));
}

napi_value unwatch(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  Instance::of(env)->weak_objects().remove(arguments.bytes(0));
  return nothing_to_say(env);
}

napi_value watched(napi_env env, napi_callback_info info) {
  Arguments<1> arguments(env, info);
  napi_value object = Instance::of(env)->weak_objects().find(arguments.bytes(0));
  return object == nullptr ? nothing(env) : object;
}

napi_value collected(napi_env env, napi_callback_info info) {
  std::vector<uint64_t> numbers = Instance::of(env)->weak_objects().take_collected();
  napi_value result = array(env);
  for (size_t i = 0; i < numbers.size(); i++) napi_set_element(env, result, uint32_t(i), number(env, double(numbers[i])));
  return result;
}

napi_value interrupt(napi_env env, napi_callback_info info) {
  interrupt_flag().store(true);
  Registry::instance().each([](uint32_t, Connection& connection) {
    connection.client.control().wake.fetch_add(1);
    futex_wake(connection.client.control().wake);
  });
  return nothing_to_say(env);
}

napi_value clear_interrupt(napi_env env, napi_callback_info info) {
  interrupt_flag().store(false);
  return nothing_to_say(env);
}

napi_value gauges(napi_env env, napi_callback_info info) { return report_gauges(env); }

// What an export throws in C++ is thrown in JavaScript.
template <napi_value (*Function)(napi_env, napi_callback_info)>
napi_value guarded(napi_env env, napi_callback_info info) {
  try {
    return Function(env, info);
  } catch (const ClientError& error) {
    return throw_error(env, error.code, error.what());
  } catch (const std::exception& error) {
    return throw_error(env, "SYSTEM", std::string("Expected the client of the device process to work but got: ") + error.what() + ".");
  }
}

struct Export {
  const char* name;
  napi_callback function;
};

constexpr Export kExports[] = {
    {"open", guarded<open>},
    {"restart", guarded<restart>},
    {"kill", guarded<kill_process>},
    {"close", guarded<close>},
    {"state", guarded<state>},
    {"processId", guarded<process_id>},
    {"submit", guarded<submit>},
    {"request", guarded<request>},
    {"reply", guarded<reply>},
    {"wait", guarded<wait>},
    {"waitAsync", guarded<wait_async>},
    {"completed", guarded<completed>},
    {"progress", guarded<progress>},
    {"submitted", guarded<submitted>},
    {"errors", guarded<errors>},
    {"flights", guarded<flights>},
    {"allocate", guarded<allocate>},
    {"free", guarded<free_block>},
    {"buffer", guarded<buffer>},
    {"part", guarded<part>},
    {"shareMemory", guarded<share_memory>},
    {"mapMemory", guarded<map_memory>},
    {"lendMemory", guarded<lend_memory>},
    {"trim", guarded<trim>},
    {"memory", guarded<memory>},
    {"adjustExternalMemory", guarded<adjust_external_memory>},
    {"watch", guarded<watch>},
    {"unwatch", guarded<unwatch>},
    {"watched", guarded<watched>},
    {"collected", guarded<collected>},
    {"interrupt", guarded<interrupt>},
    {"clearInterrupt", guarded<clear_interrupt>},
    {"gauges", guarded<gauges>},
};

}  // namespace

napi_value initialise(napi_env env, napi_value exports) {
  Instance* instance = Instance::create(env);
  for (const Export& entry : kExports) {
    napi_value function;
    napi_create_function(env, entry.name, NAPI_AUTO_LENGTH, entry.function, nullptr, &function);
    set(env, exports, entry.name, function);
  }
  set(env, exports, "protocolVersion", number(env, kProtocolVersion));
  set(env, exports, "scratch", instance->scratch_buffer());
  return exports;
}

}  // namespace warpcell

NAPI_MODULE_INIT() { return warpcell::initialise(env, exports); }

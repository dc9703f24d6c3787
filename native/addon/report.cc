// The shapes of lib/wire/binding.ts, built field by field.
#include "report.h"

#include <algorithm>
#include <cstring>

#include "arguments.h"

namespace warpcell {

namespace {

napi_value triple(napi_env env, const uint32_t (&values)[3]) {
  napi_value result = array(env);
  for (uint32_t i = 0; i < 3; i++) napi_set_element(env, result, i, number(env, values[i]));
  return result;
}

std::string bounded(const char* text, size_t size) { return {text, strnlen(text, size)}; }

// Negative: not known.
napi_value figure(napi_env env, double value) { return value < 0 ? nothing(env) : number(env, value); }

struct Figures {
  double memory_total, memory_used, process_memory, utilization, temperature, power, sampled;
};

// False when nothing has been sampled yet.
bool read(const Gauges& gauges, Figures* out) {
  for (;;) {
    uint64_t before = gauges.version.load(std::memory_order_acquire);
    if (before == 0) return false;
    *out = {double(gauges.memory_total), double(gauges.memory_used), double(gauges.process_memory), gauges.utilization, gauges.temperature, gauges.power, gauges.sampled};
    std::atomic_thread_fence(std::memory_order_acquire);
    bool is_whole = before % 2 == 0 && gauges.version.load(std::memory_order_relaxed) == before;
    if (is_whole) return true;
    // A device process that died while it was writing leaves an odd version for good.
    if (before % 2 == 1 && gauges.version.load(std::memory_order_acquire) == before) return false;
  }
}

napi_value report_gauge(napi_env env, uint32_t client, Connection& connection) {
  Figures figures;
  Control& control = connection.client.control();
  if (!read(control.gauges, &figures)) figures = {-1, -1, -1, -1, -1, -1, -1};
  const auto& statistics = connection.client.allocator(Memory::device).statistics();
  uint64_t done = std::max(control.completed.load(std::memory_order_acquire), control.progress.load(std::memory_order_acquire));

  napi_value sample = object(env);
  set(env, sample, "client", number(env, client));
  set(env, sample, "kind", text(env, connection.client.kind()));
  set(env, sample, "index", number(env, connection.client.index()));
  set(env, sample, "memoryTotal", figure(env, figures.memory_total));
  set(env, sample, "memoryUsed", figure(env, figures.memory_used));
  set(env, sample, "processMemory", figure(env, figures.process_memory));
  set(env, sample, "utilization", figure(env, figures.utilization));
  set(env, sample, "temperature", figure(env, figures.temperature));
  set(env, sample, "power", figure(env, figures.power));
  set(env, sample, "sampled", figure(env, figures.sampled));
  set(env, sample, "allocated", number(env, double(statistics.allocated)));
  set(env, sample, "reserved", number(env, double(statistics.reserved)));
  set(env, sample, "isBusy", boolean(env, done < connection.client.submitted()));
  return sample;
}

}  // namespace

napi_value report_errors(napi_env env, const std::vector<ErrorRecord>& errors) {
  napi_value list = array(env);
  for (uint32_t i = 0; i < errors.size(); i++) {
    const ErrorRecord& error = errors[i];
    napi_value entry = object(env);
    set(env, entry, "sequence", number(env, double(error.sequence)));
    set(env, entry, "last", number(env, double(error.last)));
    set(env, entry, "fatal", boolean(env, error.fatal != 0));
    set(env, entry, "code", text(env, bounded(error.code, sizeof error.code)));
    set(env, entry, "text", text(env, bounded(error.text, sizeof error.text)));
    if (error.has_thread != 0) {
      set(env, entry, "block", triple(env, error.block));
      set(env, entry, "thread", triple(env, error.thread));
    }
    napi_set_element(env, list, i, entry);
  }
  return list;
}

napi_value report_flights(napi_env env, const std::vector<Flight>& flights) {
  napi_value list = array(env);
  for (uint32_t i = 0; i < flights.size(); i++) {
    napi_value entry = object(env);
    set(env, entry, "sequence", number(env, double(flights[i].sequence)));
    set(env, entry, "kernel", number(env, flights[i].kernel));
    set(env, entry, "origin", number(env, flights[i].origin));
    napi_set_element(env, list, i, entry);
  }
  return list;
}

napi_value report_memory(napi_env env, const Allocator::Statistics& statistics) {
  napi_value result = object(env);
  set(env, result, "allocated", number(env, double(statistics.allocated)));
  set(env, result, "reserved", number(env, double(statistics.reserved)));
  set(env, result, "peak", number(env, double(statistics.peak)));
  set(env, result, "blocks", number(env, double(statistics.blocks)));
  set(env, result, "segments", number(env, double(statistics.segments)));
  return result;
}

napi_value report_answer(napi_env env, const Fields& fields) {
  napi_value list = array(env);
  for (uint32_t i = 0; i < fields.size(); i++) {
    napi_value buffer, bytes;
    void* memory = nullptr;
    napi_create_arraybuffer(env, fields[i].size(), &memory, &buffer);
    if (!fields[i].empty()) std::memcpy(memory, fields[i].data(), fields[i].size());
    napi_create_typedarray(env, napi_uint8_array, fields[i].size(), buffer, 0, &bytes);
    napi_set_element(env, list, i, bytes);
  }
  return list;
}

napi_value report_gauges(napi_env env) {
  napi_value list = array(env);
  uint32_t count = 0;
  Registry::instance().each([&](uint32_t number, Connection& connection) { napi_set_element(env, list, count++, report_gauge(env, number, connection)); });
  return list;
}

}  // namespace warpcell

// The shapes of lib/wire/binding.ts, built field by field.
#include "report.h"

#include <cstring>

#include "arguments.h"

namespace warpcell {

namespace {

Napi::Value triple(Napi::Env env, const uint32_t (&values)[3]) {
  Napi::Array result = made(Napi::Array::New(env, 3));
  for (uint32_t i = 0; i < 3; i++) result.Set(i, values[i]);
  return result;
}

std::string bounded(const char* text, size_t size) { return {text, strnlen(text, size)}; }

// Negative: not known.
Napi::Value figure(Napi::Env env, double value) { return value < 0 ? env.Null() : Napi::Number::New(env, value); }

// A device process writes four times a second; memory that changes under every look was given to something else.
constexpr int kAttempts = 1000;

struct Figures {
  double memory_total, memory_used, process_memory, utilization, temperature, power, sampled;
};

// False when nothing has been sampled yet.
bool read(const Gauges& gauges, Figures* out) {
  for (int attempt = 0; attempt < kAttempts; attempt++) {
    uint64_t before = gauges.version.load(std::memory_order_acquire);
    if (before == 0) return false;
    *out = {double(gauges.memory_total),
            double(gauges.memory_used),
            double(gauges.process_memory),
            gauges.utilization,
            gauges.temperature,
            gauges.power,
            gauges.sampled};
    std::atomic_thread_fence(std::memory_order_acquire);
    bool is_whole = before % 2 == 0 && gauges.version.load(std::memory_order_relaxed) == before;
    if (is_whole) return true;
    // A device process that died while it was writing leaves an odd version for good.
    if (before % 2 == 1 && gauges.version.load(std::memory_order_acquire) == before) return false;
  }
  return false;
}

Napi::Value report_gauge(Napi::Env env, uint32_t client, Connection& connection) {
  Figures figures;
  if (!read(connection.client.gauges(), &figures)) figures = {-1, -1, -1, -1, -1, -1, -1};
  const auto& statistics = connection.client.allocator(Memory::device).statistics();

  Napi::Object sample = made(Napi::Object::New(env));
  sample.Set("client", client);
  sample.Set("kind", connection.client.kind());
  sample.Set("index", connection.client.index());
  sample.Set("memoryTotal", figure(env, figures.memory_total));
  sample.Set("memoryUsed", figure(env, figures.memory_used));
  sample.Set("processMemory", figure(env, figures.process_memory));
  sample.Set("utilization", figure(env, figures.utilization));
  sample.Set("temperature", figure(env, figures.temperature));
  sample.Set("power", figure(env, figures.power));
  sample.Set("sampled", figure(env, figures.sampled));
  sample.Set("allocated", double(statistics.allocated));
  sample.Set("reserved", double(statistics.reserved));
  sample.Set("peak", double(statistics.peak));
  sample.Set("isBusy", connection.client.is_busy());
  return sample;
}

}  // namespace

Napi::Value report_errors(Napi::Env env, const std::vector<ErrorRecord>& errors) {
  Napi::Array list = made(Napi::Array::New(env));
  for (uint32_t i = 0; i < errors.size(); i++) {
    const ErrorRecord& error = errors[i];
    Napi::Object entry = made(Napi::Object::New(env));
    entry.Set("sequence", double(error.sequence));
    entry.Set("last", double(error.last));
    entry.Set("fatal", error.fatal != 0);
    entry.Set("code", bounded(error.code, sizeof error.code));
    entry.Set("text", bounded(error.text, sizeof error.text));
    if (error.has_thread != 0) {
      entry.Set("block", triple(env, error.block));
      entry.Set("thread", triple(env, error.thread));
    }
    list.Set(i, entry);
  }
  return list;
}

Napi::Value report_ranges(Napi::Env env, const std::vector<Range>& ranges) {
  Napi::Array list = made(Napi::Array::New(env, ranges.size()));
  for (uint32_t i = 0; i < ranges.size(); i++) {
    Napi::Object entry = made(Napi::Object::New(env));
    entry.Set("first", double(ranges[i].first));
    entry.Set("last", double(ranges[i].last));
    list.Set(i, entry);
  }
  return list;
}

Napi::Value report_flights(Napi::Env env, const std::vector<Flight>& flights) {
  Napi::Array list = made(Napi::Array::New(env));
  for (uint32_t i = 0; i < flights.size(); i++) {
    Napi::Object entry = made(Napi::Object::New(env));
    entry.Set("sequence", double(flights[i].sequence));
    entry.Set("kernel", flights[i].kernel);
    entry.Set("origin", flights[i].origin);
    list.Set(i, entry);
  }
  return list;
}

Napi::Value report_memory(Napi::Env env, const Allocator::Statistics& statistics) {
  Napi::Object result = made(Napi::Object::New(env));
  result.Set("allocated", double(statistics.allocated));
  result.Set("reserved", double(statistics.reserved));
  result.Set("peak", double(statistics.peak));
  result.Set("blocks", double(statistics.blocks));
  result.Set("segments", double(statistics.segments));
  return result;
}

Napi::Value report_blocks(Napi::Env env, const std::vector<Allocator::Listed>& blocks) {
  constexpr size_t kFields = 4;
  Napi::Float64Array numbers = made(Napi::Float64Array::New(env, kFields * blocks.size()));
  for (size_t i = 0; i < blocks.size(); i++) {
    const Allocator::Listed& block = blocks[i];
    numbers[kFields * i] = segment_of(block.place);
    numbers[kFields * i + 1] = double(block.place);
    numbers[kFields * i + 2] = double(block.bytes);
    numbers[kFields * i + 3] = block.is_free ? -1 : double(block.origin);
  }
  return numbers;
}

Napi::Value report_answer(Napi::Env env, const Fields& fields) {
  Napi::Array list = made(Napi::Array::New(env));
  for (uint32_t i = 0; i < fields.size(); i++) {
    Napi::Uint8Array bytes = made(Napi::Uint8Array::New(env, fields[i].size()));
    if (!fields[i].empty()) std::memcpy(bytes.Data(), fields[i].data(), fields[i].size());
    list.Set(i, bytes);
  }
  return list;
}

Napi::Value report_gauges(Napi::Env env) {
  Napi::Array list = made(Napi::Array::New(env));
  uint32_t count = 0;
  Registry::instance().each([&](uint32_t number, Connection& connection) {
    if (connection.client.duty() == Duty::work) list.Set(count++, report_gauge(env, number, connection));
  });
  return list;
}

}  // namespace warpcell

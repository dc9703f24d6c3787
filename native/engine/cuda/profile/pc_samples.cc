// Sets sampling up, ends it, and adds up what was sampled.
#include "pc_samples.h"

#include <algorithm>
#include <iterator>

#include "../../host/demangle.h"
#include "../../host/errors.h"
#include "../../host/json.h"

namespace warpcell::cuda {
namespace {

// A multiprocessor looks every 2^15 cycles: 8 million samples a second on 132 of them, which one core decodes in a
// third of the time.
constexpr uint64_t kPeriod = 15;
// CUPTI empties the hardware's buffer meanwhile; when it is full all samples are lost. On a GH100 8 MiB lasted for 10
// ms between two readings.
constexpr uint64_t kHardwareBytes = 64u << 20;
constexpr uint64_t kMillisecondsBetweenReadings = 20;
// For the instructions of all kernels, 16 bytes for each reason.
constexpr uint64_t kScratchBytes = 16u << 20;
constexpr size_t kInstructions = 4096;  // of one answer

// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" counts all warps with that reason; the name with "_not_issued"
// behind it those of them that held a scheduler up.
constexpr const char* kPrefix = "smsp__pcsamp_warps_issue_stalled_";
constexpr const char* kPart = "_not_issued";

// "long scoreboard"; empty for what is no reason of its own.
std::string reason_of(const std::string& name) {
  const std::string prefix = kPrefix;
  if (name.compare(0, prefix.size(), prefix) != 0 || name.find(kPart) != std::string::npos) return "";
  std::string reason = name.substr(prefix.size());
  std::replace(reason.begin(), reason.end(), '_', ' ');
  return reason;
}

}  // namespace

PcSamples::PcSamples(const CuptiApi& cupti, Context context)
    : cupti_(cupti), api_(profiler_api<SamplingApi>(cupti, "sample")), context_(context) {
  try {
    auto open = parameters<SamplingParameters>(&SamplingParameters::context);
    open.context = context_;
    cupti_.check(api_.cuptiPCSamplingEnable(&open), "preparing to sample");
    enabled_ = true;
    read_reasons();
    configure();
    cupti_.check(api_.cuptiPCSamplingStart(&open), "starting to sample");
    started_ = true;
  } catch (const DeviceError&) {
    close();
    throw;
  }
}

// What fails here has nobody to tell: the GPU is let go either way.
void PcSamples::close() {
  auto parameter = parameters<SamplingParameters>(&SamplingParameters::context);
  parameter.context = context_;
  if (started_) api_.cuptiPCSamplingStop(&parameter);
  if (enabled_) api_.cuptiPCSamplingDisable(&parameter);
  started_ = enabled_ = false;
}

void PcSamples::read_reasons() {
  size_t count = 0;
  auto counting = parameters<ReasonCountParameters>(&ReasonCountParameters::count);
  counting.context = context_;
  counting.count = &count;
  cupti_.check(api_.cuptiPCSamplingGetNumStallReasons(&counting), "asking what warps wait for");

  std::vector<uint32_t> numbers(count);
  std::vector<std::string> texts(count, std::string(kReasonNameBytes, '\0'));
  std::vector<char*> names;
  for (std::string& text : texts) names.push_back(&text[0]);
  auto naming = parameters<ReasonParameters>(&ReasonParameters::names);
  naming.context = context_;
  naming.count = count;
  naming.numbers = numbers.data();
  naming.names = names.data();
  cupti_.check(api_.cuptiPCSamplingGetStallReasons(&naming), "asking what warps wait for");
  for (size_t i = 0; i < count; i++) {
    std::string reason = reason_of(names[i]);
    if (reason.empty()) continue;
    reasons_.emplace(numbers[i], reason);
    numbers_.push_back(numbers[i]);
  }
  if (numbers_.empty())
    throw DeviceError("UNSUPPORTED", "CUPTI " + cupti_.version + " does not know what warps of this GPU wait for.");
}

PcSamples::Room::Room(size_t reasons) : stalls(kInstructions * reasons), instructions(kInstructions) {
  for (size_t i = 0; i < kInstructions; i++) {
    instructions[i].bytes = sizeof(SampledInstruction);
    instructions[i].stalls = stalls.data() + i * reasons;
  }
  buffer.bytes = sizeof(SampleBuffer);
  buffer.room = kInstructions;
  buffer.instructions = instructions.data();
}

void PcSamples::configure() {
  kept_ = std::make_unique<Room>(numbers_.size());
  given_ = std::make_unique<Room>(numbers_.size());
  SamplingSetting settings[] = {
      {SamplingAttribute::mode, 0, {kContinuous}},
      {SamplingAttribute::period, 0, {kPeriod}},
      {SamplingAttribute::hardware_bytes, 0, {kHardwareBytes}},
      {SamplingAttribute::scratch_bytes, 0, {kScratchBytes}},
      {SamplingAttribute::milliseconds_between_readings, 0, {kMillisecondsBetweenReadings}},
      {SamplingAttribute::starts_and_stops, 0, {1}},
      {SamplingAttribute::reasons, 0, {numbers_.size(), reinterpret_cast<uint64_t>(numbers_.data())}},
      {SamplingAttribute::format, 0, {kParsed}},
      {SamplingAttribute::buffer, 0, {reinterpret_cast<uint64_t>(&kept_->buffer)}},
  };
  auto configuring = parameters<SamplingSettingParameters>(&SamplingSettingParameters::settings);
  configuring.context = context_;
  configuring.count = std::size(settings);
  configuring.settings = settings;
  cupti_.check(api_.cuptiPCSamplingSetConfigurationAttribute(&configuring), "choosing how to sample");
}

// CUPTI's records of kernels point to the same names, so nobody frees them.
bool PcSamples::gather() {
  auto getting = parameters<SamplingDataParameters>(&SamplingDataParameters::buffer);
  getting.context = context_;
  const SampleBuffer& buffer = given_->buffer;
  getting.buffer = &given_->buffer;
  do {
    CuptiResult result = api_.cuptiPCSamplingGetData(&getting);
    if (result == kCuptiOutOfMemory && buffer.is_full != 0) return false;
    cupti_.check(result, "collecting samples");
    dropped_ += buffer.dropped;
    for (size_t i = 0; i < buffer.count; i++) {
      const SampledInstruction& instruction = buffer.instructions[i];
      Counts& counts = taken_[{instruction.checksum, instruction.function == nullptr ? "" : instruction.function}]
                             [instruction.offset];
      for (size_t k = 0; k < instruction.stall_count; k++)
        counts[instruction.stalls[k].reason] += instruction.stalls[k].samples;
    }
  } while (buffer.remaining > 0 && buffer.count > 0);
  return true;
}

std::vector<std::string> PcSamples::take(std::vector<std::string>& notes) {
  auto stop = parameters<SamplingParameters>(&SamplingParameters::context);
  stop.context = context_;
  started_ = false;
  try {
    cupti_.check(api_.cuptiPCSamplingStop(&stop), "collecting samples");
    if (!gather())
      notes.push_back("The samples are lost: the GPU took more than there was room for. Profile less at a time.");
  } catch (const DeviceError& error) {
    if (error.fatal) throw;
    notes.push_back(std::string("Samples are lost: ") + error.what());
  }
  close();
  if (dropped_ > 0)
    notes.push_back(std::to_string(dropped_) +
                    " samples were dropped: the GPU had no room for them. Profile less at a time.");

  std::vector<std::string> kernels;
  for (const auto& [code, offsets] : taken_) {
    std::vector<std::string> instructions;
    for (const auto& [offset, counts] : offsets) {
      JsonObject samples;
      for (const auto& [reason, count] : counts)
        if (count > 0 && reasons_.count(reason) != 0) samples.number(reasons_[reason].c_str(), int64_t(count));
      instructions.push_back(JsonObject().number("offset", int64_t(offset)).raw("samples", samples.done()).done());
    }
    kernels.push_back(JsonObject()
                          .text("symbol", code.symbol)
                          .text("name", function_name(demangle(code.symbol)))
                          .raw("instructions", json_list(instructions))
                          .done());
  }
  return kernels;
}

}  // namespace warpcell::cuda

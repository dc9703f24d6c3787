// Starts, stops and reads CUPTI's range profiler, some kernels at a time.
#include "range_counters.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "../../host/errors.h"

namespace warpcell::cuda {
namespace {

// Best first: what another pass would have to count is left out. commands.h says what they mean.
constexpr struct {
  const char* name;
  const char* metric;
} kMetrics[] = {
    {"dram bytes", "dram__bytes.sum"},
    {"dram bytes read", "dram__bytes_read.sum"},
    {"l2 bytes", "lts__t_bytes.sum"},
    {"sm busy %", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"tensor pipe %", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"warps active %", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"warps waiting for memory %", "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct"},
    {"instructions of warps", "sm__inst_executed.sum"},
};

// Of one start. The hardware's buffer held 32 on a GH100; what comes after is not counted.
constexpr size_t kRanges = 32;
constexpr size_t kRoomForForeign = 16;  // kernels of one call of a library

const char* name_of(const char* metric) {
  return std::find_if(std::begin(kMetrics), std::end(kMetrics),
                      [&](const auto& known) { return std::strcmp(known.metric, metric) == 0; })
      ->name;
}

}  // namespace

RangeCounters::RangeCounters(const CuptiApi& cupti, const DriverApi& driver, Context context, Stream stream, int device)
    : cupti_(cupti),
      api_(profiler_api<RangeApi>(cupti, "count kernel by kernel, which takes CUDA 12.6 or newer")),
      driver_(driver),
      context_(context),
      stream_(stream) {
  try {
    open_host(device);
    config_ = configure();
    auto open = parameters<RangeOpenParameters>(&RangeOpenParameters::profiler);
    open.context = context_;
    cupti_.check(api_.cuptiRangeProfilerEnable(&open), "starting to count");
    profiler_ = open.profiler;
    make_image();
    start();
  } catch (const DeviceError&) {
    close();
    throw;
  }
  std::vector<std::string> names;
  for (const char* metric : metrics_) names.push_back(name_of(metric));
  counted_.start(names);
}

RangeCounters::~RangeCounters() { close(); }

// What fails here has nobody to tell: the GPU is let go either way.
void RangeCounters::close() {
  if (started_) {
    auto stop = parameters<StopParameters>(&StopParameters::has_all_passes);
    stop.profiler = profiler_;
    api_.cuptiRangeProfilerStop(&stop);
  }
  if (profiler_ != nullptr) {
    auto close = parameters<RangeParameters>(&RangeParameters::profiler);
    close.profiler = profiler_;
    api_.cuptiRangeProfilerDisable(&close);
  }
  if (host_ != nullptr) {
    auto close = parameters<HostParameters>(&HostParameters::host);
    close.host = host_;
    api_.cuptiProfilerHostDeinitialize(&close);
  }
  NoParameters none{{sizeof(NoParameters), nullptr}};
  api_.cuptiProfilerDeInitialize(&none);
  started_ = false;
  profiler_ = nullptr;
  host_ = nullptr;
}

void RangeCounters::open_host(int device) {
  NoParameters none{{sizeof(NoParameters), nullptr}};
  cupti_.check(api_.cuptiProfilerInitialize(&none), "preparing to count");
  auto chip = parameters<ChipNameParameters>(&ChipNameParameters::name);
  chip.device = size_t(device);
  cupti_.check(api_.cuptiDeviceGetChipName(&chip), "asking for the GPU's chip");
  chip_ = chip.name;

  auto available = parameters<AvailabilityParameters>(&AvailabilityParameters::image);
  available.context = context_;
  cupti_.check(api_.cuptiProfilerGetCounterAvailability(&available), "asking what the GPU counts");
  availability_.resize(available.size);
  available.image = availability_.data();
  cupti_.check(api_.cuptiProfilerGetCounterAvailability(&available), "asking what the GPU counts");
}

// How the GPU is to be set up to count `metrics`, which becomes what host_ reads; empty where it does not know one of
// them.
std::vector<uint8_t> RangeCounters::config_image(const std::vector<const char*>& metrics, size_t* passes) {
  if (host_ != nullptr) {
    auto close = parameters<HostParameters>(&HostParameters::host);
    close.host = host_;
    api_.cuptiProfilerHostDeinitialize(&close);
    host_ = nullptr;
  }
  auto open = parameters<HostOpenParameters>(&HostOpenParameters::host);
  open.type = kRangeProfiler;
  open.chip = chip_.c_str();
  open.availability = availability_.data();
  cupti_.check(api_.cuptiProfilerHostInitialize(&open), "preparing to count");
  host_ = open.host;

  auto add = parameters<MetricsParameters>(&MetricsParameters::count);
  add.host = host_;
  add.names = const_cast<const char**>(metrics.data());
  add.count = metrics.size();
  if (api_.cuptiProfilerHostConfigAddMetrics(&add) != kCuptiSuccess) return {};

  auto size = parameters<ConfigSizeParameters>(&ConfigSizeParameters::size);
  size.host = host_;
  cupti_.check(api_.cuptiProfilerHostGetConfigImageSize(&size), "choosing what to count");
  std::vector<uint8_t> image(size.size);
  auto get = parameters<ConfigParameters>(&ConfigParameters::image);
  get.host = host_;
  get.size = image.size();
  get.image = image.data();
  cupti_.check(api_.cuptiProfilerHostGetConfigImage(&get), "choosing what to count");
  auto count = parameters<PassesParameters>(&PassesParameters::passes);
  count.size = image.size();
  count.image = image.data();
  cupti_.check(api_.cuptiProfilerHostGetNumOfPasses(&count), "choosing what to count");
  *passes = count.passes;
  return image;
}

std::vector<uint8_t> RangeCounters::configure() {
  for (const auto& known : kMetrics) {
    metrics_.push_back(known.metric);
    size_t passes = 0;
    if (config_image(metrics_, &passes).empty() || passes != 1) metrics_.pop_back();
  }
  if (metrics_.empty())
    throw DeviceError("UNSUPPORTED",
                      "CUPTI " + cupti_.version + " has no counter for this GPU (" + chip_ + ") that one pass reads.");
  size_t passes = 0;
  return config_image(metrics_, &passes);
}

void RangeCounters::make_image() {
  auto size = parameters<CounterSizeParameters>(&CounterSizeParameters::size);
  size.profiler = profiler_;
  size.names = metrics_.data();
  size.count = metrics_.size();
  size.ranges = kRanges;
  size.nodes = kRanges;
  cupti_.check(api_.cuptiRangeProfilerGetCounterDataSize(&size), "making room for counts");
  image_.resize(size.size);
  auto make = parameters<CounterImageParameters>(&CounterImageParameters::image);
  make.profiler = profiler_;
  make.size = image_.size();
  make.image = image_.data();
  cupti_.check(api_.cuptiRangeProfilerCounterDataImageInitialize(&make), "making room for counts");
  empty_image_ = image_;

  auto config = parameters<RangeConfigParameters>(&RangeConfigParameters::level);
  config.profiler = profiler_;
  config.config_size = config_.size();
  config.config = config_.data();
  config.image_size = image_.size();
  config.image = image_.data();
  config.range = kRangeOfKernel;
  config.replay = kNoReplay;
  config.ranges = kRanges;
  config.levels = config.first_level = config.level = 1;
  cupti_.check(api_.cuptiRangeProfilerSetConfig(&config), "choosing what to count");
}

void RangeCounters::start() {
  std::copy(empty_image_.begin(), empty_image_.end(), image_.begin());
  auto start = parameters<RangeParameters>(&RangeParameters::profiler);
  start.profiler = profiler_;
  cupti_.check(api_.cuptiRangeProfilerStart(&start), "starting to count");
  started_ = true;
}

template <class Work>
void RangeCounters::attempt(Work work) {
  try {
    work();
  } catch (const DeviceError& error) {
    if (error.fatal) throw;
    failure_ = error.what();
    close();
  }
}

void RangeCounters::launching(uint64_t sequence) {
  if (stretch_ != Stretch::none) return;
  if (!failure_.empty()) {
    uncounted_++;
    return;
  }
  attempt([&] {
    if (foreign_ != 0 || ours_.size() == kRanges) gather();
    if (!started_) start();
  });
  ours_.push_back(sequence);
}

void RangeCounters::begin(uint64_t sequence) {
  stretch_ = Stretch::foreign;
  if (!failure_.empty()) {
    uncounted_++;
    return;
  }
  attempt([&] {
    if (foreign_ != 0 || ours_.size() > kRanges - kRoomForForeign) gather();
    if (!started_) start();
  });
  foreign_ = sequence;
}

void RangeCounters::pause() {
  stretch_ = Stretch::paused;
  if (failure_.empty()) attempt([&] { gather(); });
}

void RangeCounters::gather() {
  if (!started_) return;
  driver_.check(driver_.cuStreamSynchronize(stream_), "");
  started_ = false;
  auto stop = parameters<StopParameters>(&StopParameters::has_all_passes);
  stop.profiler = profiler_;
  cupti_.check(api_.cuptiRangeProfilerStop(&stop), "counting");
  auto decode = parameters<DecodeParameters>(&DecodeParameters::dropped);
  decode.profiler = profiler_;
  cupti_.check(api_.cuptiRangeProfilerDecodeData(&decode), "counting");
  read_ranges();
  ours_.clear();
  foreign_ = 0;
}

// Ranges come in the order of the kernels.
void RangeCounters::read_ranges() {
  auto info = parameters<CounterInfoParameters>(&CounterInfoParameters::ranges);
  info.image = image_.data();
  info.size = image_.size();
  cupti_.check(api_.cuptiRangeProfilerGetCounterDataInfo(&info), "counting");
  bool fits = info.ranges == ours_.size() || (info.ranges > ours_.size() && foreign_ != 0);
  // Which kernel is missing, nobody says.
  if (!fits) {
    uncounted_ += ours_.size() + (foreign_ != 0);
    return;
  }
  std::vector<double> values(metrics_.size());
  for (size_t i = 0; i < info.ranges; i++) {
    auto evaluate = parameters<ValuesParameters>(&ValuesParameters::values);
    evaluate.host = host_;
    evaluate.image = image_.data();
    evaluate.size = image_.size();
    evaluate.range = i;
    evaluate.names = metrics_.data();
    evaluate.count = metrics_.size();
    evaluate.values = values.data();
    cupti_.check(api_.cuptiProfilerHostEvaluateToGpuValues(&evaluate), "counting");
    counted_.add(i < ours_.size() ? ours_[i] : foreign_, values);
  }
}

std::vector<std::string> RangeCounters::take(std::vector<std::string>& notes) {
  if (failure_.empty()) attempt([&] { gather(); });
  if (!failure_.empty()) {
    uncounted_ += ours_.size() + (foreign_ != 0);
    notes.push_back("Counting ended early: " + failure_);
  }
  if (uncounted_ > 0) {
    std::string why = failure_.empty() ? ": the GPU's counts do not match what it was given." : ".";
    notes.push_back(std::to_string(uncounted_) + (uncounted_ == 1 ? " launch was" : " launches were") + " not counted" +
                    why);
  }
  return counted_.take(notes);
}

}  // namespace warpcell::cuda

// What a checked launch begins and ends with, and what it is told of barriers, warps and blocks.
#include "checker.h"

#include <algorithm>
#include <cstring>

#include "../../host/json.h"

namespace warpcell::cpu {

namespace {

// Before the clock would begin again.
constexpr uint32_t kLatest = 3'000'000'000u;

// Tensors of which unwritten bytes are remembered; of others all counts as written.
constexpr size_t kMostUnwritten = 256;

constexpr int32_t kNobody = -1;

// What no access is in.
ShadowRegion nowhere{nullptr, 0, 0, nullptr, kNoSubject, Space::unwatched};
const Places no_places;

ShadowRegion region_of(uint8_t* base, uint64_t bytes, Space space, int subject, Shadows& shadows) {
  return {base, bytes, 2, shadows.take(bytes / 4 + 2), subject, space};
}

bool is_before(const ShadowRegion& one, const ShadowRegion& two) { return one.base < two.base; }

// Of threads that all wait.
bool wait_in_one_line(const Waiters& waiters) {
  const warpcell_cpu::Slot* slots = waiters.slots;
  return std::all_of(slots, slots + waiters.threads, [&](auto& slot) { return slot.line == slots->line; });
}

std::string hexadecimal(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

}  // namespace

__thread Checker::Core* checked_core = nullptr;

Places::Places() { std::fill(std::begin(of), std::end(of), &nowhere); }

// Where blocks take turns, and where accesses are counted or followed, every access is looked at.
const Places* Checker::places_of(const Core& core) const {
  return task_.cooperative || task_.counts || task_.follows || !pending_.empty() ? &no_places : &core.usual;
}

void Checker::begin(CheckedTask task) {
  task_ = std::move(task);
  threads_ = task_.geometry.block[0] * task_.geometry.block[1] * task_.geometry.block[2];
  bool is_late = now_ > kLatest;
  if (is_late) now_ = 1;
  shadows_.reset(is_late);
  launch_began_ = grid_passed_ = ++now_;
  names_.clear();
  globals_.clear();
  proven_.clear();
  variables_.clear();
  cores_.clear();
  findings_.clear();
  pending_.clear();
  tentative_.clear();
  fences_.clear();
  for (CheckedArgument& argument : task_.arguments) names_.push_back({"", argument.bytes, Space::argument});
  if (unwritten_.size() > kMostUnwritten) unwritten_.clear();
  if (task_.counts) counters_.begin(threads_, task_.cooperative);
  if (task_.follows) steps_.begin();
  lay_out_arguments();
  for (const StaticVariable& variable : task_.image->variables()) {
    if (variable.of_thread || variable.is_ours) continue;
    auto* base = reinterpret_cast<uint8_t*>(task_.image->base() + variable.value);
    variables_.push_back(region_of(base, variable.bytes, Space::variable, int(names_.size()), shadows_));
    names_.push_back({variable.name, variable.bytes, Space::variable});
  }
  std::sort(variables_.begin(), variables_.end(), is_before);
  for (const StaticVariable& variable : task_.image->variables()) {
    if (variable.of_thread && !variable.is_ours) names_.push_back({variable.name, variable.bytes, Space::shared});
  }
  names_.push_back({"", task_.shared, Space::dynamic});
}

// Views of one tensor may overlap: they are one region then.
void Checker::lay_out_arguments() {
  std::vector<std::pair<MemoryRange, int>> ranges;
  for (size_t i = 0; i < task_.arguments.size(); i++) {
    const CheckedArgument& argument = task_.arguments[i];
    if (argument.bytes > 0) ranges.push_back({{argument.base, argument.bytes}, int(i)});
  }
  std::sort(ranges.begin(), ranges.end(), [](auto& one, auto& two) { return one.first.base < two.first.base; });
  for (size_t i = 0; i < ranges.size();) {
    uint8_t *base = ranges[i].first.base, *end = base + ranges[i].first.bytes;
    int subject = ranges[i].second;
    bool is_constant = true;
    size_t first = i;
    for (i++; i < ranges.size() && ranges[i].first.base < end; i++)
      end = std::max(end, ranges[i].first.base + ranges[i].first.bytes);
    globals_.push_back(region_of(base, uint64_t(end - base), Space::argument, subject, shadows_));
    ShadowRegion& region = globals_.back();
    for (; first < i; first++) is_constant &= task_.arguments[size_t(ranges[first].second)].is_constant;
    region.is_constant = is_constant;
    const CheckedArgument& argument = task_.arguments[size_t(subject)];
    if (argument.is_new) {
      region.unwritten = (unwritten_[argument.home] = std::vector<uint8_t>(region.bytes, 1)).data();
      continue;
    }
    auto known = unwritten_.find(argument.home);
    if (known == unwritten_.end()) continue;
    if (argument.is_unwritten && known->second.size() == region.bytes)
      region.unwritten = known->second.data();
    else
      unwritten_.erase(known);
  }
}

const ShadowRegion* Checker::tensor(const uint8_t* at) const {
  for (const ShadowRegion& region : globals_)
    if (region.contains(at, 1)) return &region;
  return nullptr;
}

void Checker::proven(const std::vector<ProvenTensor>& written) {
  proven_ = written;
  for (const ProvenTensor& each : written) {
    uint8_t* unwritten = tensor(each.base)->unwritten;
    for (uint64_t i = 0; unwritten != nullptr && i < each.bytes / each.element; i++) {
      if ((each.owners[i] & kOwnerWrote) != 0) std::memset(unwritten + i * each.element, 0, each.element);
    }
  }
}

std::vector<std::string> Checker::finish() {
  settle();
  for (auto& [key, finding] : tentative_) findings_.add(finding);
  return findings_.written(*task_.image, task_.geometry.grid, task_.geometry.block);
}

std::vector<std::string> Checker::subjects() const {
  static const char* const spaces[] = {"argument", "shared", "dynamic", "variable"};
  std::vector<std::string> texts;
  for (const Name& name : names_) {
    texts.push_back(JsonObject()
                        .text("name", name.name)
                        .number("bytes", int64_t(name.bytes))
                        .text("space", spaces[int(name.space)])
                        .done());
  }
  return texts;
}

Reached Checker::reached(size_t index) const {
  const CheckedArgument& argument = task_.arguments[index];
  Reached reached{0, 0};
  for (const ProvenTensor& tensor : proven_) {
    if (tensor.base != argument.base || tensor.bytes != argument.bytes) continue;
    for (uint64_t i = 0; i < tensor.bytes / tensor.element; i++) {
      if ((tensor.owners[i] & kOwnerWrote) != 0 && reached.elements++ == i) reached.prefix = reached.elements;
    }
  }
  for (const ShadowRegion& region : globals_) {
    if (argument.bytes == 0 || !region.is_used || !region.contains(argument.base, argument.bytes)) continue;
    for (uint64_t at = 0; at < argument.bytes; at += argument.element) {
      const Shadow& shadow = region.pieces[uint64_t(argument.base + at - region.base) >> region.shift];
      if (shadow.writer == 0 || shadow.written < launch_began_) continue;
      if (reached.elements++ == at / argument.element) reached.prefix = reached.elements;
    }
  }
  return reached;
}

void Checker::entered(Scheduler& scheduler) {
  std::lock_guard<std::mutex> lock(mutex_);
  cores_.push_back(std::make_unique<Core>());
  Core& core = *cores_.back();
  void* places[3];
  task_.image->places(places);
  core.checker = this;
  core.scheduler = &scheduler;
  core.image_base = task_.image->base();
  core.places = places_of(core);
  auto unwatched = [&core](const void* base, uint64_t bytes) {
    auto* start = static_cast<uint8_t*>(const_cast<void*>(base));
    core.unwatched.push_back({start, bytes, 0, nullptr, kNoSubject, Space::unwatched});
  };
  unwatched(scheduler.stacks.memory(), scheduler.stacks.memory_bytes());
  unwatched(&scheduler, sizeof scheduler);
  core.thread_index = static_cast<const uint32_t*>(places[0]);
  core.detached = static_cast<int*>(places[1]);
  scheduler.observed_order = static_cast<int*>(places[2]);
  *scheduler.observed_order = 0;
  core.size_x = task_.geometry.block[0];
  core.size_y = task_.geometry.block[1];
  core.of_thread = task_.image->of_thread();
  core.of_thread_bytes = task_.image->thread_bytes();
  core.pieces.assign(core.of_thread_bytes / 4 + 1, kNobody);
  int subject = int(names_.size()) - 1;
  for (const Name& name : names_) subject -= name.space == Space::shared;
  for (const StaticVariable& variable : task_.image->variables()) {
    if (!variable.of_thread) continue;
    int32_t piece = variable.is_ours ? Core::kUnwatched - int32_t(core.unwatched.size()) : int32_t(core.shared.size());
    if (variable.is_ours) unwatched(core.of_thread + variable.value, variable.bytes);
    for (uint64_t at = variable.value / 4; at <= (variable.value + variable.bytes - 1) / 4; at++)
      if (at < core.pieces.size()) core.pieces[at] = piece;
    if (variable.is_ours) continue;
    core.shared.push_back(
        region_of(core.of_thread + variable.value, variable.bytes, Space::shared, subject++, shadows_));
  }
  core.dynamic = region_of(scheduler.dynamic_shared(), task_.shared, Space::dynamic, int(names_.size()) - 1, shadows_);
  core.dynamic_end = const_cast<uint8_t*>(scheduler.shared_end);
  checked_core = &core;
}

void Checker::left(Scheduler& scheduler) {
  scheduler.observed_order = nullptr;
  checked_core = nullptr;
}

void Checker::look_at_block(Core& core) {
  core.block = core.scheduler->current_block();
  core.before_block = uint32_t(core.block) * threads_;
  core.block_began = core.barrier = ++now_;
  core.acquired = 0;
  core.is_damaged = false;
  std::fill(std::begin(core.warps), std::end(core.warps), core.block_began);
}

Culprit Checker::culprit(uint32_t thread) const { return {(thread - 1) / threads_, (thread - 1) % threads_}; }

Finding Checker::finding(Core& core, const char* kind, uintptr_t code) const {
  Finding finding{};
  finding.kind = kind;
  finding.code = code;
  finding.threads = 1;
  finding.subject = kNoSubject;
  finding.culprit = {core.scheduler->current_block(), core.thread()};
  return finding;
}

void Checker::report(Core& core, Finding found, bool ends) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    if (core.block != core.scheduler->current_block()) look_at_block(core);
    Finding finding = this->finding(core, found.kind, 0);
    finding.line = found.line;
    finding.detail = found.detail;
    findings_.add(finding);
    core.is_damaged |= ends;
  }
  if (ends) core.scheduler->end_thread(core.thread());
}

void Checker::released(const Waiters& waiters) {
  std::lock_guard<std::mutex> lock(mutex_);
  settle();
  Core& core = *checked_core;
  if (core.block != core.scheduler->current_block()) look_at_block(core);
  if (!core.is_damaged && (waiters.alive < waiters.threads || !wait_in_one_line(waiters))) {
    std::map<uint32_t, uint32_t> lines;
    uint32_t first = 0;
    for (uint32_t thread = waiters.threads; thread-- > 0;) {
      if (!(waiters.waiting[thread / 64] >> (thread % 64) & 1)) continue;
      lines[waiters.slots[thread].line]++;
      first = thread;
    }
    Finding finding = this->finding(core, lines.size() > 1 ? "barrier" : "ended", 0);
    finding.line.line = lines.begin()->first;
    finding.culprit.thread = first;
    for (auto& [line, count] : lines)
      finding.detail += (finding.detail.empty() ? "" : ",") + std::to_string(line) + ":" + std::to_string(count);
    finding.offset = waiters.threads - waiters.alive;
    finding.bytes = waiters.threads;
    findings_.add(finding);
  }
  core.barrier = ++now_;
}

void Checker::collected(const Gathering& gathering) {
  std::lock_guard<std::mutex> lock(mutex_);
  settle();
  Core& core = *checked_core;
  if (core.block != core.scheduler->current_block()) look_at_block(core);
  core.warps[gathering.warp] = ++now_;
  uint32_t lanes = lanes_that_take(*gathering.laid, gathering.lanes, gathering.code, gathering.exited);
  if (lanes == 0 || core.is_damaged) return;
  Finding finding = this->finding(core, "shuffle", 0);
  finding.line.line = gathering.line;
  finding.culprit.thread = gathering.warp * kLanes + uint32_t(__builtin_ctz(lanes));
  finding.detail = hexadecimal(gathering.exited);
  findings_.add(finding);
}

void Checker::left_out(uint32_t line, uint32_t mask, uint32_t lane) {
  std::lock_guard<std::mutex> lock(mutex_);
  Core& core = *checked_core;
  if (core.block != core.scheduler->current_block()) look_at_block(core);
  Finding finding = this->finding(core, "mask", 0);
  finding.line.line = line;
  finding.offset = lane;
  finding.detail = hexadecimal(mask);
  findings_.add(finding);
  core.is_damaged = true;
}

void Checker::stuck(uint32_t line, const char* how) {
  std::lock_guard<std::mutex> lock(mutex_);
  settle();
  Core& core = *checked_core;
  Finding finding = this->finding(core, "stuck", 0);
  finding.line.line = line;
  finding.detail = how;
  if (!core.is_damaged) findings_.add(finding);
}

void Checker::grid_passed() {
  std::lock_guard<std::mutex> lock(mutex_);
  settle();
  grid_passed_ = checked_core->barrier = ++now_;
}

void Checker::ran(Core& core, uint32_t statement, const char* file, uint32_t line) {
  if (!task_.counts) return;
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (task_.cooperative) lock.lock();
  counters_.ran({core.scheduler->current_block(), core.thread()}, statement, file, line);
}

bool Checker::steps(Core& core, const char* file, uint32_t line, const char* function) {
  if (!task_.follows || !core.is(task_.followed_block, task_.followed_thread)) return false;
  steps_.came(file, line, function);
  return true;
}

void Checker::tell(const char* name, int index, char kind, uint64_t bits) {
  Steps::Memory pointee{};
  bool is_known = false;
  auto* at = reinterpret_cast<uint8_t*>(bits);
  auto points_to = [&](const ShadowRegion& region) {
    if (is_known || kind != 'p' || at < region.base || at > region.base + region.bytes) return;
    pointee = {region.subject, uint64_t(at - region.base), at, 0};
    is_known = true;
  };
  for (const ShadowRegion& region : globals_) points_to(region);
  for (const ShadowRegion& region : checked_core->shared) points_to(region);
  if (task_.shared > 0) points_to(checked_core->dynamic);
  steps_.told(name, index, kind, bits, is_known ? &pointee : nullptr);
}

void Checker::follow(const Core& core, const ShadowRegion& region, const uint8_t* at, uint64_t bytes, unsigned how) {
  if (__builtin_expect(!task_.follows, 1) || !core.is(task_.followed_block, task_.followed_thread)) return;
  steps_.accessed({region.subject, uint64_t(at - region.base), at, bytes}, (how & kRead) != 0, (how & kWrite) != 0);
}

void Checker::fence(Core& core) {
  std::lock_guard<std::mutex> lock(mutex_);
  settle();
  if (core.block != core.scheduler->current_block()) look_at_block(core);
  std::vector<uint32_t>& times = fences_[core.block];
  // One is enough between two accesses of others.
  if (times.empty() || core.acquired > times.back() || times.size() < 4096) times.push_back(++now_);
}

}  // namespace warpcell::cpu

// Adds up what warps do: sectors of global memory, banks of shared memory, lanes that are not there.
#include "counters.h"

#include <algorithm>

#include "../../host/json.h"

namespace warpcell::cpu {
namespace {

constexpr uint64_t kSector = 32;            // bytes that global memory moves at once
constexpr uint64_t kBanks = 32, kWord = 4;  // of shared memory

// Requests that are kept for lanes that may still come; 70 MB.
constexpr uint64_t kMostHeld = 1 << 18;

// Requests of a place that are done but still take memory, with others behind them.
constexpr size_t kMostDone = 4096;

template <class Use>
void each_lane(uint32_t lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) use(uint32_t(__builtin_ctz(lanes)));
}

uint32_t distinct(std::vector<uint64_t>& values) {
  std::sort(values.begin(), values.end());
  return uint32_t(std::unique(values.begin(), values.end()) - values.begin());
}

// Where each lane is, in bytes from the first sector on; -1: nowhere.
template <class Request>
std::string places(const Request& request) {
  uint64_t first = ~uint64_t(0);
  each_lane(request.lanes, [&](uint32_t lane) { first = std::min(first, request.at[lane]); });
  first -= first % kSector;
  std::vector<std::string> texts(kWarpLanes, "-1");
  each_lane(request.lanes, [&](uint32_t lane) { texts[lane] = std::to_string(request.at[lane] - first); });
  return json_list(texts);
}

}  // namespace

void Counters::begin(uint32_t threads, bool alternate) {
  *this = Counters();
  threads_ = threads;
  warps_ = (threads + kWarpLanes - 1) / kWarpLanes;
  alternate_ = alternate;
}

Counters::Block& Counters::block(uint64_t index) {
  if (current_ != nullptr && current_index_ == index) return *current_;
  if (current_ != nullptr && !alternate_) {
    settle();
    end(*current_);
    blocks_.clear();
  }
  current_ = &blocks_[index];
  current_index_ = index;
  return *current_;
}

uint32_t Counters::all_lanes(uint32_t warp) const {
  uint32_t count = std::min(kWarpLanes, threads_ - warp * kWarpLanes);
  return count == kWarpLanes ? ~0u : (1u << count) - 1;
}

void Counters::ran(LaunchThread by, uint32_t statement, const char* file, uint32_t line) {
  if (statement >= statements_.size()) statements_.resize(statement + 1);
  if (statements_[statement].line == 0) {
    statements_[statement].file = file;
    statements_[statement].line = line;
  }
  std::vector<Visits>& visits = block(by.block).statements;
  size_t at = size_t(statement) * warps_ + by.thread / kWarpLanes;
  if (at >= visits.size()) visits.resize(size_t(statement + 1) * warps_);
  visits[at].of[by.thread % kWarpLanes]++;
}

// An atomic function of ours may be a read and an exchange, which a GPU does at once.
void Counters::accessed(LaunchThread by, const CountedAccess& access) {
  block(by.block);
  bool exchanges = access.is_atomic && access.is_write && access.at == read_.at && by.block == reader_.block &&
                   by.thread == reader_.thread;
  if (exchanges) has_read_ = false;
  settle();
  if (access.is_atomic && !access.is_write) {
    has_read_ = true;
    reader_ = by;
    read_ = access;
  } else {
    enter(by, access);
  }
}

void Counters::settle() {
  if (!has_read_) return;
  has_read_ = false;
  enter(reader_, read_);
}

void Counters::enter(LaunchThread by, const CountedAccess& access) {
  auto [known, is_new] = site_of_.try_emplace(access.code << 1 | access.is_shared, uint32_t(sites_.size()));
  if (is_new) {
    sites_.emplace_back();
    Site& site = sites_.back();
    site.code = access.code;
    site.is_shared = access.is_shared;
    site.is_write = access.is_write;
    site.is_atomic = access.is_atomic && access.is_write;
  }
  uint32_t index = known->second, warp = by.thread / kWarpLanes, lane = by.thread % kWarpLanes;
  std::vector<Track>& tracks = block(by.block).sites;
  if (tracks.size() < sites_.size() * warps_) tracks.resize(sites_.size() * warps_);
  Track& track = tracks[size_t(index) * warps_ + warp];
  size_t place = track.head + size_t(track.visits[lane]++ - track.first);
  if (place >= track.requests.size()) {
    if (place > track.requests.size() || held_ >= kMostHeld) {
      sites_[index].lost++;
      return;
    }
    track.requests.emplace_back();
    held_++;
  }
  Request& request = track.requests[place];
  request.lanes |= 1u << lane;
  request.bytes = std::max(request.bytes, access.bytes);
  request.at[lane] = access.at;
  while (track.head < track.requests.size() && track.requests[track.head].lanes == all_lanes(warp)) {
    add(sites_[index], track.requests[track.head++]);
    track.first++;
    held_--;
  }
  if (track.head == track.requests.size() || track.head > kMostDone) {
    track.requests.erase(track.requests.begin(), track.requests.begin() + int64_t(track.head));
    track.head = 0;
  }
}

void Counters::add(Site& site, const Request& request) {
  Cost cost = site.is_shared ? shared_cost(request) : global_cost(request);
  site.requests++;
  site.transactions += cost.transactions;
  site.fewest += cost.fewest;
  if (cost.worst > site.worst) {
    site.worst = cost.worst;
    site.example = request;
  }
  if (!site.is_atomic) return;
  std::map<uint64_t, uint32_t> lanes;
  each_lane(request.lanes,
            [&](uint32_t lane) { site.contention = std::max(site.contention, ++lanes[request.at[lane]]); });
}

Counters::Cost Counters::global_cost(const Request& request) {
  std::vector<uint64_t> sectors, starts;
  each_lane(request.lanes, [&](uint32_t lane) {
    uint64_t at = request.at[lane];
    starts.push_back(at);
    for (uint64_t sector = at / kSector; sector <= (at + request.bytes - 1) / kSector; sector++)
      sectors.push_back(sector);
  });
  std::sort(starts.begin(), starts.end());
  uint64_t bytes = 0, end = 0;  // that are asked for, each once
  for (uint64_t at : starts) {
    bytes += at + request.bytes - std::max(at, std::min(end, at + request.bytes));
    end = at + request.bytes;
  }
  uint32_t count = distinct(sectors);
  return {count, uint32_t((bytes + kSector - 1) / kSector), count};
}

// Lanes whose accesses fill the banks go at once: a warp with words of 4 bytes, half of one with 8, a quarter with 16.
Counters::Cost Counters::shared_cost(const Request& request) {
  Cost cost{0, 0, 0};
  uint32_t at_once = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  for (uint32_t first = 0; first < kWarpLanes; first += at_once) {
    uint32_t lanes = request.lanes & ((at_once == 32 ? ~0u : (1u << at_once) - 1) << first);
    if (lanes == 0) continue;
    std::vector<uint64_t> words;
    each_lane(lanes, [&](uint32_t lane) {
      uint64_t at = request.at[lane];
      for (uint64_t word = at / kWord; word <= (at + request.bytes - 1) / kWord; word++) words.push_back(word);
    });
    uint32_t count = distinct(words), banks[kBanks] = {}, degree = 0;
    for (uint32_t i = 0; i < count; i++) degree = std::max(degree, ++banks[words[i] % kBanks]);
    cost.transactions += degree;
    cost.fewest++;
    cost.worst = std::max(cost.worst, degree);
  }
  return cost;
}

void Counters::end(Block& block) {
  for (size_t at = 0; at < block.statements.size(); at++) {
    Statement& statement = statements_[at / warps_];
    const Visits& visits = block.statements[at];
    uint64_t most = 0, least = ~uint64_t(0);
    each_lane(all_lanes(uint32_t(at % warps_)), [&](uint32_t lane) {
      uint64_t count = visits.of[lane];
      most = std::max(most, count);
      least = std::min(least, count);
      statement.executions += count;
      statement.threads += count > 0;
    });
    statement.warps += most;
    statement.divergent += most - least;
  }
  for (size_t at = 0; at < block.sites.size(); at++) {
    Track& track = block.sites[at];
    for (; track.head < track.requests.size(); track.head++, held_--)
      add(sites_[at / warps_], track.requests[track.head]);
  }
}

std::vector<std::string> Counters::finish(const CheckedImage& image) {
  settle();
  for (auto& [index, block] : blocks_) end(block);
  std::vector<std::string> texts;
  for (const Statement& statement : statements_) {
    if (statement.line == 0) continue;
    texts.push_back(JsonObject()
                        .text("kind", "statement")
                        .text("file", statement.file)
                        .number("line", statement.line)
                        .number("threads", int64_t(statement.threads))
                        .number("executions", int64_t(statement.executions))
                        .number("warps", int64_t(statement.warps))
                        .number("divergent", int64_t(statement.divergent))
                        .done());
  }
  std::vector<uint64_t> offsets;
  for (const Site& site : sites_) offsets.push_back(site.code - image.base() - 1);  // a return address
  std::vector<CodeLine> lines = image.lines(offsets);
  for (size_t i = 0; i < sites_.size(); i++) {
    const Site& site = sites_[i];
    texts.push_back(JsonObject()
                        .text("kind", site.is_shared ? "shared" : "global")
                        .text("file", lines[i].file)
                        .number("line", lines[i].line)
                        .boolean("isWrite", site.is_write)
                        .number("requests", int64_t(site.requests))
                        .number("transactions", int64_t(site.transactions))
                        .number("fewest", int64_t(site.fewest))
                        .number("worst", site.worst)
                        .number("contention", site.contention)
                        .number("lost", int64_t(site.lost))
                        .raw("lanes", places(site.example))
                        .number("bytes", site.example.bytes)
                        .done());
  }
  return texts;
}

}  // namespace warpcell::cpu

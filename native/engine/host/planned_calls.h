// Calls of libraries that are planned once and run often: turns tables with a row for each call into a device's
// Libraries.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../device.h"
#include "profile_log.h"

namespace warpcell {

// A call with all that can be decided beforehand.
class PlannedCall {
 public:
  // `title`: "OpenBLAS matmul", as profiles and messages name it; then what every run has.
  PlannedCall(const char* title, size_t places, size_t scalars)
      : title{title}, place_count_(places), scalar_count_(scalars) {}
  virtual ~PlannedCall() = default;
  // The request is what expect() lets pass.
  virtual void run(const RunRequest& request) = 0;
  // Throws DeviceError PROTOCOL unless a run has so many places and scalars.
  void expect(const RunRequest& request) const {
    if (request.place_count == place_count_ && request.scalar_count == scalar_count_) return;
    throw DeviceError("PROTOCOL", title.text + " takes " + counted(place_count_, scalar_count_) + " but got " +
                                      counted(request.place_count, request.scalar_count) + ".");
  }

  Planned planned{};
  ProfileLabel title;

 private:
  static std::string counted(size_t places, size_t scalars) {
    auto many = [](size_t count, const char* what) {
      return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    return many(places, "place") + " and " + many(scalars, "scalar");
  }

  size_t place_count_, scalar_count_;
};

// `Context`: what the rows of a device work with, the log of its calls among it.
template <class Context>
class PlannedCalls : public Libraries {
 public:
  struct Row {
    const char* call;
    std::unique_ptr<PlannedCall> (*plan)(Context& context, const PlanRequest& request);
  };

  using Rows = std::vector<Row>;

  // `work`: what a run is to a profile: the device's work itself, or the call that starts it.
  PlannedCalls(Context context, ProfileKind work, std::initializer_list<Rows> tables) : context_(context), work_(work) {
    for (const Rows& rows : tables) rows_.insert(rows_.end(), rows.begin(), rows.end());
  }

  Planned plan(const PlanRequest& request) override {
    for (const Row& row : rows_) {
      if (request.call != row.call) continue;
      std::shared_ptr<PlannedCall> call = row.plan(context_, request);
      Planned planned = call->planned;
      calls_[request.plan] = std::move(call);  // the one before may still run
      return planned;
    }
    throw DeviceError("UNSUPPORTED", "No library of this device does " + request.call + ".");
  }

  void run(const RunRequest& request) override {
    PlannedCall& call = *find(request);
    context_.log.timed(work_, call.title, [&] { perform(call, request); });
  }

  void release(uint32_t plan) override {
    if (calls_.erase(plan) == 0) throw unknown(plan);
  }

 protected:
  // The call of a run, whose places and scalars are what it takes.
  const std::shared_ptr<PlannedCall>& find(const RunRequest& request) const {
    auto found = calls_.find(request.plan);
    if (found == calls_.end()) throw unknown(request.plan);
    found->second->expect(request);
    return found->second;
  }

  static void perform(PlannedCall& call, RunRequest request) {
    request.host_workspace = host_workspace(call.planned.host_workspace);
    call.run(request);
  }

  Context context_;
  const ProfileKind work_;

 private:
  // One for all calls of a thread, which come one after the other: as large as the largest needs. A call needs a small
  // part of what its operands take, so that nobody misses it.
  static void* host_workspace(uint64_t bytes) {
    thread_local std::vector<std::max_align_t> memory;
    size_t count = size_t((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    if (memory.size() < count) memory = std::vector<std::max_align_t>(count);
    return memory.data();
  }

  static DeviceError unknown(uint32_t plan) {
    return DeviceError("PROTOCOL", "There is no plan " + std::to_string(plan) + ".");
  }

  Rows rows_;
  std::unordered_map<uint32_t, std::shared_ptr<PlannedCall>> calls_;
};

}  // namespace warpcell

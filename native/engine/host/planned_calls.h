// Calls of libraries that are planned once and run often: turns a table with a row for each call into a device's
// Libraries.
#pragma once
#include <initializer_list>
#include <memory>
#include <unordered_map>

#include "../device.h"
#include "profile_log.h"

namespace warpcell {

// A call with all that can be decided beforehand.
class PlannedCall {
 public:
  virtual ~PlannedCall() = default;
  virtual void run(const RunRequest& request) = 0;
  Planned planned{};
  ProfileLabel title;  // "OpenBLAS matmul": how profiles name it
};

// `Context`: what the rows of a device work with, the log of its calls among it.
template <class Context>
class PlannedCalls : public Libraries {
 public:
  struct Row {
    const char* call;
    std::unique_ptr<PlannedCall> (*plan)(Context& context, const PlanRequest& request);
  };

  // `work`: what a run is to a profile: the device's work itself, or the call that starts it.
  PlannedCalls(Context context, ProfileKind work, std::initializer_list<Row> rows)
      : context_(context), work_(work), rows_(rows) {}

  Planned plan(const PlanRequest& request) override {
    for (const Row& row : rows_) {
      if (request.call != row.call) continue;
      auto call = row.plan(context_, request);
      Planned planned = call->planned;
      calls_[request.plan] = std::move(call);
      return planned;
    }
    throw DeviceError("UNSUPPORTED", "No library of this device does " + request.call + ".");
  }

  void run(const RunRequest& request) override {
    PlannedCall& call = *find(request.plan)->second;
    context_.log.timed(work_, call.title, [&] { call.run(request); });
  }

  void release(uint32_t plan) override { calls_.erase(find(plan)); }

 protected:
  Context context_;

 private:
  using Calls = std::unordered_map<uint32_t, std::unique_ptr<PlannedCall>>;

  typename Calls::iterator find(uint32_t plan) {
    auto found = calls_.find(plan);
    if (found == calls_.end()) throw DeviceError("PROTOCOL", "There is no plan " + std::to_string(plan) + ".");
    return found;
  }

  ProfileKind work_;
  std::vector<Row> rows_;
  Calls calls_;
};

}  // namespace warpcell

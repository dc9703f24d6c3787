// Work as a graph of the driver: captured from stream 0 once, launched by one call.
#pragma once
#include <functional>
#include <vector>

#include "../../device.h"
#include "../compile/module.h"
#include "streams.h"

namespace warpcell::cuda {

class CapturedGraph final : public Captured {
 public:
  // As Device::capture takes them.
  CapturedGraph(const DriverApi& api, Modules& modules, Streams& streams, size_t count,
                const std::function<void(size_t)>& give);
  ~CapturedGraph() override;
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void launch(uint32_t stream, uint64_t sequence) override;
  void change(size_t index, const LaunchRequest& request) override;

 private:
  void capture(WorkStream& stream, size_t count, const std::function<void(size_t)>& give);

  const DriverApi& api_;
  Modules& modules_;
  Streams& streams_;
  GraphHandle graph_ = nullptr;
  GraphExecutable executable_ = nullptr;
  std::vector<GraphNode> nodes_;  // the last one of each piece
  bool prints_ = false;
};

}  // namespace warpcell::cuda

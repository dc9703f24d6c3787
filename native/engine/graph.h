// Records that are kept in the device process and run as often as one likes, by one command.
#pragma once
#include <string>
#include <vector>

#include "device.h"

namespace warpcell {

class Graph {
 public:
  // Throws DeviceError PROTOCOL for what no graph takes.
  Graph(Device& device, std::string records);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(uint32_t stream, uint64_t sequence);
  void change(const Change* changes, size_t count);

 private:
  // A record, whose places are checked and whose pointers are addresses.
  struct Piece {
    Header* header;
    LaunchRequest launch;  // of a launch
  };
  void add(Header& header);
  void give(Piece& piece, uint32_t stream, uint64_t sequence);
  Piece& changeable(const Change& change);

  Device& device_;
  std::string records_;
  std::vector<Piece> pieces_;
  std::unique_ptr<Captured> captured_;
};

}  // namespace warpcell

// Checks the records of a graph once, so that running them again is cheap.
#include "graph.h"

#include <cstring>

#include "fill_record.h"
#include "launch_record.h"
#include "run_record.h"

namespace warpcell {

namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw DeviceError("PROTOCOL", sentence); }

template <class Record>
Record& as(Header& header) {
  if (header.bytes < sizeof(Record)) refuse("A record of a graph is too short for its command.");
  return reinterpret_cast<Record&>(header);
}

}  // namespace

Graph::Graph(Device& device, std::string records) : device_(device), records_(std::move(records)) {
  for (size_t at = 0; at < records_.size();) {
    auto* header = reinterpret_cast<Header*>(&records_[at]);
    size_t left = records_.size() - at;
    if (left < sizeof(Header) || header->bytes < sizeof(Header) || header->bytes % 8 != 0 || header->bytes > left)
      refuse("A record of a graph goes beyond its end.");
    add(*header);
    at += header->bytes;
  }
  captured_ = device_.capture(pieces_.size(), [this](size_t index) { give(pieces_[index], 0, 0); });
}

void Graph::add(Header& header) {
  Piece piece{&header, {}};
  switch (header.op) {
    case Op::launch:
      piece.launch = read_launch(device_, as<Launch>(header), header.bytes);
      break;
    case Op::copy:
      as<Copy>(header);
      break;
    case Op::fill:
      read_fill(as<Fill>(header));
      break;
    case Op::run:
      as<Run>(header);
      break;
    default:
      refuse("A graph takes launches, copies, fills and runs, not command " + std::to_string(unsigned(header.op)) +
             ".");
  }
  pieces_.push_back(piece);
}

void Graph::give(Piece& piece, uint32_t stream, uint64_t sequence) {
  Header& header = *piece.header;
  switch (header.op) {
    case Op::launch: {
      LaunchRequest request = piece.launch;
      request.stream = stream;
      request.sequence = sequence;
      return device_.launch(request);
    }
    case Op::copy: {
      auto& copy = as<Copy>(header);
      return device_.copy({sequence, stream, copy.destination, copy.source, copy.size});
    }
    case Op::fill: {
      FillRequest request = read_fill(as<Fill>(header));
      request.stream = stream;
      request.sequence = sequence;
      return device_.fill(request);
    }
    default: {
      RunRequest request = read_run(as<Run>(header), header.bytes);
      request.stream = stream;
      request.sequence = sequence;
      Libraries* libraries = device_.libraries();
      if (libraries == nullptr) throw DeviceError("NO_LIBRARY", "This device has no libraries.");
      return libraries->run(request);
    }
  }
}

void Graph::launch(uint32_t stream, uint64_t sequence) {
  if (captured_ != nullptr) return captured_->launch(stream, sequence);
  for (Piece& piece : pieces_) give(piece, stream, sequence);
}

Graph::Piece& Graph::changeable(const Change& change) {
  if (change.record >= pieces_.size()) refuse("A graph has no record " + std::to_string(change.record) + ".");
  Piece& piece = pieces_[change.record];
  const LaunchRequest& launch = piece.launch;
  auto* record = reinterpret_cast<uint8_t*>(piece.header);
  bool is_argument = piece.header->op == Op::launch && change.byte % 8 == 0 &&
                     record + change.byte >= launch.arguments &&
                     change.byte + sizeof change.value <= piece.header->bytes;
  if (!is_argument) refuse("Only arguments of launches change in a graph.");
  auto* offsets = reinterpret_cast<const uint16_t*>(record + sizeof(Launch));
  uint32_t pointers = reinterpret_cast<const Launch*>(record)->pointer_count;
  for (uint32_t i = 0; i < pointers; i++) {
    if (launch.arguments + offsets[i] == record + change.byte) refuse("Pointers of launches do not change in a graph.");
  }
  return piece;
}

// Changes of one record follow each other.
void Graph::change(const Change* changes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const Change& change = changes[i];
    Piece& piece = changeable(change);
    std::memcpy(reinterpret_cast<uint8_t*>(piece.header) + change.byte, &change.value, sizeof change.value);
    bool is_last = i + 1 == count || changes[i + 1].record != change.record;
    if (is_last && captured_ != nullptr) captured_->change(change.record, piece.launch);
  }
}

}  // namespace warpcell

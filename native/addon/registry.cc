// Numbers are never reused, so a stale one is an error and not somebody else's device. It must not know JavaScript.
#include "registry.h"

#include "error.h"

namespace warpcell {

Registry& Registry::instance() {
  // Never destroyed: threads of the addon may outlive the end of main.
  static auto* registry = new Registry;
  return *registry;
}

uint32_t Registry::open(const std::string& kind, int index, const std::string& executable, const void* owner) {
  auto connection = std::make_unique<Connection>(kind, index, executable, owner);
  std::lock_guard<std::mutex> lock(mutex_);
  if (count_ == kMost) throw ClientError("TOO_MANY", "Expected fewer than " + std::to_string(kMost) + " device processes in the life of this program.");
  connections_[count_] = std::move(connection);
  return count_++;
}

void Registry::close(uint32_t number) {
  at(number);
  std::unique_ptr<Connection> closed;   // ends after the lock is gone: it waits for its thread
  std::lock_guard<std::mutex> lock(mutex_);
  closed = std::move(connections_[number]);
}

void Registry::close_all_of(const void* owner) {
  for (uint32_t number = 0; number < count_; number++) {
    if (connections_[number] && connections_[number]->owner == owner) close(number);
  }
}

Connection& Registry::at(uint32_t number) const {
  Connection* connection = number < kMost ? connections_[number].get() : nullptr;
  if (connection == nullptr) throw ClientError("CLOSED", "Expected an open device process but number " + std::to_string(number) + " is closed or was never opened.");
  return *connection;
}

void Registry::each(const std::function<void(uint32_t, Connection&)>& visit) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (uint32_t number = 0; number < count_; number++) {
    if (connections_[number]) visit(number, *connections_[number]);
  }
}

}  // namespace warpcell

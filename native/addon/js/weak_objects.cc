// Weak references of Node-API: unlike JavaScript's, which hold their targets until the end of a job, they are empty as
// soon as the collector has been there.
#include "weak_objects.h"

#include "arguments.h"

namespace warpcell {

uint64_t WeakObjects::add(Napi::Object object) {
  objects_.emplace(++last_, made(Napi::Weak(object)));
  return last_;
}

bool WeakObjects::may_have_collected() {
  if (!canary_.IsEmpty() && !is_collected(canary_)) return false;
  canary_ = made(Napi::Weak(made(Napi::Object::New(env_))));
  return true;
}

std::vector<uint64_t> WeakObjects::take_collected() {
  std::vector<uint64_t> numbers;
  for (auto entry = objects_.begin(); entry != objects_.end();) {
    if (!is_collected(entry->second)) {
      ++entry;
      continue;
    }
    numbers.push_back(entry->first);
    entry = objects_.erase(entry);
  }
  return numbers;
}

Napi::Value WeakObjects::find(uint64_t number) const {
  auto found = objects_.find(number);
  Napi::Object object = found == objects_.end() ? Napi::Object() : found->second.Value();
  return object.IsEmpty() ? env_.Null() : object;
}

bool WeakObjects::is_collected(const Napi::ObjectReference& reference) const {
  Napi::HandleScope scope(env_);
  return reference.Value().IsEmpty();
}

}  // namespace warpcell

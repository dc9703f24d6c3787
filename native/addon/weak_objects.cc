// Weak references of N-API: unlike JavaScript's, which hold their targets until the end of a job, they are empty as soon as the collector has been there.
#include "weak_objects.h"

namespace warpcell {

namespace {

napi_ref weak(napi_env env, napi_value object) {
  napi_ref reference = nullptr;
  napi_create_reference(env, object, 0, &reference);
  return reference;
}

}  // namespace

uint64_t WeakObjects::add(napi_value object) {
  objects_.emplace(++last_, weak(env_, object));
  return last_;
}

void WeakObjects::remove(uint64_t number) {
  auto found = objects_.find(number);
  if (found == objects_.end()) return;
  napi_delete_reference(env_, found->second);
  objects_.erase(found);
}

std::vector<uint64_t> WeakObjects::take_collected() {
  std::vector<uint64_t> numbers;
  if (canary_ != nullptr && !is_collected(canary_)) return numbers;
  if (canary_ != nullptr) napi_delete_reference(env_, canary_);
  napi_value canary;
  napi_create_object(env_, &canary);
  canary_ = weak(env_, canary);

  for (auto entry = objects_.begin(); entry != objects_.end();) {
    if (!is_collected(entry->second)) {
      ++entry;
      continue;
    }
    napi_delete_reference(env_, entry->second);
    numbers.push_back(entry->first);
    entry = objects_.erase(entry);
  }
  return numbers;
}

napi_value WeakObjects::find(uint64_t number) const {
  auto found = objects_.find(number);
  return found == objects_.end() ? nullptr : value(found->second);
}

bool WeakObjects::is_collected(napi_ref reference) const {
  napi_handle_scope scope;
  napi_open_handle_scope(env_, &scope);
  bool is_gone = value(reference) == nullptr;
  napi_close_handle_scope(env_, scope);
  return is_gone;
}

napi_value WeakObjects::value(napi_ref reference) const {
  napi_value object = nullptr;
  napi_get_reference_value(env_, reference, &object);
  return object;
}

}  // namespace warpcell

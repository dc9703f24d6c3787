// JavaScript objects under numbers, which does not keep them alive: tells which have been collected.
#pragma once
#include <cstdint>
#include <node_api.h>
#include <unordered_map>
#include <vector>

namespace warpcell {

class WeakObjects {
 public:
  explicit WeakObjects(napi_env env) : env_(env) {}

  uint64_t add(napi_value object);
  void remove(uint64_t number);
  // nullptr once it has been collected.
  napi_value find(uint64_t number) const;
  // The numbers of those collected since the last call, each once. Cheap when nothing can have been.
  std::vector<uint64_t> take_collected();

 private:
  bool is_collected(napi_ref reference) const;
  napi_value value(napi_ref reference) const;

  napi_env env_;
  uint64_t last_ = 0;
  std::unordered_map<uint64_t, napi_ref> objects_;
  // An object that nobody holds: as long as it lives, no collection has looked for such.
  napi_ref canary_ = nullptr;
};

}  // namespace warpcell

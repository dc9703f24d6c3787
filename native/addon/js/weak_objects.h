// JavaScript objects under numbers, which does not keep them alive: tells which have been collected.
#pragma once
#include <cstdint>
#include <napi.h>
#include <unordered_map>
#include <vector>

namespace warpcell {

class WeakObjects {
 public:
  explicit WeakObjects(Napi::Env env) : env_(env) {}

  uint64_t add(Napi::Object object);
  // Null once it has been collected.
  Napi::Value find(uint64_t number) const;
  // Whether the collector has been there since the last call; true at the first.
  bool may_have_collected();
  // The numbers of those collected, each once.
  std::vector<uint64_t> take_collected();

 private:
  bool is_collected(const Napi::ObjectReference& reference) const;

  Napi::Env env_;
  uint64_t last_ = 0;
  std::unordered_map<uint64_t, Napi::ObjectReference> objects_;
  // An object that nobody holds: as long as it lives, no collection has looked for such.
  Napi::ObjectReference canary_;
};

}  // namespace warpcell

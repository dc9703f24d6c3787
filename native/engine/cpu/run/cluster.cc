// Counts blocks by generation, as the barrier of a grid does, and asks the dynamic linker for a thread's variables.
#include "cluster.h"

#include <dlfcn.h>
#include <link.h>

#include "scheduler.h"

namespace warpcell::cpu {

Cluster::Cluster(const uint32_t (&size)[3]) {
  facts_.blocks = 1;
  for (int axis = 0; axis < 3; axis++) facts_.blocks *= facts_.size[axis] = size[axis];
}

void Cluster::enter(uint32_t rank, uint8_t* variables, uint64_t variable_bytes, uint8_t* dynamic,
                    uint64_t dynamic_bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  facts_.variables[rank] = variables;
  facts_.dynamic[rank] = dynamic;
  facts_.variable_bytes = variable_bytes;
  facts_.dynamic_bytes = dynamic_bytes;
  uint64_t mine = begun_;
  if (++entered_ == facts_.blocks) {
    entered_ = 0;
    alive_ = facts_.blocks;
    begun_++;
    changed_.notify_all();
    return;
  }
  changed_.wait(lock, [&] { return begun_ != mine; });
}

void Cluster::release() {
  waiting_ = 0;
  generation_++;
  changed_.notify_all();
}

void Cluster::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  uint64_t mine = generation_;
  if (++waiting_ == alive_) return release();
  changed_.wait(lock, [&] { return generation_ != mine; });
}

void Cluster::leave() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (--alive_ > 0 && waiting_ == alive_) release();
}

ThreadVariables thread_variables(const void* code) {
  ThreadVariables found{nullptr, 0};
  Dl_info information;
  link_map* map = nullptr;
  if (dladdr1(code, &information, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return found;
  auto* header = static_cast<const ElfW(Ehdr)*>(information.dli_fbase);
  auto* parts = reinterpret_cast<const ElfW(Phdr)*>(reinterpret_cast<const char*>(header) + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++)
    if (parts[i].p_type == PT_TLS) found.bytes = parts[i].p_memsz;
  void* block = nullptr;
  dlinfo(map, RTLD_DI_TLS_DATA, &block);  // a handle of the dynamic linker is its map
  found.address = static_cast<uint8_t*>(block);
  return found;
}

}  // namespace warpcell::cpu

const warpcell_cpu::Cluster* warpcell_cpu_cluster() noexcept {
  auto* cluster = warpcell::cpu::scheduler->cluster;
  return cluster == nullptr ? nullptr : &cluster->facts();
}
void warpcell_cpu_cluster_barrier() noexcept { warpcell::cpu::scheduler->wait_for_cluster(); }

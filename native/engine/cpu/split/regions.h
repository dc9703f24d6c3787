// The plan of a split kernel: what each thread does between two barriers, what is done once for the block, and the
// loops and branches around both.
#pragma once
#include <map>
#include <set>
#include <vector>

#include "uniformity.h"

namespace warpcell::cpu {

constexpr size_t kWhole = ~size_t(0);

// A statement, or one of the variables that it declares.
struct RegionItem {
  const Statement* statement;
  size_t variable = kWhole;
  const Exchange* hands_in = nullptr;  // only what the statement hands in to this exchange

  Range range(const KernelBody& body) const;
  // At the level of its region; not inside of its own blocks.
  std::vector<size_t> declares() const;
};

struct Region {
  enum Kind { once, threads, structure, barrier } kind;
  std::vector<RegionItem> items;         // of the first two kinds
  const Statement* statement = nullptr;  // of a structure
  std::vector<Region> first, second;     // its body; its `else`
};

class Regions {
 public:
  // Throws Kept where not every thread of a block comes to the same barriers.
  Regions(const Code& code, const KernelBody& body, const Uniformity& uniformity);

  const std::vector<Region>& nodes() const { return nodes_; }
  // Whether a variable that differs between threads is used outside of the region which declares it.
  bool crosses(size_t variable) const { return crosses_[variable]; }
  // Whether a thread may end before the others.
  bool has_ways_out() const { return has_ways_out_; }

 private:
  std::vector<Region> sequence(const std::vector<const Statement*>& statements);
  void structure(const Statement& statement, std::vector<Region>& list);
  std::vector<Region> part(const Statement& statement);
  void check_ways_out(const Statement& statement);
  void hand_in(const Statement& statement, Range range, std::vector<RegionItem>* pending) const;
  bool conflicts(const RegionItem& item, const std::vector<RegionItem>& pending) const;
  void find_crossing(const std::vector<Region>& list);

  const Code& code_;
  const KernelBody& body_;
  const Uniformity& uniformity_;
  std::vector<Region> nodes_;
  std::vector<bool> crosses_;
  std::set<size_t> waiting_loops_;   // by their first token
  std::map<size_t, Range> strided_;  // of each index its loop
  bool has_ways_out_ = false;
  bool is_whole_ = false;  // in a body that a thread may leave for the next round: it is one region
};

}  // namespace warpcell::cpu

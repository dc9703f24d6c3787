// Statements are gathered until a barrier; what can be done once for all threads comes before those that are gathered,
// unless they use what it changes.
#include "regions.h"

#include <algorithm>

namespace warpcell::cpu {

Range RegionItem::range(const KernelBody& body) const {
  if (hands_in != nullptr) return hands_in->value;
  if (variable == kWhole) return statement->range;
  const Variable& declared = body.variables()[variable];
  return {declared.declarator.first, declared.end};
}

std::vector<size_t> RegionItem::declares() const {
  if (hands_in != nullptr) return {};
  if (variable != kWhole) return {variable};
  return statement->kind == Statement::declaration ? statement->variables : std::vector<size_t>();
}

Regions::Regions(const Code& code, const KernelBody& body, const Uniformity& uniformity)
    : code_(code), body_(body), uniformity_(uniformity), crosses_(body.variables().size(), false) {
  nodes_ = part(body.body());
  // A parameter that threads change is one for each of them.
  for (size_t i = 0; i < crosses_.size(); i++)
    crosses_[i] = body.variables()[i].is_parameter && body.variables()[i].is_changed && !uniformity.is_uniform(i);
  find_crossing(nodes_);
}

std::vector<Region> Regions::sequence(const std::vector<const Statement*>& statements) {
  std::vector<Region> list;
  std::vector<RegionItem> pending;
  auto flush = [&] {
    if (pending.empty()) return;
    Region region{Region::threads, pending, nullptr, {}, {}};
    list.push_back(region);
    pending.clear();
  };
  auto once = [&](const RegionItem& item) {
    // What faults where no thread comes to must not come first.
    bool ends =
        std::any_of(pending.begin(), pending.end(), [](const RegionItem& each) { return has_jump(*each.statement); });
    if (ends || has_jump(*item.statement) || conflicts(item, pending)) flush();
    if (list.empty() || list.back().kind != Region::once) list.push_back({Region::once, {}, nullptr, {}, {}});
    list.back().items.push_back(item);
  };
  auto exchange = [&](const Statement& statement, Range range) {
    hand_in(statement, range, &pending);
    if (!body_.exchanges_in(range).empty()) flush();
  };
  for (const Statement* each : statements) {
    const Statement& statement = *each;
    if (statement.kind == Statement::empty) continue;
    if (statement.waits && !statement.exchanges) {
      flush();
      if (statement.kind == Statement::barrier)
        list.push_back({Region::barrier, {}, &statement, {}, {}});
      else
        structure(statement, list);
      continue;
    }
    if (statement.kind == Statement::shared || statement.kind == Statement::type) {
      once({&statement});
      continue;
    }
    if (statement.kind == Statement::declaration) {
      for (size_t variable : statement.variables) {
        if (statement.exchanges) exchange(statement, RegionItem{&statement, variable}.range(body_));
        if (!is_whole_ && uniformity_.is_uniform_declaration(variable))
          once({&statement, variable});
        else
          pending.push_back({&statement, variable});
      }
      continue;
    }
    if (statement.exchanges) exchange(statement, statement.range);
    if (!is_whole_ && uniformity_.is_uniform_statement(statement)) {
      once({&statement});
      continue;
    }
    check_ways_out(statement);
    pending.push_back({&statement});
  }
  flush();
  return list;
}

// What exchanges in the range ask of a thread before they answer.
void Regions::hand_in(const Statement& statement, Range range, std::vector<RegionItem>* pending) const {
  Range exchanges = body_.exchanges_in(range);
  for (size_t i = exchanges.first; i < exchanges.end; i++) {
    const Exchange& exchange = body_.exchanges()[i];
    if (!uniformity_.is_uniform_expression(exchange.width))
      throw Kept{"the width of " + code_.at(exchange.token) + " depends on the thread"};
    pending->push_back({&statement, kWhole, &exchange});
  }
}

// A declaration's variables that are done once come before the others of the same statement.
bool Regions::conflicts(const RegionItem& item, const std::vector<RegionItem>& pending) const {
  std::set<size_t> changed;
  Range range = item.range(body_), uses = body_.uses_in(range);
  for (size_t i = uses.first; i < uses.end; i++) {
    if (body_.uses()[i].changes) changed.insert(body_.uses()[i].variable);
  }
  for (const RegionItem& other : pending) {
    uses = body_.uses_in(other.range(body_));
    for (size_t i = uses.first; i < uses.end; i++) {
      if (changed.count(body_.uses()[i].variable) != 0) return true;
    }
  }
  return false;
}

void Regions::structure(const Statement& statement, std::vector<Region>& list) {
  Region node{Region::structure, {}, &statement, {}, {}};
  if (statement.is_in_turns) {
    // A thread that goes on with the next round leaves its part of this one, which is the whole body then.
    is_whole_ = has_jump(statement);
    if (!is_whole_) waiting_loops_.insert(statement.first);
    if (statement.stride) strided_[statement.stride->variable] = statement.range;
    node.first = part(statement.parts[1]);
    is_whole_ = false;
    list.push_back(node);
    return;
  }
  bool is_loop = statement.kind == Statement::counted || statement.kind == Statement::conditional ||
                 statement.kind == Statement::repeated;
  if (!uniformity_.is_uniform_expression(statement.condition)) {
    throw Kept{is_loop ? "a barrier in a loop whose condition depends on the thread"
                       : "a barrier in a branch that depends on the thread"};
  }
  if (is_loop) waiting_loops_.insert(statement.first);
  if (statement.kind == Statement::counted) {
    const Statement& begin = statement.parts[0];
    if (!uniformity_.is_uniform_statement(begin) || !uniformity_.is_uniform_expression(statement.step))
      throw Kept{"a barrier in a loop that counts differently for each thread"};
    node.first = part(statement.parts[1]);
  } else if (statement.kind == Statement::block) {
    node.first = part(statement);
  } else {
    node.first = part(statement.parts[0]);
    if (statement.parts.size() > 1) node.second = part(statement.parts[1]);
  }
  list.push_back(node);
}

// The body of a loop or a branch, which may be a single statement.
std::vector<Region> Regions::part(const Statement& statement) {
  if (statement.kind != Statement::block) return sequence({&statement});
  std::vector<const Statement*> parts;
  for (const Statement& each : statement.parts) parts.push_back(&each);
  return sequence(parts);
}

// A thread may end early; it may not leave a loop in which the others will wait.
void Regions::check_ways_out(const Statement& statement) {
  if (statement.kind == Statement::leave) has_ways_out_ = true;
  if ((statement.kind == Statement::stop || statement.kind == Statement::next) &&
      waiting_loops_.count(statement.target) != 0)
    throw Kept{"a barrier in a loop that a thread may leave before the others"};
  for (const Statement& part : statement.parts) check_ways_out(part);
}

void Regions::find_crossing(const std::vector<Region>& list) {
  for (const Region& node : list) {
    find_crossing(node.first);
    find_crossing(node.second);
    if (node.kind != Region::threads) continue;
    for (const RegionItem& item : node.items) {
      for (size_t variable : item.declares()) {
        for (const Use& use : body_.uses()) {
          if (use.variable != variable) continue;
          auto strided = strided_.find(variable);
          bool is_here = strided != strided_.end() && strided->second.contains(use.token);
          // What is handed in is named again where the answer is taken: that says its type.
          for (const RegionItem& other : node.items)
            is_here |= other.hands_in == nullptr && other.range(body_).contains(use.token);
          if (!is_here) crosses_[variable] = true;
        }
      }
    }
  }
}

}  // namespace warpcell::cpu

// A kernel becomes regions, each a loop over the threads, between what is done once for the block. What a thread keeps
// over the end of a region is computed again where that is as good, and else has a place for each thread.
#include "kernel_writer.h"

#include <algorithm>
#include <optional>
#include <set>

#include "../../host/text.h"
#include "exchange_text.h"
#include "independence.h"
#include "kernel_shape.h"
#include "known_words.h"
#include "proof_writer.h"
#include "regions.h"
#include "turns.h"

namespace warpcell::cpu {
namespace {

class Writer {
 public:
  Writer(const Code& code, const CellNames& names, const KernelText& kernel, bool has_strides, bool proves)
      : code_(code),
        names_(names),
        kernel_(kernel),
        body_(code, names, kernel),
        turns_(code, names, kernel, body_, has_strides),
        uniformity_(turns_.find()),
        regions_(code, body_, uniformity_),
        exchanges_(code, body_, regions_.has_ways_out()),
        repeated_(repeated_of(body_, uniformity_)) {
    for (size_t i = 0; i < repeated_.size(); i++) {
      if (is_kept(i)) share_++;
    }
    check_kept();
    if (proves) proof_.emplace(code, names, kernel, body_, regions_);
  }

  // Whether it is worth it in a kernel without barriers.
  bool pays() const { return turns_.pay(); }
  std::string uses() const { return proof_->accesses().uses(); }

  std::string write() {
    size_t open = kernel_.start;
    out_ += "template <unsigned warpcell_cpu_fixed";
    if (code_.is(open, "template")) {
      line(open);
      out_ += ", " + code_.text({open + 2, code_.behind_angles(open + 1)}) + " ";
    } else {
      out_ += "> ";
    }
    out_ += "WARPCELL_CPU_SPLIT_KERNEL warpcell_cpu_split_" + kernel_.name + "(";
    if (!kernel_.parameters.empty()) {
      line(kernel_.parameters.first);
      out_ += code_.text(kernel_.parameters);
    }
    out_ += ") { WARPCELL_CPU_SPLIT_BEGIN ";
    if (proof_) out_ += proof_->beginning();
    if (regions_.has_ways_out()) {
      out_ += "bool warpcell_cpu_alive[1024]; __builtin_memset(warpcell_cpu_alive, 1, warpcell_cpu_threads); ";
    }
    for (size_t i = 0; i < body_.variables().size(); i++) {
      const Variable& variable = body_.variables()[i];
      if (!variable.is_parameter || !is_kept(i)) continue;
      out_ += "::warpcell_cpu::PerThread<decltype(" + variable.name + "), " + std::to_string(share_) + "> " + place(i) +
              "; WARPCELL_CPU_THREADS(ORDERED) { WARPCELL_CPU_THREAD ::warpcell_cpu::keep(" + lane(i) + ", " +
              variable.name + "); } ";
    }
    nodes(regions_.nodes());
    out_ += "}";
    return out_;
  }

 private:
  bool is_kept(size_t variable) const { return regions_.crosses(variable) && !repeated_[variable]; }

  // What is kept has a type that can be written down, and no more than its bytes.
  void check_kept() const {
    for (size_t i = 0; i < body_.variables().size(); i++) {
      const Variable& variable = body_.variables()[i];
      if (!is_kept(i)) continue;
      if (variable.is_reference) throw Kept{"the reference " + variable.name + " is used behind a barrier"};
      if (variable.is_automatic) throw Kept{"the auto variable " + variable.name + " is used behind a barrier"};
      for (size_t k = variable.specifiers.first; k < variable.specifiers.end; k++) {
        if (code_.is(k, "constexpr") || code_.is(k, "register"))
          throw Kept{"the variable " + variable.name + " is used behind a barrier"};
      }
    }
  }

  std::string place(size_t variable) const {
    return "warpcell_cpu_kept_" + body_.variables()[variable].name + "_" + std::to_string(variable);
  }
  std::string lane(size_t variable) const {
    std::string lanes = place(variable) + ".lane";
    return (proof_ ? "::warpcell_cpu::proof::lanes(" + lanes + ")" : lanes) + "[warpcell_cpu_t]";
  }

  // `unsigned int[4]` of `const unsigned int name[4]`.
  std::string type_of(const Variable& variable) const {
    std::string type;
    for (size_t i = variable.specifiers.first; i < variable.specifiers.end; i++) {
      if (code_.is(i, "const") && !variable.is_pointer) continue;
      type += code_.at(i) + " ";
    }
    for (size_t i = variable.declarator.first; i < variable.declared; i++) {
      bool is_last = i + 1 == variable.declared;
      if (!(is_last && code_.is(i, "const")) && !code_.is(i, "__restrict__")) type += code_.at(i) + " ";
    }
    return type + code_.text({variable.declared + 1, variable.declarator.end});
  }

  void line(size_t token) { out_ += "\n#line " + std::to_string(code_.line(token)) + "\n"; }

  void nodes(const std::vector<Region>& list) {
    for (const Region& node : list) {
      if (node.kind == Region::once)
        once(node);
      else if (node.kind == Region::threads)
        threads(node);
      else if (node.kind == Region::barrier)
        out_ += proof_ ? proof_->barrier() : "";
      else
        structure(node);
    }
  }

  void once(const Region& node) {
    for (const RegionItem& item : node.items) {
      Range range = item.statement->range;
      line(range.first);
      if (item.statement->exchanges)
        answered(item);
      else
        out_ += item.variable == kWhole ? text(range) + " " : declaration(item.variable) + " ";
      if (proof_ && item.statement->kind == Statement::shared) out_ += proof_->beside(*item.statement);
    }
  }

  std::string declaration(size_t variable) const {
    const Variable& declared = body_.variables()[variable];
    return code_.text(declared.specifiers) + " " + text({declared.declarator.first, declared.end}) + ";";
  }

  // A statement that is done once, with what all threads of the block were asked.
  void answered(const RegionItem& item) {
    if (item.variable == kWhole) return copy(item.statement->range);
    const Variable& variable = body_.variables()[item.variable];
    out_ += code_.text(variable.specifiers) + " ";
    copy({variable.declarator.first, variable.end});
    out_ += "; ";
  }

  void structure(const Region& node) {
    const Statement& statement = *node.statement;
    if (statement.kind == Statement::block) {
      out_ += "{ ";
      nodes(node.first);
      out_ += "} ";
      return;
    }
    if (statement.kind == Statement::repeated) {
      line(statement.first);
      out_ += "do { ";
      nodes(node.first);
      line(statement.condition.first);
      out_ += "} while (" + text(statement.condition) + "); ";
      return;
    }
    bool begins_rows = statement.is_in_turns && !in_rows_;
    if (begins_rows) {
      in_rows_ = true;
      out_ += "WARPCELL_CPU_ROWS { ";
    }
    if (statement.is_in_turns) header_values(statement);
    if (statement.stride) {
      strided(node, *statement.stride);
      out_ += begins_rows ? "} } " : "} ";
      if (begins_rows) in_rows_ = false;
      return;
    }
    // `if (…)`, `while (…)`, `for (…; …; …)`.
    size_t close = statement.kind == Statement::counted ? statement.step.end : statement.condition.end;
    line(statement.first);
    out_ += text({statement.first, close + 1}) + " { ";
    nodes(node.first);
    out_ += "} ";
    if (statement.is_in_turns) out_ += "} ";
    if (begins_rows) {
      in_rows_ = false;
      out_ += "} ";
    }
    if (statement.parts.size() < 2 || statement.kind != Statement::branch) return;
    out_ += "else { ";
    nodes(node.second);
    out_ += "} ";
  }

  // What the header of a loop over rows computes again. Opens a block.
  void header_values(const Statement& loop) {
    out_ += "{ WARPCELL_CPU_THREAD_OF_ROW(warpcell_cpu_from) ";
    Range begin = loop.parts[0].range;
    std::vector<Range> ranges = {begin, loop.condition, loop.step};
    if (loop.stride) ranges = {loop.condition, loop.step};
    repeat(ranges);
  }

  void repeat(const std::vector<Range>& ranges) {
    std::set<size_t> used;
    std::vector<Range> left = ranges;
    while (!left.empty()) {
      Range uses = body_.uses_in(left.back());
      left.pop_back();
      for (size_t i = uses.first; i < uses.end; i++) {
        size_t variable = body_.uses()[i].variable;
        if (repeated_[variable] && !uniformity_.is_uniform(variable) && used.insert(variable).second)
          left.push_back(body_.variables()[variable].initial);
      }
    }
    for (size_t variable : used) {
      line(body_.variables()[variable].declared);
      out_ += "[[maybe_unused]] " + declaration(variable) + " ";
    }
  }

  // Rounds in which the threads of a row go on together: the loop is that of the first of them.
  void strided(const Region& node, const Stride& stride) {
    const Statement& loop = *node.statement;
    const Variable& index = body_.variables()[stride.variable];
    std::string initial = text(stride.initial), bound = text(stride.bound);
    out_ +=
        "const auto warpcell_cpu_start = [&](unsigned warpcell_cpu_at) { "
        "WARPCELL_CPU_THREAD_OF_ROW(warpcell_cpu_at) ";
    repeat({stride.initial});
    line(stride.initial.first);
    out_ += code_.text(index.specifiers) + " " + index.name + " = " + initial + "; return " + index.name + "; }; ";
    line(loop.first);
    out_ += "WARPCELL_CPU_TOGETHER((" + bound + "), (" + text(stride.step) + ")) for (auto " + index.name +
            " = warpcell_cpu_start(warpcell_cpu_first); " + text(loop.condition) + "; " + text(loop.step) +
            ") { WARPCELL_CPU_ROUND(" + (stride.includes_bound ? "true" : "false") + ", " + index.name + ", (" + bound +
            "), " + std::to_string(stride.variable) + ") ";
    strides_.push_back(stride.variable);
    nodes(node.first);
    strides_.pop_back();
    out_ += "} ";
  }

  void threads(const Region& node) {
    for (const RegionItem& item : node.items) {
      for (size_t variable : item.declares()) {
        if (!is_kept(variable)) continue;
        line(item.statement->first);
        out_ += "::warpcell_cpu::PerThread<" + type_of(body_.variables()[variable]) + ", " + std::to_string(share_) +
                "> " + place(variable) + "; ";
      }
    }
    for (const RegionItem& item : node.items) {
      if (item.hands_in != nullptr) out_ += exchanges_.room(*item.hands_in);
    }
    bool leaves = false;
    std::set<size_t> used = used_in(node, &leaves);
    bool is_ordered = !is_independent_region(node);
    if (proof_) out_ += proof_->region(node);
    out_ += std::string(in_rows_ ? "WARPCELL_CPU_ROW(" : "WARPCELL_CPU_THREADS(") +
            (is_ordered ? "ORDERED"
             : proof_   ? "PROVEN"
                        : "INDEPENDENT") +
            ") { WARPCELL_CPU_THREAD ";
    if (proof_) out_ += "WARPCELL_CPU_PROOF_THREAD ";
    if (regions_.has_ways_out()) out_ += "if (!warpcell_cpu_alive[warpcell_cpu_t]) continue; ";
    if (asks_for_thread(node)) out_ += "::threadIdx = threadIdx; ";
    for (size_t variable : used) {
      const Variable& known = body_.variables()[variable];
      if (is_index(variable)) {
        out_ += "WARPCELL_CPU_INDEX(" + known.name + ", " + std::to_string(variable) + ") ";
      } else if (repeated_[variable]) {
        line(known.declared);
        out_ += "[[maybe_unused]] " + declaration(variable) + " ";
      } else {
        out_ += reference(variable);
      }
    }
    out_ += "{ ";
    for (const RegionItem& item : node.items) write_item(item);
    out_ += "} ";
    if (leaves) out_ += "warpcell_cpu_next_" + std::to_string(count_++) + ": ; ";
    out_ += "} ";
    if (proof_) out_ += "WARPCELL_CPU_PROOF_REGION_END ";
    for (const RegionItem& item : node.items) {
      if (item.hands_in != nullptr) out_ += exchanges_.who_was_there(*item.hands_in);
    }
    if (leaves) out_ += "if (!::warpcell_cpu::any(warpcell_cpu_alive, warpcell_cpu_threads)) return; ";
  }

  // Of a loop around here.
  bool is_index(size_t variable) const {
    return std::find(strides_.begin(), strides_.end(), variable) != strides_.end();
  }

  std::string reference(size_t variable) const {
    const Variable& known = body_.variables()[variable];
    return std::string("[[maybe_unused]] ") + (known.is_constant ? "const " : "") + "auto& " + known.name + " = " +
           lane(variable) + "; ";
  }

  bool is_declared_in(const Region& node, size_t variable) const {
    for (const RegionItem& item : node.items) {
      if (item.range(body_).contains(body_.variables()[variable].declared)) return true;
    }
    return false;
  }

  // What a region uses of the variables that were declared before it, with what these are computed from.
  std::set<size_t> used_in(const Region& node, bool* leaves) const {
    std::set<size_t> used, own;
    std::vector<Range> ranges;
    for (const RegionItem& item : node.items) {
      for (size_t variable : item.declares()) own.insert(variable);
      ranges.push_back(item.range(body_));
      *leaves |= contains(*item.statement, Statement::leave);
    }
    while (!ranges.empty()) {
      Range uses = body_.uses_in(ranges.back());
      ranges.pop_back();
      for (size_t i = uses.first; i < uses.end; i++) {
        size_t variable = body_.uses()[i].variable;
        bool is_needed = regions_.crosses(variable) || repeated_[variable] || is_index(variable);
        bool is_inside = !regions_.crosses(variable) && is_declared_in(node, variable);
        if (!is_needed || is_inside || own.count(variable) != 0 || !used.insert(variable).second) continue;
        if (repeated_[variable]) ranges.push_back(body_.variables()[variable].initial);
      }
    }
    return used;
  }

  void write_item(const RegionItem& item) {
    line(item.statement->range.first);
    if (item.hands_in != nullptr) {
      out_ += exchanges_.hand_in(*item.hands_in);
      return;
    }
    if (item.variable == kWhole) {
      copy(item.statement->range);
      return;
    }
    const Variable& variable = body_.variables()[item.variable];
    if (!is_kept(item.variable)) {
      Range whole = {variable.declarator.first, variable.end};
      out_ += "[[maybe_unused]] " + code_.text(variable.specifiers) + " ";
      copy(whole);
      out_ += "; ";
      return;
    }
    if (!variable.initial.empty() || variable.end != variable.declarator.end) {
      out_ += "{ " + code_.text(variable.specifiers) + " ";
      copy({variable.declarator.first, variable.end});
      out_ += "; ::warpcell_cpu::keep(" + lane(item.variable) + ", " + variable.name + "); } ";
    }
    out_ += reference(item.variable);
  }

  // The text of a range, with `return` as a way to the end of the thread's part, and atomic functions of shared memory
  // as what they are where nothing runs beside them.
  void copy(Range range) { out_ += written(range) + " "; }

  // Of a range in which nothing leaves the thread's part.
  std::string text(Range range) const { return proof_ ? written(range) : code_.text(range); }

  std::string written(Range range) const {
    if (range.empty()) return "";
    std::string result;
    size_t from = code_.token(range.first).at;
    const std::string& source = code_.source();
    auto replace = [&](size_t first, size_t last, const std::string& text) {
      result += source.substr(from, code_.token(first).at - from) + text;
      from = code_.token(last).end;
    };
    for (size_t i = range.first; i < range.end; i++) {
      if (proof_) {
        result += source.substr(from, code_.token(i).at - from) + proof_->accesses().before(i);
        from = code_.token(i).at;
      }
      if (code_.is(i, "return") && code_.is(i + 1, ";")) {
        replace(
            i, i + 1,
            "{ warpcell_cpu_alive[warpcell_cpu_t] = false; goto warpcell_cpu_next_" + std::to_string(count_) + "; }");
        i++;
      } else if (const Exchange* exchange = body_.exchange_at(i)) {
        replace(i, exchange->end - 1, exchanges_.answer(*exchange));
        i = exchange->end - 1;
      } else if (is_atomic(code_.at(i)) && is_of_shared(i)) {
        std::string name = code_.at(i);
        replace(i, i, "::warpcell_cpu::alone::" + name.substr(0, name.find('_')));
      } else if (const MemoryAccess* access = proof_ ? proof_->accesses().at(i) : nullptr) {
        replace(i, access->end - 1, looked_at(*access));
        i = access->end - 1;
      }
    }
    result += source.substr(from, code_.token(range.end - 1).end - from);
    return proof_ && proof_->accesses().is_open(range) ? result + ")" : result;
  }

  // atomicAdd(&name[…], …), atomicAdd(name + …, …) with `name` in shared memory.
  bool is_of_shared(size_t i) const {
    std::string name = code_.at(i);
    name = name.substr(0, name.find('_'));
    if (name == "atomicInc" || name == "atomicDec" || is_lock(name) || !code_.is(i + 1, "(")) return false;
    bool is_address = code_.is(i + 2, "&");
    size_t at = i + (is_address ? 3 : 2);
    const Use* use = body_.use_at(at);
    if (use == nullptr || !body_.variables()[use->variable].is_shared) return false;
    const Variable& variable = body_.variables()[use->variable];
    if (!is_address) return variable.is_array && (code_.is(at + 1, ",") || code_.is(at + 1, "+"));
    size_t k = at + 1;
    while (code_.is(k, "[")) k = code_.closing(k) + 1;
    return code_.is(k, ",");
  }

  std::string looked_at(const MemoryAccess& access) const {
    std::string indices;
    for (Range index : access.indices) indices += ", (" + written(index) + ")";
    return proof_->call(access, indices);
  }

  static bool contains(const Statement& statement, Statement::Kind kind) {
    if (statement.kind == kind) return true;
    for (const Statement& part : statement.parts) {
      if (contains(part, kind)) return true;
    }
    return false;
  }

  // Whether a function that is called wants to know its thread.
  bool asks_for_thread(const Region& node) const {
    for (const RegionItem& item : node.items) {
      Range range = item.range(body_);
      for (size_t i = range.first; i < range.end; i++) {
        std::string word = code_.at(i);
        if (word == "assert" || (names_.is_function(word) && names_.asks_for_thread(word))) return true;
        if (code_.is_name(i) && names_.macro(word) != nullptr && names_.asks_for_thread(word)) return true;
        const Use* use = body_.use_at(i);
        if (use != nullptr && code_.is(i + 1, "(") && names_.asks_for_thread("operator")) return true;
      }
    }
    return names_.is_function("operator") && names_.asks_for_thread("operator");
  }

  bool is_independent_region(const Region& node) const {
    for (const RegionItem& item : node.items) {
      if (!is_independent(code_, names_, body_, item.range(body_), false)) return false;
    }
    return true;
  }

  const Code& code_;
  const CellNames& names_;
  const KernelText& kernel_;
  KernelBody body_;
  Turns turns_;
  Uniformity uniformity_;
  Regions regions_;
  ExchangeText exchanges_;
  std::vector<bool> repeated_;
  size_t share_ = 0;
  std::optional<ProofWriter> proof_;
  bool in_rows_ = false;         // inside of a loop over rows of threads
  std::vector<size_t> strides_;  // the indices of the loops around, of those in which threads stand side by side
  size_t count_ = 0;             // of regions that a thread may leave
  std::string out_;
};

}  // namespace

// Nothing where it would not pay. What is kept for the sake of strides may be what cannot be kept.
std::string split_kernel(const Code& code, const CellNames& names, const KernelText& kernel, bool waits,
                         bool with_plain) {
  try {
    Writer writer(code, names, kernel, true, false);
    return waits || writer.pays() || (with_plain && is_plain(code, kernel)) ? writer.write() : "";
  } catch (const Kept&) {
    if (!waits) throw;
    return Writer(code, names, kernel, false, false).write();
  }
}

ProvingKernel proving_kernel(const Code& code, const CellNames& names, const KernelText& kernel) {
  Writer writer(code, names, kernel, false, true);
  return {writer.write(), writer.uses()};
}

}  // namespace warpcell::cpu

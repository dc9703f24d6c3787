// Reads PTX instruction by instruction; ptx_words.h says of each what it is in C++, in the words of warpcell_cpu/ptx.h.
// (PTX ISA, "Instruction Set".)
#include "ptx_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "../../host/text.h"
#include "ptx_words.h"

namespace warpcell::cpu {
namespace {

using Words = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// At `mark`s that no bracket or brace holds.
Words split(const std::string& text, char mark) {
  Words parts;
  std::string part;
  int depth = 0;
  for (char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == mark && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

class Reader {
 public:
  Reader(const std::vector<std::string>& operands, const std::map<std::string, std::string>& named)
      : operands_(operands), named_(named) {}

  PtxText read(const std::string& ptx) {
    std::string instruction;
    int scopes = 0;
    for (size_t at = 0; at < ptx.size() && refused_.empty(); at++) {
      if (ptx.compare(at, 2, "//") == 0) {
        at = std::min(ptx.find('\n', at), ptx.size());
        continue;
      }
      bool is_scope = (ptx[at] == '{' || ptx[at] == '}') && trimmed(instruction).empty();
      if (is_scope) {
        scopes += ptx[at] == '{' ? 1 : -1;
        out_ += std::string(1, ptx[at]) + " ";
        if (scopes < 0) break;
      } else if (ptx[at] == ';') {
        statement(std::exchange(instruction, ""));
      } else {
        instruction += ptx[at];
      }
    }
    if (refused_.empty() && !trimmed(instruction).empty()) statement(instruction);
    if (refused_.empty() && scopes != 0) refused_ = "a brace without its partner";
    return {out_, refused_};
  }

 private:
  // Whether the instruction begins with these parts.
  bool is(const char* name) const {
    std::string whole = trimmed(name);
    return opcode_ == whole || starts_with(opcode_, whole + ".");
  }
  bool has(const std::string& part) const { return std::find(parts_.begin(), parts_.end(), part) != parts_.end(); }
  std::string type(size_t from_the_end = 0) const {
    size_t seen = 0;
    for (size_t i = parts_.size(); i-- > 0;) {
      auto found = kTypes.find(parts_[i]);
      if (found != kTypes.end() && seen++ == from_the_end) return found->second;
    }
    return "";
  }
  bool is_float() const { return has("f32") || has("f64"); }

  std::string name(const std::string& text) {
    auto found = locals_.find(text);
    if (found != locals_.end()) return found->second;
    refused_ = opcode_;
    return text;
  }

  // A source as C++; `as`: the type it is read as.
  std::string value(const std::string& text, const std::string& as) {
    return as.empty() ? plain(text) : "ptx::get<" + as + ">(" + plain(text) + ")";
  }
  std::string plain(const std::string& text) {
    if (text.empty()) return refuse();
    if (text[0] == '!') return "!" + plain(text.substr(1));
    if (text[0] == '%') return register_of(text.substr(text[1] == '%' ? 2 : 1));
    if (starts_with(text, "0f") || starts_with(text, "0F")) return "from_bits<float>(0x" + text.substr(2) + "u)";
    if (starts_with(text, "0d") || starts_with(text, "0D")) return "from_bits<double>(0x" + text.substr(2) + "ull)";
    if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') {
      std::string digits = text;
      if (digits.back() == 'U') digits.pop_back();
      return digits + (digits[0] == '-' ? "ll" : "ull");
    }
    return name(text);
  }
  std::string register_of(const std::string& text) {
    if (std::isdigit(static_cast<unsigned char>(text[0]))) {
      size_t index = std::strtoul(text.c_str(), nullptr, 10);
      return index < operands_.size() ? operands_[index] : refuse();
    }
    if (text[0] == '[') {
      auto found = named_.find(text.substr(1, text.find(']') - 1));
      return found == named_.end() ? refuse() : found->second;
    }
    auto special = kRegisters.find(text);
    if (special != kRegisters.end()) return special->second;
    size_t dot = text.find('.');
    auto index = kIndices.find(text.substr(0, dot));
    if (index != kIndices.end() && dot != std::string::npos) return index->second + text.substr(dot);
    return name("%" + text);
  }
  std::string refuse() {
    if (refused_.empty()) refused_ = opcode_;
    return "0";
  }

  // "[address + offset]" as a pointer to that type.
  std::string pointer(const std::string& text, const std::string& to) {
    if (text.size() < 3 || text[0] != '[') return refuse();
    std::string inside = text.substr(1, text.size() - 2), offset = "0";
    size_t plus = inside.find('+');
    if (plus != std::string::npos) {
      offset = trimmed(inside.substr(plus + 1));
      inside = trimmed(inside.substr(0, plus));
    }
    return std::string("ptx::") + (has("shared") ? "shared" : "global") + "<" + to + ">(" + plain(inside) + ", " +
           offset + ")";
  }

  void set(const std::string& target, const std::string& expression) {
    if (target != "_") out_ += "ptx::set(" + plain(target) + ", " + expression + "); ";
  }

  void statement(const std::string& text) {
    std::string line = trimmed(text);
    if (line.empty()) return;
    if (line[0] == '@') {
      size_t end = line.find_first_of(" \t\n");
      opcode_ = line.substr(0, end);
      out_ += "if (" + plain(opcode_.substr(1)) + ") { ";
      if (end != std::string::npos) statement(line.substr(end));
      out_ += "} ";
      return;
    }
    size_t end = line.find_first_of(" \t\n");
    opcode_ = line.substr(0, end);
    parts_ = split(opcode_, '.');
    Words operands = end == std::string::npos ? Words() : split(line.substr(end), ',');
    if (opcode_ == ".reg" && end != std::string::npos) return declare(trimmed(line.substr(end)));
    if (!instruction(operands)) refuse();
  }

  // ".pred p, q", ".b32 t<4>"
  void declare(const std::string& text) {
    size_t end = text.find_first_of(" \t");
    auto found = text[0] == '.' ? kTypes.find(text.substr(1, end - 1)) : kTypes.end();
    if (found == kTypes.end() || end == std::string::npos) {
      refuse();
      return;
    }
    for (const std::string& each : split(text.substr(end), ',')) {
      size_t open = each.find('<');
      size_t count = open == std::string::npos ? 1 : std::strtoul(each.c_str() + open + 1, nullptr, 10);
      if (count > 4096) {
        refuse();
        return;
      }
      for (size_t i = 0; i < count; i++) {
        std::string local = open == std::string::npos ? each : each.substr(0, open) + std::to_string(i);
        std::string cpp = "warpcell_cpu_ptx_" + std::to_string(locals_.size());
        locals_[local] = cpp;
        out_ += found->second + " " + cpp + "{}; ";
      }
    }
  }

  bool instruction(const Words& o) {
    for (const std::string& nothing : kNothing)
      if (is(nothing.c_str())) return true;
    auto fixed = kStatements.find(parts_[0]);
    if (fixed != kStatements.end()) {
      out_ += fixed->second + " ";
      return true;
    }
    const std::string& base = parts_[0];
    if (base == "ld" || base == "ldu") return o.size() == 2 && load(o);
    if (base == "st") return o.size() == 2 && store(o);
    if (base == "atom" || base == "red") return atomic(o);
    if (base == "mov" && o.size() == 2 && (o[0][0] == '{' || o[1][0] == '{')) return pack(o);
    if (base == "setp" && o.size() == 3) return compare(o);
    if (base == "selp" && o.size() == 4)
      return assign(o[0], value(o[3], "bool") + " ? " + value(o[1], type()) + " : " + value(o[2], type()));
    if (base == "cvt" && o.size() == 2) return convert(o);
    if (base == "cvta" && o.size() == 2) return address(o);
    if (is("mul.wide") || is("mad.wide")) return wide(o);
    if (base == "popc" || base == "clz" || base == "bfind")
      return o.size() == 2 && assign(o[0], "ptx::" + base + "(" + value(o[1], type()) + ")");
    if (base == "dp4a" && o.size() == 4) {
      std::string as = type();
      return assign(o[0], "__dp4a(" + value(o[1], as) + ", " + value(o[2], as) + ", " + value(o[3], as) + ")");
    }
    if (is("shfl.sync")) return o.size() == 5 && shuffle(o);
    if (is("vote.sync")) return parts_.size() > 3 && o.size() == 3 && vote(o);
    if (is("match.any.sync") && o.size() == 3)
      return assign(o[0], "__match_any_sync(" + value(o[2], "unsigned") + ", " + value(o[1], type()) + ")");
    if (is("redux.sync") && parts_.size() > 3 && o.size() == 3)
      return assign(o[0],
                    "__reduce_" + parts_[2] + "_sync(" + value(o[2], "unsigned") + ", " + value(o[1], type()) + ")");
    if (is("activemask")) return o.size() == 1 && assign(o[0], "__activemask()");
    if ((is("bar.sync") || is("barrier.sync")) && o.size() == 1 && o[0] == "0") return add("__syncthreads(); ");
    if (is("bar.warp.sync") && o.size() == 1) return add("__syncwarp(" + value(o[0], "unsigned") + "); ");
    if (is("nanosleep") && o.size() == 1) return add("__nanosleep(" + value(o[0], "unsigned") + "); ");
    if (is("cp.async.ca.shared") || is("cp.async.cg.shared")) return copy(o);
    if (has("cc") || base == "addc" || base == "subc") return o.size() == 3 && carried(o);
    return table(o);
  }

  bool add(const std::string& text) {
    out_ += text;
    return true;
  }
  bool assign(const std::string& target, const std::string& expression) {
    set(target, expression);
    return true;
  }

  bool table(const Words& o) {
    std::string as = type(), base = parts_[0];
    if (as.empty() || o.size() < 2) return false;
    bool is_real = is_float();
    std::string rounding = has("rz") ? "rz" : has("rm") ? "rd" : has("rp") ? "ru" : "";
    const std::map<std::string, std::string>& rows =
        is_real && kFloatExpressions.count(base) ? kFloatExpressions : kExpressions;
    auto found = rows.find(base);
    for (size_t count = std::min<size_t>(parts_.size(), 3); found == rows.end() && count > 1; count--) {
      std::string longer = base;
      for (size_t i = 1; i < count; i++) longer += "." + parts_[i];
      found = rows.find(longer);
    }
    if (found == rows.end()) return false;
    std::string expression = found->second;
    if (is_real && !rounding.empty()) {
      std::string letter = has("f32") ? "f" : "d";
      if (base == "fma")
        expression = std::string(has("f32") ? "__fmaf_" : "__fma_") + rounding + "(a, b, c)";
      else if (kRounded.count(base))
        expression = "__" + letter + base + "_" + rounding + (o.size() == 3 ? "(a, b)" : "(a)");
      else
        return false;
    }
    if (has("sat")) {
      if (!has("f32")) return false;
      expression = "__saturatef(" + expression + ")";
    }
    static const char* const names[] = {"a", "b", "c", "d"};
    if (o.size() > 5) return false;
    std::string parameters, arguments;
    for (size_t i = 1; i < o.size(); i++) {
      // Amounts of shifts, places and tables are 32 bits, whatever is shifted.
      bool is_amount = ((base == "shl" || base == "shr") && i == 2) || (base == "bfe" && i > 1) ||
                       (base == "bfi" && i > 2) || (base == "lop3" && i == 4);
      parameters +=
          (i > 1 ? ", [[maybe_unused]] " : "[[maybe_unused]] ") + (is_amount ? "unsigned" : as) + " " + names[i - 1];
      arguments += (i > 1 ? ", " : "") + value(o[i], is_amount ? "unsigned" : as);
    }
    set(o[0], "[&](" + parameters + ") { using T [[maybe_unused]] = " + as +
                  "; using U [[maybe_unused]] = ptx::Unsigned<T>; return " + expression + "; }(" + arguments + ")");
    return true;
  }

  bool wide(const Words& o) {
    std::string as = type(), twice = has("s32")   ? "ptx::s64"
                                     : has("u32") ? "ptx::u64"
                                     : has("s16") ? "int"
                                                  : "unsigned";
    if (o.size() < 3 || as.empty()) return false;
    std::string product = twice + "(" + value(o[1], as) + ") * " + twice + "(" + value(o[2], as) + ")";
    return assign(o[0], o.size() == 4 ? "(" + product + ") + " + value(o[3], twice) : product);
  }

  // The carry lives as long as the statement.
  bool carried(const Words& o) {
    bool takes = parts_[0] == "addc" || parts_[0] == "subc", adds = parts_[0][0] == 'a';
    if (parts_[0] != "add" && parts_[0] != "sub" && !takes) return false;
    if (!has_carry_) out_ = "[[maybe_unused]] unsigned warpcell_cpu_carry = 0; " + out_;
    has_carry_ = true;
    return assign(o[0], std::string("ptx::") + (adds ? "add" : "subtract") + "_carried<" + type() + ">(" +
                            value(o[1], type()) + ", " + value(o[2], type()) + ", " + (takes ? "true" : "false") +
                            ", warpcell_cpu_carry)");
  }

  Words vector_of(const std::string& text) {
    return text[0] == '{' ? split(text.substr(1, text.size() - 2), ',') : Words{text};
  }
  bool load(const Words& o) {
    std::string as = type();
    if (as.empty()) return false;
    Words targets = vector_of(o[0]);
    std::string from = pointer(o[1], as),
                mode = has("acquire") || has("relaxed") || has("volatile") || has("mmio") ? "fresh" : "load";
    out_ += "{ const auto warpcell_cpu_from = " + from + "; ";
    for (size_t i = 0; i < targets.size(); i++) {
      std::string local = "warpcell_cpu_value" + std::to_string(i);
      out_ += "const auto " + local + " = ptx::" + mode + "(warpcell_cpu_from + " + std::to_string(i) + "); ";
    }
    for (size_t i = 0; i < targets.size(); i++) set(targets[i], "warpcell_cpu_value" + std::to_string(i));
    out_ += "} ";
    return true;
  }
  bool store(const Words& o) {
    std::string as = type();
    if (as.empty()) return false;
    Words sources = vector_of(o[1]);
    std::string mode = has("release") || has("relaxed") || has("volatile") || has("mmio") ? "publish" : "store";
    for (size_t i = 0; i < sources.size(); i++)
      out_ +=
          "ptx::" + mode + "(" + pointer(o[0], as) + " + " + std::to_string(i) + ", " + value(sources[i], as) + "); ";
    return true;
  }

  bool atomic(const Words& o) {
    bool returns = parts_[0] == "atom";
    std::string as = type();
    size_t place = returns ? 1 : 0;
    auto found = kAtomics.end();
    for (const std::string& part : parts_)
      if (kAtomics.count(part)) found = kAtomics.find(part);
    if (found == kAtomics.end() || as.empty() || o.size() < place + 2) return false;
    if (as == "ptx::s64") as = "ptx::u64";  // sums and swaps have the same bits
    std::string call = found->second + "(" + pointer(o[place], as);
    for (size_t i = place + 1; i < o.size(); i++) call += ", " + value(o[i], as);
    if (has("s64") && (has("min") || has("max"))) return false;
    return returns ? assign(o[0], call + ")") : add(call + "); ");
  }

  // mov.b64 d, {low, high}; mov.b64 {low, high}, a.
  bool pack(const Words& o) {
    Words targets = vector_of(o[0]), sources = vector_of(o[1]);
    if (targets.size() == 2 && sources.size() == 1) {
      std::string whole = type(), half = whole == "unsigned" ? "ushort" : "unsigned";
      out_ += "{ const auto warpcell_cpu_whole = " + value(sources[0], whole) + "; ";
      for (size_t i = 0; i < 2; i++)
        set(targets[i], half + "(warpcell_cpu_whole >> " + std::to_string(i * (half == "unsigned" ? 32 : 16)) + ")");
      out_ += "} ";
      return true;
    }
    if (targets.size() != 1 || sources.size() != 2) return false;
    std::string whole = type(), half = whole == "unsigned" ? "ushort" : "unsigned";
    return assign(targets[0], whole + "(" + value(sources[0], half) + ") | " + whole + "(" + value(sources[1], half) +
                                  ") << " + (half == "unsigned" ? "32" : "16"));
  }

  bool compare(const Words& o) {
    if (parts_.size() < 3 || type().empty()) return false;
    auto found = kComparisons.find(parts_[1]);
    if (found == kComparisons.end()) return false;
    Words targets = split(o[0], '|');
    std::string holds = value(o[1], type()) + " " + found->second + " " + value(o[2], type());
    if (targets.size() == 2) set(targets[1], "!(" + holds + ")");
    return assign(targets[0], holds);
  }

  bool convert(const Words& o) {
    std::string from = type(0), to = type(1);
    if (from.empty() || to.empty() || has("sat")) return false;
    bool is_real = from == "float" || from == "double";
    std::string source = value(o[1], from);
    bool to_whole = to != "float" && to != "double";
    if (is_real && (has("rni") || has("rmi") || has("rpi") || has("rzi"))) {
      const char* function = has("rni") ? "::rint" : has("rmi") ? "::floor" : has("rpi") ? "::ceil" : "::trunc";
      source = from + "(" + function + "(" + source + "))";
    } else if (is_real && to_whole) {
      return false;
    }
    if (has("rz") || has("rm") || has("rp")) return false;
    return assign(o[0], is_real && to_whole ? "truncated<" + to + ">(" + source + ")" : to + "(" + source + ")");
  }

  bool address(const Words& o) {
    if (has("shared"))
      return assign(o[0], has("to") ? "ptx::shared_address(" + value(o[1], "unsigned long long") + ")"
                                    : "(unsigned long long)ptx::shared<char>(" + plain(o[1]) + ", 0)");
    return assign(o[0], value(o[1], "unsigned long long"));
  }

  // The value, and whether it is another lane's, of d|p. The last operand but one holds the segment's width and its
  // end.
  bool shuffle(const Words& o) {
    if (parts_.size() < 4 || !kShuffles.count(parts_[2])) return false;
    Words targets = split(o[0], '|');
    out_ += "{ bool warpcell_cpu_inside; const unsigned warpcell_cpu_got = ptx::shuffle(" + kShuffles.at(parts_[2]) +
            ", " + value(o[4], "unsigned") + ", " + value(o[1], "unsigned") + ", " + value(o[2], "unsigned") + ", " +
            value(o[3], "unsigned") + ", warpcell_cpu_inside, __builtin_LINE()); ";
    set(targets[0], "warpcell_cpu_got");
    if (targets.size() == 2) set(targets[1], "warpcell_cpu_inside");
    out_ += "} ";
    return true;
  }

  bool vote(const Words& o) {
    static const std::map<std::string, std::string> kinds = {
        {"any", "__any_sync"}, {"all", "__all_sync"}, {"ballot", "__ballot_sync"}};
    auto found = kinds.find(parts_[2]);
    return found != kinds.end() &&
           assign(o[0], found->second + "(" + value(o[2], "unsigned") + ", " + value(o[1], "bool") + ")");
  }

  // cp.async.cg.shared.global [to], [from], bytes{, bytes that are read};
  bool copy(const Words& o) {
    if (o.size() < 3) return false;
    std::string to = pointer(o[0], "char");
    parts_ = {"cp", "async"};
    return add("ptx::copy(" + to + ", " + pointer(o[1], "char") + ", " + value(o[2], "unsigned") + ", " +
               value(o[o.size() > 3 ? 3 : 2], "unsigned") + "); ");
  }

  const std::vector<std::string>& operands_;
  const std::map<std::string, std::string>& named_;
  std::map<std::string, std::string> locals_;
  std::string opcode_, out_, refused_;
  Words parts_;
  bool has_carry_ = false;
};

}  // namespace

PtxText cpp_of_ptx(const std::string& ptx, const std::vector<std::string>& operands,
                   const std::map<std::string, std::string>& named) {
  return Reader(operands, named).read(ptx);
}

}  // namespace warpcell::cpu

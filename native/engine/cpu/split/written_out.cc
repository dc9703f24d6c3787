// Each pass writes out the functions that call no other one that waits; what they are called by is such a function in
// the next pass. The names that a function declares get a number, since no name may be declared twice in a kernel.
#include "written_out.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "known_words.h"
#include "statements.h"

namespace warpcell::cpu {
namespace {

constexpr int kPasses = 4;  // functions that call each other in a circle end somewhere

bool is_name_of_member(const Code& code, size_t i) {
  return code.is(i - 1, ".") || code.is(i - 1, ":") || (code.is(i - 1, ">") && code.is(i - 2, "-"));
}

struct Callee {
  std::string result;  // its type
  std::vector<Variable> parameters;
  std::set<std::string> own;  // the names that it declares
  Range statements, value;    // and what it returns
  bool has_shared = false;
};

class Pass {
 public:
  Pass(const std::string& source, const std::vector<std::string>& defines, size_t* number)
      : code_(source), names_(code_, defines), number_(number) {}

  std::string run() {
    std::vector<Range> bodies;
    for (const KernelText& kernel : names_.kernels()) bodies.push_back(kernel.body);
    for (const auto& [name, function] : names_.functions()) {
      if (!names_.waits(name) || function.definitions != 1) continue;
      bodies.push_back({function.body + 1, code_.closing(function.body)});
      if (std::optional<Callee> callee = callee_of(function)) callees_.emplace(name, *callee);
    }
    std::sort(bodies.begin(), bodies.end(), [](Range a, Range b) { return a.first < b.first; });
    for (Range body : bodies) statements(body);
    return out_ + code_.source().substr(from_);
  }

 private:
  // Nothing where its statements are not understood, or where it could not be written out without a change.
  std::optional<Callee> callee_of(const Function& function) const {
    Callee callee;
    size_t start = function.name;
    while (start > 0 && !code_.is(start - 1, ";") && !code_.is(start - 1, "}") && !code_.is(start - 1, "{") &&
           !code_.is_directive(start - 1))
      start--;
    static const std::set<std::string> specifiers = {"__device__",   "__host__", "__forceinline__",
                                                     "__noinline__", "inline",   "static"};
    for (size_t i = start; i < function.name; i++) {
      if (!code_.is_name(i) || code_.is(i, "template")) return {};
      if (specifiers.count(code_.at(i)) == 0) callee.result += code_.at(i) + " ";
    }
    for (size_t i = 0; i < start; i++) {
      if (!code_.is(i, "{")) continue;
      if (code_.closing(i) > start) return {};  // a method, or in a namespace
      i = code_.closing(i);
    }
    callee.statements = {function.body + 1, code_.closing(function.body)};
    for (size_t i = callee.statements.first; i < callee.statements.end; i++) {
      if (!code_.is(i, "return")) continue;
      bool is_last = code_.is(i - 1, ";") || code_.is(i - 1, "}") || i == function.body + 1;
      size_t end = i;
      while (end < callee.statements.end && !code_.is(end, ";")) end++;
      if (!is_last || end + 1 != callee.statements.end) return {};
      callee.value = {i + 1, end};
      callee.statements.end = i;
    }
    if (callee.value.empty() != (callee.result == "void ")) return {};
    try {
      KernelText text{code_.at(function.name), start, {function.name + 2, function.close}, callee.statements, {}, {}};
      KernelBody body(code_, names_, text);
      for (const Variable& variable : body.variables()) {
        callee.own.insert(variable.name);
        callee.has_shared |= variable.is_shared;
        if (!variable.is_parameter) continue;
        bool has_place = variable.is_reference || variable.name.empty();
        for (size_t i = variable.declarator.first; i < variable.declarator.end; i++) has_place |= code_.is(i, "[");
        if (has_place) return {};
        callee.parameters.push_back(variable);
      }
    } catch (const Kept&) { return {}; }
    return callee;
  }

  void statements(Range body) {
    bool begins = true;
    for (size_t i = body.first; i < body.end; i++) {
      size_t end = begins && !code_.is_directive(i) ? written(i, body) : i;
      if (end != i) {
        i = end;
        continue;
      }
      if (code_.is(i, "(") || code_.is(i, "[")) i = code_.closing(i);
      begins = code_.is(i, ";") || code_.is(i, "{") || code_.is(i, "}") || code_.is(i, ")") || code_.is(i, "else") ||
               code_.is(i, "do") || code_.is_directive(i);
    }
  }

  // Writes out the call that the statement at token i is. Returns its last token, or i where it is none.
  size_t written(size_t i, Range body) {
    size_t call = 0, end = i;
    for (; end < body.end && !code_.is(end, ";"); end++) {
      if (code_.is(end, "{") || code_.is(end, "}")) return i;
      if (!code_.is(end, "(") && !code_.is(end, "[")) continue;
      if (code_.is(end, "(") && end > i && code_.is(code_.closing(end) + 1, ";")) call = end - 1;
      end = code_.closing(end);
    }
    auto found = call < i || !code_.is_name(call) ? callees_.end() : callees_.find(code_.at(call));
    if (found == callees_.end()) return i;
    const Callee& callee = found->second;
    if (callee.has_shared && calls_of(found->first) > 1) return i;  // all calls mean the same memory
    std::vector<Range> arguments = arguments_of(call + 1);
    if (arguments.size() != callee.parameters.size()) return i;

    std::string number = std::to_string((*number_)++), before, take, after;
    std::string value = written_value(callee, number);
    if (call == i) {
      take = value.empty() ? "" : "(void)" + value + "; ";
    } else if (call == i + 1 && code_.is(i, "return")) {
      if (callee.value.empty()) return i;
      std::string result = "warpcell_cpu_result_" + number;
      before = callee.result + result + "; ";
      take = result + " = " + value + "; ";
      after = "return " + result + "; ";
    } else if (code_.is(call - 1, "=") && call > i + 1 && !value.empty()) {
      Range target = {i, call - 1};
      if (is_declaration(target)) {
        before = declaration(target, callee) + "; ";
        target.first = target.end - 1;
      } else if (code_.is_name(i + 1) || code_.is(i + 1, "&") || is_type_word(code_.at(i)) || code_.is(i, "auto")) {
        return i;
      }
      take = spelled({target.first, call}, {}, "") + " " + value + "; ";
    } else {
      return i;
    }

    out_ += code_.source().substr(from_, code_.token(i).at - from_) + before + "{ ";
    for (size_t k = 0; k < arguments.size(); k++) {
      const Variable& parameter = callee.parameters[k];
      bool stays = !parameter.is_changed && !parameter.is_exposed && !parameter.is_constant && !parameter.is_pointer;
      out_ += (stays ? "const " : "") +
              spelled({parameter.specifiers.first, parameter.declarator.end}, callee.own, number) + " = " +
              spelled(arguments[k], {}, "") + "; ";
    }
    out_ += spelled(callee.statements, callee.own, number) + " " + take + "} " + after;
    for (size_t at = code_.token(i).at; at < code_.token(end).end; at++) {
      if (code_.source()[at] == '\n') out_ += '\n';
    }
    from_ = code_.token(end).end;
    return end;
  }

  // `float x`, `const float* x`.
  bool is_declaration(Range target) const {
    size_t name = target.end - 1;
    if (name < target.first + 1 || !code_.is_name(name) || !(code_.is_name(name - 1) || code_.is(name - 1, "*")))
      return false;
    for (size_t i = target.first; i < name; i++) {
      for (const char* word : {"static", "constexpr", "__shared__", "extern"}) {
        if (code_.is(i, word)) return false;
      }
      if (!code_.is_name(i) && !code_.is(i, "*")) return false;
    }
    return code_.is_name(target.first);
  }

  // It is given its value later.
  std::string declaration(Range target, const Callee& callee) const {
    std::string text;
    bool is_pointer = code_.is(target.end - 2, "*");
    for (size_t i = target.first; i < target.end; i++) {
      if (code_.is(i, "const") && !is_pointer) continue;
      text += (code_.is(i, "auto") ? callee.result : code_.at(i)) + " ";
    }
    return text;
  }

  std::string written_value(const Callee& callee, const std::string& number) const {
    if (callee.value.empty()) return "";
    std::string value = "(" + spelled(callee.value, callee.own, number) + ")";
    return is_type_word(callee.result.substr(0, callee.result.find(' '))) ? "(" + callee.result + ")" + value : value;
  }

  std::vector<Range> arguments_of(size_t open) const {
    std::vector<Range> arguments;
    Range argument = {open + 1, open + 1};
    for (size_t i = open + 1; i <= code_.closing(open); i++) {
      if (code_.is(i, "(") || code_.is(i, "[") || code_.is(i, "{")) i = code_.closing(i);
      if (!code_.is(i, ",") && i != code_.closing(open)) continue;
      argument.end = i;
      if (!argument.empty()) arguments.push_back(argument);
      argument.first = i + 1;
    }
    return arguments;
  }

  size_t calls_of(const std::string& name) const {
    size_t calls = 0;
    for (size_t i = 0; i + 1 < code_.size(); i++) calls += code_.at(i) == name && code_.is(i + 1, "(");
    return calls - 1;  // its definition
  }

  // On one line, without comments and pragmas.
  std::string spelled(Range range, const std::set<std::string>& own, const std::string& number) const {
    std::string text;
    for (size_t i = range.first; i < range.end; i++) {
      if (code_.is_directive(i)) continue;
      if (i > range.first && code_.token(i - 1).end != code_.token(i).at) text += " ";
      bool is_own = code_.is_name(i) && own.count(code_.at(i)) != 0 && !is_name_of_member(code_, i);
      text += is_own ? "warpcell_cpu_own_" + number + "_" + code_.at(i) : code_.at(i);
    }
    return text;
  }

  const Code code_;
  const CellNames names_;
  size_t* const number_;
  std::map<std::string, Callee> callees_;
  std::string out_;
  size_t from_ = 0;
};

}  // namespace

std::string with_functions_written_out(const std::string& source, const std::vector<std::string>& defines) {
  std::string text = source;
  size_t number = 0;
  for (int i = 0; i < kPasses; i++) {
    size_t before = number;
    text = Pass(text, defines, &number).run();
    if (number == before) break;
  }
  return text;
}

}  // namespace warpcell::cpu

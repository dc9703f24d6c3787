// Reads a cell token by token, and replaces the few declarations that have to be said differently to a host compiler.
#include "cell_text.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "../../host/tokens.h"
#include "ptx_text.h"

namespace warpcell::cpu {
namespace {

// What a brace opened, and in how many parentheses.
struct Scope {
  enum Kind { name_space, device, split, other } kind;
  int parentheses;
};

class Rewriter {
 public:
  Rewriter(const std::string& source, bool for_clang)
      : source_(source), for_clang_(for_clang), tokens_(tokens_of(source)) {}

  CellText run() {
    for (size_t i = 0; i < tokens_.size(); i++) visit(i);
    edits_.sort();
    return {edits_.apply(source_), edits_, standard_library_, bounded_, clustered_};
  }

 private:
  std::string at(size_t i) const {
    return i < tokens_.size() ? source_.substr(tokens_[i].at, tokens_[i].end - tokens_[i].at) : "";
  }
  bool is(size_t i, const char* text) const {
    return i < tokens_.size() && source_.compare(tokens_[i].at, tokens_[i].end - tokens_[i].at, text) == 0;
  }

  void visit(size_t i) {
    if (tokens_[i].kind == Token::directive) {
      statement_ = i + 1;
      return directive(tokens_[i]);
    }
    if (tokens_[i].kind == Token::text) return;
    if (is(i, "(")) parentheses_++;
    if (is(i, ")")) parentheses_--;
    if (is(i, "{")) {
      scopes_.push_back({opened(i), parentheses_});
      parentheses_ = 0;
    }
    if (is(i, "}") && !scopes_.empty()) {
      parentheses_ = scopes_.back().parentheses;
      scopes_.pop_back();
    }
    // What stands between the parentheses of a `for` are no statements.
    if (is(i, "{") || is(i, "}") || (is(i, ";") && parentheses_ == 0)) statement_ = i + 1;
    if (is(i, "__shared__")) shared(i);
    if (is(i, "__global__")) global(i);
    if (is(i, "__launch_bounds__")) bounds(i);
    if (is(i, "__cluster_dims__")) clusters(i);
    if (is(i, "__host__")) host(i);
    if (is(i, "reinterpret_cast")) cast(i);
    if (is(i, "<") && is(i + 1, "<") && is(i + 2, "<")) {
      bool is_in_device_code =
          std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& scope) { return scope.kind == Scope::device; });
      refuse(statement_, is_in_device_code
                             ? "kernel launch from __device__ or __global__ functions"  // as NVRTC says it
                             : "<<<...>>> is for host programs, and a cell holds device code: launch from a "
                               "TypeScript cell, kernel.launch({ grid, block }, ...)");
    }
    if ((is(i, "asm") || is(i, "__asm__") || is(i, "__asm")) && !is_fence(i)) { assembly(i); }
  }

  // A compile error in front of token i. ASCII: clang 14 shows the bytes of anything else.
  void refuse(size_t i, const std::string& sentence) {
    edits_.replace(tokens_[i].at, tokens_[i].at, "static_assert(false, \"" + sentence + "\"); ");
  }

  // asm volatile("" ::: "memory"): no instruction, so any compiler takes it.
  bool is_fence(size_t i) const {
    do i++;
    while (is(i, "volatile") || is(i, "__volatile__"));
    return is(i, "(") && is(i + 1, "\"\"");
  }

  // An asm statement becomes C++: its operands get names, its text what ptx_text.h makes of it.
  void assembly(size_t i) {
    size_t open = i + 1;
    while (is(open, "volatile") || is(open, "__volatile__")) open++;
    size_t end = closing(open), at = open + 1;
    if (!is(open, "(") || end == tokens_.size()) return;  // the compiler will say what is missing
    std::string ptx;
    for (; at < end && tokens_[at].kind == Token::text; at++) ptx += unquoted(this->at(at));
    AsmOperands operands;
    for (int section = 0; at < end && operands.are_known; section++) {
      if (!is(at, ":")) return refuse_assembly(i, "text that is not written out");
      for (at++; at < end && !is(at, ":"); at += is(at, ",")) {
        if (section < 2)
          at = operand(at, end, operands);
        else
          at++;
      }
    }
    PtxText cpp = cpp_of_ptx(ptx, operands.names, operands.named);
    if (!cpp.refused.empty()) return refuse_assembly(i, cpp.refused);
    std::string text =
        "do { " + operands.declarations + "{ using namespace warpcell_cpu; " + cpp.statements + "} } while (0)";
    size_t from = tokens_[i].at, to = tokens_[end].end;
    text.append(size_t(std::count(source_.begin() + long(from), source_.begin() + long(to), '\n')), '\n');
    edits_.replace(from, to, text);
  }

  void refuse_assembly(size_t i, std::string what) {
    for (char& c : what)
      if (c < ' ' || c > '~' || c == '"' || c == '\\') c = '?';
    refuse(i, "inline PTX needs a GPU for " + what +
                  " (or: put it inside #if !defined(WARPCELL_CPU), and C++ into #else)");
  }

  struct AsmOperands {
    std::vector<std::string> names;
    std::map<std::string, std::string> named;
    std::string declarations;
    bool are_known = true;
  };

  // [name] "constraint"(expression), from token `at` on. Answers with the token behind it.
  size_t operand(size_t at, size_t end, AsmOperands& operands) {
    std::string name = "warpcell_cpu_" + std::to_string(operands.names.size());
    if (is(at, "[")) {
      operands.named[this->at(at + 1)] = name;
      at += 3;
    }
    if (at + 1 >= end || !is(at + 1, "(")) return end;
    std::string constraint = this->at(at);
    size_t close = closing(at + 1);
    if (close >= end) return end;
    std::string expression = source_.substr(tokens_[at + 1].at, tokens_[close].end - tokens_[at + 1].at);
    std::replace(expression.begin(), expression.end(), '\n', ' ');
    bool is_output = constraint.find_first_of("=+") != std::string::npos;
    operands.declarations += is_output ? "auto& " + name + " = " + expression + "; "
                             : constraint.find('l') != std::string::npos
                                 ? "const auto " + name + " = (unsigned long long)" + expression + "; "
                                 : "const auto " + name + " = " + expression + "; ";
    operands.names.push_back(name);
    return close + 1;
  }

  // What a string means.
  static std::string unquoted(const std::string& literal) {
    std::string text;
    for (size_t k = literal.find('"') + 1; k + 1 < literal.size(); k++) {
      if (literal[k] != '\\') {
        text += literal[k];
        continue;
      }
      char escaped = literal[++k];
      text += escaped == 'n' ? '\n' : escaped == 't' ? ' ' : escaped;
    }
    return text;
  }

  // A kernel is inline already, and g++ takes the word once only.
  void global(size_t i) {
    for (size_t k = statement_; k < tokens_.size() && !is(k, "{") && !is(k, ";"); k++) {
      if (k != i && (is(k, "inline") || is(k, "__inline__"))) edits_.replace(tokens_[k].at, tokens_[k].end, "");
    }
  }

  // A constant beside the kernel, with the same template parameters, says the most threads that it allows.
  void bounds(size_t i) {
    size_t end = i + 2;
    for (int depth = 0; end < closing(i + 1) && !(depth == 0 && is(end, ",")); end++)
      depth += is(end, "(") - is(end, ")");
    beside(i, bounded_, "warpcell_cpu_bounds_", "", joined(i + 2, end));
  }

  // The same of the blocks of a cluster.
  void clusters(size_t i) {
    beside(i, clustered_, "warpcell_cpu_cluster_", "[3]", "{" + joined(i + 2, closing(i + 1)) + "}");
  }

  // A constant of that name and value, once for each kernel, of which token i is an attribute.
  void beside(size_t i, std::set<std::string>& kernels, const std::string& prefix, const char* suffix,
              const std::string& value) {
    size_t body = closing(i + 1);
    while (body < tokens_.size() && !is(body, "{") && !is(body, ";")) body++;
    size_t start = end_of_template(statement_);
    if (!is(body, "{") || start >= body) return;  // a declaration: the definition says it again
    size_t open = start;
    while (open < body && !is(open, "(")) {
      bool is_attribute = is(open, "__launch_bounds__") || is(open, "__attribute__") || is(open, "__cluster_dims__") ||
                          is(open, "__maxnreg__") || is(open, "alignas") || is(open, "__align__");
      open = is_attribute && is(open + 1, "(") ? closing(open + 1) + 1 : open + 1;
    }
    if (open >= body || tokens_[open - 1].kind != Token::word) return;  // a specialisation: the template says it
    std::string name = at(open - 1);
    if (!kernels.insert(name).second) return;
    edits_.replace(tokens_[statement_].at, tokens_[statement_].at,
                   joined(statement_, start) + " constexpr unsigned " + prefix + name + suffix + " = " + value + "; ");
  }

  // The token behind `template <…>`, where the statement begins with that.
  size_t end_of_template(size_t i) const {
    if (!is(i, "template") || !is(i + 1, "<")) return i;
    int depth = 0;
    for (size_t k = i + 1; k < tokens_.size(); k++) {
      if (is(k, "(")) k = closing(k);
      if (is(k, "<")) depth++;
      if (is(k, ">") && --depth == 0) return k + 1;
    }
    return tokens_.size();
  }

  // Tokens [from, end) on one line.
  std::string joined(size_t from, size_t end) const {
    std::string text;
    for (size_t k = from; k < end; k++)
      text += (k > from && tokens_[k].kind == Token::word && tokens_[k - 1].kind == Token::word ? " " : "") + at(k);
    return text;
  }

  // A call that is left in the compiled code is an error of the compiler; a function that nobody calls is not compiled.
  void host(size_t i) {
    size_t end = statement_;
    while (end < tokens_.size() && !is(end, "{") && !is(end, ";")) end++;
    for (size_t k = statement_; k < end; k++) {
      if (is(k, "__device__") || is(k, "__global__") || is(k, "main") || is(k, "]")) return;  // "]": of a lambda
      if (k < i && is(k, "__host__")) return;
    }
    for (size_t k = statement_; k < end; k++) {
      if (is(k, "inline") || is(k, "__inline__") || is(k, "__forceinline__"))
        edits_.replace(tokens_[k].at, tokens_[k].end, "");
    }
    edits_.replace(tokens_[i].at, tokens_[i].end,
                   "inline __attribute__((noinline, error(\"a __host__ function cannot be called in device code; "
                   "make it __host__ __device__\")))");
  }

  Scope::Kind opened(size_t brace) const {
    if (is(brace + 1, "WARPCELL_CPU_SPLIT_BEGIN")) return Scope::split;
    for (size_t i = statement_; i < brace; i++) {
      if (is(i, "namespace")) return Scope::name_space;
      if (is(i, "__global__") || is(i, "__device__")) return Scope::device;
    }
    bool is_linkage = brace >= 2 && is(brace - 2, "extern") && tokens_[brace - 1].kind == Token::text;
    return is_linkage ? Scope::name_space : Scope::other;
  }

  // A declaration with __shared__ at token i, in the statement that began at statement_.
  void shared(size_t i) {
    bool is_extern = false;
    size_t end = i;
    while (end < tokens_.size() && !is(end, ";")) end++;
    for (size_t k = statement_; k < end && !is(k, "[") && !is(k, "="); k++) {
      if (is(k, "extern")) is_extern = true;
      if (is(k, "static")) edits_.replace(tokens_[k].at, tokens_[k].end, "");  // __shared__ is static already
    }
    if (is_extern) {
      if (end < tokens_.size()) dynamic_shared(end);
      return;
    }
    // All of a block is one call of a split kernel, of which this is no inner block, to be entered again.
    if (!scopes_.empty() && scopes_.back().kind == Scope::split)
      edits_.replace(tokens_[i].at, tokens_[i].end, "WARPCELL_CPU_SPLIT_SHARED");
    for (size_t k = i + 1, depth = 0; k < end; k++) {
      if (is(k, "(") || is(k, "[") || is(k, "{")) depth++;
      if (depth > 0 && (is(k, ")") || is(k, "]") || is(k, "}"))) depth--;
      if (depth == 0 && is(k, "alignas")) leading(k);
      if (depth == 0 && is(k, "=") && !is(k + 1, "=") && !is(k - 1, "=") && !is(k - 1, "<") && !is(k - 1, ">") &&
          !is(k - 1, "!")) {
        return refuse(
            statement_,
            "a __shared__ variable has no initial value in CUDA: assign it in one thread, then call __syncthreads()");
      }
    }
  }

  // CUDA takes alignas anywhere among a declaration's words, a host compiler in front of them only.
  void leading(size_t k) {
    size_t from = tokens_[k].at, close = closing(k + 1);
    if (close >= tokens_.size()) return;
    size_t to = tokens_[close].end;
    std::string blank = source_.substr(from, to - from);
    for (char& c : blank) c = c == '\n' ? c : ' ';
    std::string words = source_.substr(from, to - from) + " ";
    std::replace(words.begin(), words.end(), '\n', ' ');
    edits_.replace(tokens_[statement_].at, tokens_[statement_].at, words);
    edits_.replace(from, to, blank);
  }

  void dynamic_shared(size_t end) {
    size_t bracket = statement_;
    while (bracket < end && !is(bracket, "[")) bracket++;
    if (bracket + 1 >= end || !is(bracket + 1, "]")) return;  // not an array of unknown bound: the compiler will say so
    std::string type;
    for (size_t k = statement_; k + 1 < bracket; k++) {
      if (is(k, "extern") || is(k, "__shared__")) continue;
      if (is(k, "__align__") || is(k, "alignas") || is(k, "__attribute__")) {
        k = closing(k + 1);
        continue;
      }
      type += at(k) + " ";
    }
    std::string name = at(bracket - 1);
    std::string suffix = source_.substr(tokens_[bracket].at, tokens_[end].at - tokens_[bracket].at);
    bool inside = !scopes_.empty() && scopes_.back().kind != Scope::name_space;
    std::string replacement =
        inside ? "auto& " + name + " = *reinterpret_cast<" + type + "(*)" + suffix + ">(::warpcell_cpu::dynamic_shared)"
               : "[[maybe_unused]] static ::warpcell_cpu::DynamicShared<" + type + suffix + "> " + name;
    if (!inside) file_scope_.push_back(name);
    size_t from = tokens_[statement_].at, to = tokens_[end].at;
    for (size_t k = from; k < to; k++) {  // lines keep their numbers
      if (source_[k] == '\n') replacement += '\n';
    }
    edits_.replace(from, to, replacement);
  }

  // reinterpret_cast<T*>(name) takes no class, which dynamic shared memory outside of functions is; `+name` is a
  // pointer.
  void cast(size_t i) {
    size_t open = i + 1;
    while (open < tokens_.size() && !is(open, "(") && !is(open, ";")) open++;
    if (!is(open, "(") || !is(open + 2, ")")) return;
    if (std::find(file_scope_.begin(), file_scope_.end(), at(open + 1)) == file_scope_.end()) return;
    edits_.replace(tokens_[open + 1].at, tokens_[open + 1].at, "+");
  }

  // The token that closes the parenthesis at `open`.
  size_t closing(size_t open) const {
    int depth = 0;
    for (size_t k = open; k < tokens_.size(); k++) {
      if (is(k, "(")) depth++;
      if (is(k, ")") && --depth == 0) return k;
    }
    return tokens_.size();
  }

  void directive(const Token& token) {
    std::string text = source_.substr(token.at + 1, token.end - token.at - 1);
    size_t word = text.find_first_not_of(" \t");
    if (word == std::string::npos) return;
    if (text.compare(word, 2, "if") == 0) branches_.push_back({scopes_, parentheses_});
    if (text.compare(word, 2, "el") == 0 && !branches_.empty()) std::tie(scopes_, parentheses_) = branches_.back();
    if (text.compare(word, 5, "endif") == 0 && !branches_.empty()) branches_.pop_back();
    if (text.compare(word, 7, "include") == 0) standard_library_ |= is_foreign_include(text.substr(word + 7));
    if (text.compare(word, 6, "pragma") == 0 && !for_clang_) unroll(token, text.substr(word + 6));
  }

  static bool is_foreign_include(const std::string& text) {
    static const char* const ours[] = {"cuda_fp16.h",      "cuda_bf16.h",
                                       "cuda_runtime.h",   "cuda_runtime_api.h",
                                       "cuda.h",           "device_launch_parameters.h",
                                       "vector_types.h",   "vector_functions.h",
                                       "math_constants.h", "cooperative_groups.h",
                                       "assert.h",         "cassert",
                                       "stdint.h",         "cstdint",
                                       "stddef.h",         "cstddef",
                                       "limits.h",         "climits",
                                       "float.h",          "cfloat"};
    size_t open = text.find_first_of("<\"");
    size_t close = open == std::string::npos ? open : text.find_first_of(">\"", open + 1);
    if (close == std::string::npos) return true;
    std::string name = text.substr(open + 1, close - open - 1);
    for (const char* folder : {"warpcell/", "cooperative_groups/", "cub/"}) {
      if (name.compare(0, std::strlen(folder), folder) == 0) return false;
    }
    for (const char* known : ours) {
      if (name == known) return false;
    }
    return true;
  }

  // `#pragma unroll`, `#pragma unroll 4`, `#pragma unroll(4)`; a count that is no plain number is left to the compiler.
  void unroll(const Token& token, const std::string& text) {
    size_t word = text.find_first_not_of(" \t");
    if (word == std::string::npos || text.compare(word, 6, "unroll") != 0) return;
    std::string count;
    for (char c : text.substr(word + 6)) {
      if (std::isdigit(static_cast<unsigned char>(c)))
        count += c;
      else if (std::strchr(" \t()", c) == nullptr)
        return;
    }
    edits_.replace(token.at, token.end, "#pragma GCC unroll " + (count.empty() ? "64" : count));
  }

  const std::string& source_;
  bool for_clang_;
  std::vector<Token> tokens_;
  Edits edits_;
  std::vector<Scope> scopes_;
  int parentheses_ = 0;  // that are open since the last brace
  // Both where each open #if began: an #else begins there anew.
  std::vector<std::pair<std::vector<Scope>, int>> branches_;
  size_t statement_ = 0;  // the token that the current statement began with
  bool standard_library_ = false;
  std::set<std::string> bounded_, clustered_;
  std::vector<std::string> file_scope_;  // dynamic shared memory declared outside of functions
};

}  // namespace

CellText host_text(const std::string& source, bool for_clang) { return Rewriter(source, for_clang).run(); }

}  // namespace warpcell::cpu

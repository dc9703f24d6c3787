// What the words of a cell mean as far as it says so itself: its macros, constants, types, functions and kernels.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "code.h"

namespace warpcell::cpu {

struct Macro {
  bool takes_arguments = false;
  bool is_barrier = false;  // `__syncthreads()`, with or without `;`
  bool has_semicolon = false;
  bool reads_memory = false;    // it may
  bool is_full_mask = false;    // of the lanes of a warp
  std::string reason;           // why a kernel that uses it is kept as it is; else it is part of an expression
  std::set<std::string> words;  // that its text mentions
};

struct Function {
  size_t name = 0, close = 0, body = 0;  // the tokens of its name, of `)` behind its parameters, and of `{`
  size_t definitions = 0;
  bool has_references = false;  // an argument may be changed
  bool has_loops = false;
  std::set<std::string> words, calls, parameters;
  std::string reason;  // why a kernel that calls it is kept as it is, without what it calls
};

struct KernelText {
  std::string name;
  size_t start;                     // of its definition, `template` included
  Range parameters;                 // without the parentheses
  Range body;                       // without the braces
  std::set<std::string> constants;  // template parameters that are values
  std::set<std::string> types;      // and those that are types
};

class CellNames {
 public:
  // `defines`: NAME or NAME=VALUE.
  CellNames(const Code& code, const std::vector<std::string>& defines);

  const std::vector<KernelText>& kernels() const { return kernels_; }
  const Macro* macro(const std::string& name) const;
  const std::map<std::string, Function>& functions() const { return functions_; }
  bool is_function(const std::string& name) const { return functions_.count(name) != 0; }
  bool has_references(const std::string& name) const;
  bool is_type(const std::string& name) const { return types_.count(name) != 0; }
  bool is_constant(const std::string& name) const { return constants_.count(name) != 0; }
  // Whether the name stands for the mask of all lanes of a warp.
  bool is_full_mask(const std::string& name) const;
  // Why no kernel that calls the function is split; else nothing. Follows what it calls.
  std::string reason_in(const std::string& function) const;
  // The same for what is called without being named: operators and constructors.
  std::string reason_in_unnamed() const;
  // Why no kernel of the cell is split.
  const std::string& reason() const { return reason_; }
  // Whether the function, or what it calls, may wait for other threads.
  bool waits(const std::string& function) const;
  // Whether the function, or what it calls, asks where its thread is.
  bool asks_for_thread(const std::string& function) const;

 private:
  void read_directive(size_t i);
  void define(const std::string& text);
  void read_function(size_t name, size_t close, size_t body);
  void read_kernel(size_t statement, size_t name, size_t close, size_t body);
  std::string reason_in(const std::string& function, std::set<std::string>& seen) const;
  bool mentions(const std::string& name, const std::function<bool(const std::string&)>& is_wanted) const;

  const Code& code_;
  std::map<std::string, Macro> macros_;
  std::map<std::string, Function> functions_;
  std::set<std::string> types_, constants_, full_masks_, unnamed_;
  std::vector<KernelText> kernels_;
  std::string reason_;
};

}  // namespace warpcell::cpu

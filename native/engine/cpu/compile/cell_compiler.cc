// One run of the system's compiler per cell, in a private directory: the library's header, the cell's text under its
// own name and line numbers, then one exported description per kernel.
#include "cell_compiler.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "../../host/files.h"
#include "../../host/options.h"
#include "../../host/programs.h"
#include "../../host/rule_files.h"
#include "../../host/text.h"
#include "artifact.h"
#include "cell_text.h"
#include "compiler.h"
#include "line_counters.h"
#include "named_lines.h"
#include "../machine.h"
#include "../split/split_text.h"

namespace warpcell::cpu {
namespace {

// Reorders and reciprocals, but no finite-math-only: a NaN is still a NaN. (-ffast-math itself would change the
// processor's mode.)
constexpr const char* kFastMath[] = {"-fassociative-math", "-freciprocal-math", "-fno-signed-zeros"};

// NAME=VALUE or NAME, which stands for NAME=1, as a line of C++.
std::string definition(const std::string& define) {
  size_t equals = define.find('=');
  if (equals == std::string::npos) return "#define " + define + " 1\n";
  return "#define " + define.substr(0, equals) + " " + define.substr(equals + 1) + "\n";
}

std::vector<std::string> flags_of(const CellOptions& options) {
  std::vector<std::string> flags = {"-std=" + options.standard};
  for (const std::string& folder : options.includes) flags.push_back("-I" + std::filesystem::absolute(folder).string());
  if (options.fast_math) flags.insert(flags.end(), std::begin(kFastMath), std::end(kFastMath));
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  return flags;
}

std::vector<std::string> command(const Compiler& compiler, const CompileRequest& request, const CellOptions& options) {
  std::vector<std::string> arguments = {
      compiler.path,
      "-O2",
      "-march=native",
      "-fPIC",
      "-g1",
      "-fvisibility=hidden",
      "-Wl,-Bsymbolic",
      "-ffp-contract=fast",
      "-fno-math-errno",
      "-fno-trapping-math",
      "-fno-strict-aliasing",  // reinterpret_cast<float4*> works on a GPU
      "-fno-finite-loops",     // an endless loop is one that can be interrupted, not one that is left out
      "-fno-exceptions",
      "-fno-rtti",
      "-fno-asynchronous-unwind-tables",
      "-fno-builtin-printf",
      "-U_FORTIFY_SOURCE",
      "-fno-stack-protector",
      "-fcf-protection=none",
      "-fstack-clash-protection",
      "-fno-diagnostics-color",
      "-Wno-attributes",
      "-Werror=vla",  // CUDA has no arrays of variable length
      "-I" + request.headers + "/include",
      "-isystem",
      request.headers + "/cpu"};
#if !defined(__x86_64__)
  arguments.erase(std::find(arguments.begin(), arguments.end(), "-fcf-protection=none"));
#endif
  // A lane may hand a shuffle a variable that only its leader has set; clang would conclude that every lane is the
  // leader. For CUDA it goes without that conclusion itself.
  const char* undefined_arguments =
      std::atoi(compiler.version.c_str()) < 15 ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis";
  if (compiler.is_clang)
    arguments.insert(arguments.end(), {"-ferror-limit=0", "-Wno-ignored-attributes", "-Wno-pass-failed", "-Xclang",
                                       undefined_arguments});
  else
    arguments.insert(
        arguments.end(),
        {"-fno-gnu-unique", "-ftabstop=1"});  // else local statics of two cells are one, and a tab is eight columns
#if defined(__x86_64__)
  // For some processors g++ would round products of sums on their way, in one way of running a kernel and not in
  // another.
  if (!compiler.is_clang && !options.library && std::atoi(compiler.version.c_str()) >= 10)
    arguments.push_back("--param=avoid-fma-max-bits=0");
#endif
  std::vector<std::string> flags = flags_of(options);
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return arguments;
}

// A folder with the cell's text under its own name, where the name can be a file's, and so with what it has of other
// cells: g++ shows a message's line from there. (clang has it in memory.)
std::string folder_with_text(const PrivateFolder& directory, const CompileRequest& request) {
  std::string folder = directory.file("text");
  std::filesystem::create_directory(folder);
  for (const auto& [name, text] : NamedLines(request.source, request.name).texts(request.source)) {
    bool is_file_name = !name.empty() && name.size() < 200 && name[0] != '.' && name.find('/') == std::string::npos;
    if (is_file_name) write_file(folder + "/" + name, text);
  }
  return folder;
}

// A name in a #line directive.
std::string quoted(const std::string& name) {
  std::string result = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') result += '\\';
    if (c != '\n') result += c;
  }
  return result + "\"";
}

// A kernel such as "ns::axpy<float>": its own name, and that with something in front of it.
struct KernelName {
  explicit KernelName(const std::string& expression) : expression(expression) {
    size_t end = std::min(expression.find('<'), expression.size());
    size_t scope = expression.rfind("::", end);
    start = scope == std::string::npos ? 0 : scope + 2;
    own = expression.substr(start, end - start);
  }
  std::string with(const std::string& prefix) const {
    return expression.substr(0, start) + prefix + expression.substr(start);
  }
  std::string expression, own;
  size_t start;
};

// The most threads of a block, as C++.
std::string bound_of(const KernelName& kernel, const CellText& cell) {
  return cell.bounded.count(kernel.own) == 0 ? "warpcell_cpu::kMaxThreads" : kernel.with("warpcell_cpu_bounds_");
}

// "&ns::filter" asks for a variable, everything else for a kernel.
bool is_variable(const std::string& expression) { return starts_with(expression, "&"); }

std::string symbol_of(const CompileRequest& request, size_t i) {
  return (is_variable(request.expressions[i]) ? "warpcell_cpu_variable_" : "warpcell_cpu_kernel_") + std::to_string(i);
}

// How a kernel's threads are run, where it has barriers: "split", or "fibers" with the reason.
std::string way_of(const KernelName& kernel, const SplitText& split) {
  auto found = split.split.find(kernel.own);
  if (found != split.split.end()) return found->second.uses.empty() ? "split" : "";
  auto kept = split.kept.find(kernel.own);
  return kept == split.kept.end() ? "" : "fibers: " + kept->second;
}

// What makes the split kernel callable.
std::string split_export(size_t number, const KernelName& kernel, bool has_rows) {
  auto with = [&](const char* threads) {
    std::string name = kernel.with("warpcell_cpu_split_");
    size_t open = name.find('<', kernel.start);
    return open == std::string::npos ? name + "<" + threads + ">"
                                     : name.substr(0, open + 1) + threads + ", " + name.substr(open + 1);
  };
  if (!has_rows) return "WARPCELL_CPU_SPLIT(" + std::to_string(number) + ", " + with("0") + ")\n";
  return "WARPCELL_CPU_SPLIT_ROWS(" + std::to_string(number) + ", (" + with("16") + "), (" + with("32") + "), (" +
         with("0") + "))\n";
}

std::string unit(const CompileRequest& request, const CellText& cell, const CellOptions& options,
                 const SplitText& split) {
  std::ostringstream text;
  if (cell.standard_library) text << "#define WARPCELL_CPU_STANDARD_LIBRARY 1\n";
  if (options.library && !has_library_threads()) text << "#define WARPCELL_SERIAL 1\n";
  text << "#include <warpcell_cpu/cuda.h>\n";
  if (!split.split.empty()) text << "#include <warpcell_cpu/" << (options.check ? "proof.h" : "split.h") << ">\n";
  // Not as flags of the compiler: in front of our headers a macro N would change what they say.
  for (const std::string& define : options.defines) text << definition(define);
  text << "#line 1 " << quoted(request.name) << "\n" << cell.text << "\n";
  // Messages about an expression name it, as those of NVRTC do.
  for (size_t i = 0; i < request.expressions.size(); i++) {
    if (is_variable(request.expressions[i])) {
      text << "#line 1 " << quoted("variable " + request.expressions[i].substr(1)) << "\n"
           << "extern \"C\" __attribute__((visibility(\"default\"))) warpcell_cpu::Variable " << symbol_of(request, i)
           << " = {(void*)" << request.expressions[i] << ", sizeof *" << request.expressions[i] << "};\n";
      continue;
    }
    text << "#line 1 " << quoted("kernel " + request.expressions[i]) << "\n";
    KernelName kernel(request.expressions[i]);
    text << "WARPCELL_CPU_EXPORT(" << i << ", (" << bound_of(kernel, cell) << "), " << kernel.expression << ")\n";
    if (cell.clustered.count(kernel.own) != 0)
      text << "extern \"C\" __attribute__((visibility(\"default\"))) const unsigned* const warpcell_cpu_cluster_" << i
           << " = " << kernel.with("warpcell_cpu_cluster_") << ";\n";
    std::string way = way_of(kernel, split);
    auto loops = split.split.find(kernel.own);
    if (loops != split.split.end()) text << split_export(i, kernel, loops->second.has_rows);
    if (loops != split.split.end() && options.check)
      text << "WARPCELL_CPU_PROOF(" << i << ", " << quoted(loops->second.uses) << ")\n";
    if (way.empty()) continue;
    text << "extern \"C\" __attribute__((__visibility__(\"default\"), __used__)) const char warpcell_cpu_way_" << i
         << "[] = " << quoted(way) << ";\n";
  }
  return text.str();
}

// What the compiler makes of the cell with `more` options. `arguments`: all that it was called with; `log`: what it
// said. Throws DeviceError("COMPILE").
std::string run_compiler(const Compiler& compiler, const CompileRequest& request, const CellOptions& options,
                         const SplitText& split, const std::vector<std::string>& more, const PrivateFolder& directory,
                         std::vector<std::string>* arguments, std::string* log) {
  std::string source = directory.file("cell.cc"), output = directory.file("cell.so"), log_file = directory.file("log");
  write_file(source, unit(request, host_text(split.text, compiler.is_clang), options, split));
  *arguments = command(compiler, request, options);
  arguments->insert(arguments->end(), more.begin(), more.end());
  arguments->insert(arguments->end(), {"-o", output, source});

  int status =
      run_program(*arguments, {"LC_ALL=C", "TMPDIR=" + directory.path}, folder_with_text(directory, request), log_file);
  *log = read_file(log_file);
  if (status == 0) return options.syntax ? "" : read_file(output);
  throw DeviceError("COMPILE", request.name + " does not compile (" + compiler.name + " " + compiler.version + ").",
                    *log);
}

// The cell with its kernels split, with counters, or as it stands.
SplitText split_of(const CompileRequest& request, const CellOptions& options) {
  if (options.follow && !options.syntax) return {with_told_variables(request.source), {}, {}};
  if (options.count && !options.syntax) return {with_line_counters(request.source), {}, {}};
  if (!options.split || options.library || options.syntax) return {request.source, {}, {}};
  if (options.check)
    return options.fibers ? SplitText{request.source, {}, {}} : proof_text(request.source, options.defines);
  SplitText split = split_text(request.source, options.defines, !system_compiler().is_clang);
  if (!options.fibers) return split;
  for (const auto& [kernel, how] : split.split) {
    if (how.waits) split.kept[kernel] = "its loops do not compile";
  }
  return {request.source, split.kept, {}};
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line + "\n";
}

}  // namespace

Compiled compile_cell(const CompileRequest& request) {
  const Compiler& compiler = system_compiler();
  CellOptions options = read_options(request.options);
  PrivateFolder directory(kCompileFolder);
  std::string dependencies = directory.file("dependencies");
  std::vector<std::string> arguments;
  Compiled compiled;
  SplitText split = split_of(request, options);
  if (options.syntax) {
    run_compiler(compiler, request, options, split, {"-fsyntax-only"}, directory, &arguments, &compiled.log);
    return compiled;
  }
  std::string object;
  try {
    object = run_compiler(compiler, request, options, split, {"-shared", "-MD", "-MF", dependencies}, directory,
                          &arguments, &compiled.log);
  } catch (const DeviceError& error) {
    if (error.code == "COMPILE" && (options.follow || options.count)) {
      CompileRequest simpler = request;
      std::vector<std::string>& words = simpler.options;
      words.erase(std::remove(words.begin(), words.end(), options.follow ? "--follow" : "--count"), words.end());
      return compile_cell(simpler);
    }
    // The message is to be about what the user wrote. Should that compile, it runs as it stands, and is checked
    // exactly.
    if (error.code != "COMPILE" || split.split.empty()) throw;
    CompileRequest whole = request;
    whole.options.push_back("--fibers");
    return compile_cell(whole);
  }
  if (options.verbose) {
    std::string told = compiler.name + " " + compiler.version + ": " + joined(arguments);
    if (!options.architecture.empty())
      told += "--arch is for GPUs: on the cpu device a cell is compiled for the processor it runs on.\n";
    for (const std::string& expression : request.expressions) {
      std::string way = way_of(KernelName(expression), split);
      if (!way.empty()) told += expression + ": " + way + "\n";
    }
    compiled.log = told + compiled.log;
  }
  compiled.artifact = make_artifact(object, request);
  compiled.dependencies = files_in_rule(read_file(dependencies), directory.path);
  for (size_t i = 0; i < request.expressions.size(); i++) compiled.lowered.push_back(symbol_of(request, i));
  return compiled;
}

std::string assembly_of(const std::string& artifact, const std::string& headers) {
  CompileRequest request = request_of(artifact);
  request.headers = headers;
  PrivateFolder directory(kCompileFolder);
  std::vector<std::string> arguments;
  std::string log;
  CellOptions options = read_options(request.options);
  return run_compiler(system_compiler(), request, options, split_of(request, options), {"-S"}, directory, &arguments,
                      &log);
}

}  // namespace warpcell::cpu

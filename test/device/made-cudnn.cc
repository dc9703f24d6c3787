// A cuDNN that computes nothing: it writes down, into the file that MADE_CUDNN_LOG names, the graphs that it is given
// and what runs give it. MADE_CUDNN_VERSION: what it says it is; MADE_CUDNN_ENGINES: so many engines does it propose.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

int asked(const char* variable, int otherwise) {
  const char* text = getenv(variable);
  return text == nullptr ? otherwise : atoi(text);
}

// cudnnBackendDescriptorType_t, and the attributes that are looked at
enum Kind { kPointwise = 0, kConfiguration = 3, kHeuristics = 4, kPlan = 5, kGraph = 15, kPack = 16, kTensor = 17 };
const std::map<int, const char*> operations = {{13, ""}, {19, "matmul"}, {22, "reduce"}, {31, "reshape"}};
const std::map<int, const char*> pointwise = {{0, "add"},     {1, "mul"},     {6, "div"},   {9, "sub"},
                                              {13, "exp"},    {15, "log"},    {21, "copy"}, {303, "at least"},
                                              {501, "place"}, {601, "select"}};

struct Descriptor {
  int kind;
  std::map<int, std::string> texts;
  std::map<int, std::vector<int64_t>> numbers;
  std::string text() const;
};

std::string list(const std::vector<int64_t>& numbers) {
  std::string all;
  for (int64_t number : numbers) all += (all.empty() ? "" : "x") + std::to_string(number);
  return all;
}

std::string Descriptor::text() const {
  if (kind == kTensor) return "#" + list(numbers.at(906));
  if (kind == kPointwise) return pointwise.at(int(numbers.at(0)[0]));
  if (kind == 21) return numbers.at(1600)[0] == 3 ? "max" : "sum";
  if (kind == kGraph) return texts.at(801);
  const auto operation = operations.find(kind);
  if (operation == operations.end()) return "";
  // Settings come first, the result last.
  std::string settings, operands, result;
  for (const auto& [attribute, what] : texts) {
    if (what.empty()) continue;
    if (what[0] != '#')
      settings = what;
    else if (attribute == 753 || attribute == 1522 || attribute == 1611 || attribute == 2201)
      result = what;
    else
      operands += " " + what;
  }
  return (settings.empty() ? operation->second : settings) + operands + " = " + result + "\n";
}

void note(const std::string& text) {
  FILE* file = fopen(getenv("MADE_CUDNN_LOG"), "a");
  fputs(text.c_str(), file);
  fclose(file);
}

}  // namespace

extern "C" {
size_t cudnnGetVersion() { return size_t(asked("MADE_CUDNN_VERSION", 91900)); }
const char* cudnnGetErrorString(int) { return "CUDNN_STATUS_OF_A_TEST"; }
int cudnnCreate(void** handle) {
  static char one;
  *handle = &one;
  return 0;
}
int cudnnSetStream(void*, void*) { return 0; }
int cudnnBackendCreateDescriptor(int kind, Descriptor** made) {
  *made = new Descriptor{kind};
  return 0;
}
int cudnnBackendDestroyDescriptor(Descriptor* descriptor) {
  delete descriptor;
  return 0;
}
int cudnnBackendSetAttribute(Descriptor* descriptor, int attribute, int type, int64_t count, const void* values) {
  for (int64_t at = 0; at < count; at++) {
    if (type == 15)
      descriptor->texts[attribute] += static_cast<Descriptor* const*>(values)[at]->text();
    else if (type == 24)
      descriptor->texts[attribute] += static_cast<const char*>(values)[at];
    else if (type == 3 || type == 6)
      descriptor->numbers[attribute].push_back(static_cast<const int64_t*>(values)[at]);
    else if (type != 0 && type != 2 && type != 4)
      descriptor->numbers[attribute].push_back(static_cast<const int*>(values)[at]);
  }
  return 0;
}
int cudnnBackendGetAttribute(Descriptor* descriptor, int attribute, int, int64_t room, int64_t* count, void* values) {
  *count = 1;
  if (attribute == 202)
    *count = asked("MADE_CUDNN_ENGINES", 1);
  else if (attribute == 303 || attribute == 1303)
    *count = 0;
  else if (attribute == 402)
    *static_cast<int64_t*>(values) = 512;
  else if (attribute == 1301)
    *static_cast<int64_t*>(values) = 7;
  else if (attribute == 405) {
    *count = 4;
    if (room > 0) memcpy(values, "text", 4);
  }
  return 0;
}
int cudnnBackendFinalize(Descriptor* descriptor) {
  if (descriptor->kind == kGraph) note(descriptor->texts.at(801));
  if (descriptor->kind == kPlan && descriptor->texts.count(405) != 0) note("from " + descriptor->texts.at(405) + "\n");
  return 0;
}
int cudnnBackendExecute(void*, Descriptor*, Descriptor* pack) {
  std::string line = "run";
  const auto& numbers = pack->numbers.at(1000);
  for (size_t at = 0; at < numbers.size(); at++) {
    line += " " + std::to_string(numbers[at]);
    const void* value = reinterpret_cast<const void*>(pack->numbers.at(1001)[at]);
    if (numbers[at] == 104 || numbers[at] == 105)
      line += ":" + std::to_string(*static_cast<const int32_t*>(value));
    else if (numbers[at] > 100 && numbers[at] < 200)
      line += ":" + std::to_string(*static_cast<const float*>(value));
  }
  note(line + "\n");
  return asked("MADE_CUDNN_FAILS", 0);
}
}

// What the words of PTX are in C++: types, special registers, and instructions of operands of one type.
// (PTX ISA, "Instruction Set".) Each instruction is in the words of warpcell_cpu/ptx.h.
#pragma once
#include <map>
#include <set>
#include <string>

namespace warpcell::cpu {

inline const std::map<std::string, std::string> kTypes = {
    {"u8", "uchar"},     {"s8", "ptx::s8"},   {"b8", "uchar"},  {"u16", "ushort"},   {"s16", "short"},
    {"b16", "ushort"},   {"u32", "unsigned"}, {"s32", "int"},   {"b32", "unsigned"}, {"u64", "ptx::u64"},
    {"s64", "ptx::s64"}, {"b64", "ptx::u64"}, {"f32", "float"}, {"f64", "double"},   {"pred", "bool"}};

// What a special register is.
inline const std::map<std::string, std::string> kRegisters = {
    {"laneid", "ptx::lane()"},
    {"warpid", "linear_thread() / 32"},
    {"nwarpid", "(blockDim.x * blockDim.y * blockDim.z + 31) / 32"},
    {"smid", "0u"},
    {"nsmid", "1u"},
    {"gridid", "0ull"},
    {"clock", "unsigned(clock64())"},
    {"clock64", "clock64()"},
    {"globaltimer", "ptx::global_timer()"},
    {"lanemask_eq", "(1u << ptx::lane())"},
    {"lanemask_lt", "((1u << ptx::lane()) - 1)"},
    {"lanemask_le", "((2u << ptx::lane()) - 1)"},
    {"lanemask_gt", "~((2u << ptx::lane()) - 1)"},
    {"lanemask_ge", "~((1u << ptx::lane()) - 1)"}};
inline const std::map<std::string, std::string> kIndices = {
    {"tid", "threadIdx"}, {"ntid", "blockDim"}, {"ctaid", "blockIdx"}, {"nctaid", "gridDim"}};

// Of operands of the instruction's type: T its type, U the same without a sign, a, b, c its sources.
inline const std::map<std::string, std::string> kExpressions = {
    {"mov", "a"},
    {"add", "T(U(a) + U(b))"},
    {"sub", "T(U(a) - U(b))"},
    {"mul.lo", "T(U(a) * U(b))"},
    {"mad.lo", "T(U(a) * U(b) + U(c))"},
    {"mul.hi", "ptx::high(a, b)"},
    {"mad.hi", "T(U(ptx::high(a, b)) + U(c))"},
    {"mul24.lo", "T((a << 8 >> 8) * (b << 8 >> 8))"},
    {"mad24.lo", "T((a << 8 >> 8) * (b << 8 >> 8) + c)"},
    {"div", "a / b"},
    {"rem", "a % b"},
    {"min", "min(a, b)"},
    {"max", "max(a, b)"},
    {"abs", "a < T(0) ? T(-a) : a"},
    {"neg", "T(-a)"},
    {"and", "T(a & b)"},
    {"or", "T(a | b)"},
    {"xor", "T(a ^ b)"},
    {"not", "ptx::inverse(a)"},
    {"cnot", "T(a == 0)"},
    {"shl", "warpcell_cpu::shifted_left(a, unsigned(b))"},
    {"shr", "warpcell_cpu::shifted_right(a, unsigned(b))"},
    {"sad", "T((a < b ? b - a : a - b) + c)"},
    {"fma", "T(::fma(a, b, c))"},
    {"sqrt", "T(::sqrt(a))"},
    {"rsqrt", "T(1) / T(::sqrt(a))"},
    {"rcp", "T(1) / a"},
    {"ex2", "T(::exp2(a))"},
    {"lg2", "T(::log2(a))"},
    {"sin", "T(::sin(a))"},
    {"cos", "T(::cos(a))"},
    {"tanh", "T(::tanh(a))"},
    {"copysign", "T(::copysign(b, a))"},
    {"prmt", "__byte_perm(a, b, c)"},
    {"brev", "ptx::reversed(a)"},
    {"bfe", "ptx::field(a, unsigned(b), unsigned(c))"},
    {"lop3", "ptx::lop3(a, b, c, unsigned(d))"},
    {"bfi", "ptx::inserted(a, b, unsigned(c), unsigned(d))"},
    {"shf.l.wrap", "__funnelshift_l(a, b, c)"},
    {"shf.r.wrap", "__funnelshift_r(a, b, c)"},
    {"shf.l.clamp", "__funnelshift_lc(a, b, c)"},
    {"shf.r.clamp", "__funnelshift_rc(a, b, c)"}};
// Floats are added and multiplied as such.
inline const std::map<std::string, std::string> kFloatExpressions = {
    {"add", "a + b"}, {"sub", "a - b"}, {"mul", "a * b"}, {"mad", "T(::fma(a, b, c))"}};
// With a rounding of its own: the intrinsic's name between "__f" and "_rd".
inline const std::set<std::string> kRounded = {"add", "sub", "mul", "div", "sqrt", "rcp"};

// No more than a hint, or done already, on a processor.
inline const std::set<std::string> kNothing = {
    "prefetch",          "prefetchu",      "applypriority", "discard", "cp.async.commit_group", "cp.async.wait_group",
    "cp.async.wait_all", "griddepcontrol", "pragma"};
// Statements without operands that matter here.
inline const std::map<std::string, std::string> kStatements = {
    {"membar", "__threadfence();"}, {"fence", "__threadfence();"}, {"trap", "__trap();"}, {"brkpt", "__trap();"}};
inline const std::map<std::string, std::string> kAtomics = {
    {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"}, {"and", "atomicAnd"},   {"or", "atomicOr"},
    {"xor", "atomicXor"}, {"inc", "atomicInc"}, {"dec", "atomicDec"}, {"exch", "atomicExch"}, {"cas", "atomicCAS"}};
inline const std::map<std::string, std::string> kShuffles = {
    {"idx", "kShuffleIndex"}, {"up", "kShuffleUp"}, {"down", "kShuffleDown"}, {"bfly", "kShuffleXor"}};
inline const std::map<std::string, std::string> kComparisons = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                                                {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                                                {"hi", ">"},  {"hs", ">="}};

}  // namespace warpcell::cpu

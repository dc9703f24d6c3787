// What the words of a kernel are that its cell does not define: functions of CUDA that neither wait nor keep state, and
// the words that make a thread wait.
#pragma once
#include <string>

namespace warpcell::cpu {

// Functions that compute a value of their arguments alone, or print it.
bool is_known_function(const std::string& name);
// Of those, the few that are the same for all threads where their arguments are.
bool is_uniform_function(const std::string& name);
// atomicAdd and its kin.
bool is_atomic(const std::string& name);
// An atomic function by which a thread may wait for another one.
bool is_lock(const std::string& name);
// A word at which a thread may wait for others.
bool is_waiting(const std::string& word);
// Words of which each, anywhere in a kernel, keeps it as it is: a reason, or nothing.
std::string reason_to_keep(const std::string& word);
// Of the language, in front of a parenthesis or not.
// A function whose result depends on what other threads of the warp, or of the block, hand in, and its kinds.
bool is_exchange(const std::string& name);
bool is_block_vote(const std::string& name);
// Whether a text, without blanks, is the mask of all lanes of a warp.
bool is_full_mask(std::string text);
bool is_expression_word(const std::string& word);
bool is_type_word(const std::string& word);
// Names of constants of C++'s and CUDA's headers.
bool is_known_constant(const std::string& word);
// Headers that define no macro which could hide a statement, and no function that waits.
bool is_plain_header(const std::string& name);

}  // namespace warpcell::cpu

// Votes of a block are counted; what a warp exchanges is laid down as bytes, whose type the value itself says.
#include "exchange_text.h"

#include "../../host/text.h"
#include "known_words.h"

namespace warpcell::cpu {

std::string ExchangeText::number(const Exchange& exchange) const {
  return std::to_string(&exchange - body_.exchanges().data());
}

std::string ExchangeText::room(const Exchange& exchange) const {
  std::string own = number(exchange);
  if (is_block_vote(code_.at(exchange.token))) return "unsigned warpcell_cpu_votes_" + own + " = 0; ";
  return "alignas(16) unsigned char warpcell_cpu_laid_" + own + "[8192]; " +
         (has_ways_out_ ? "bool warpcell_cpu_there_" + own + "[1024]; " : "");
}

std::string ExchangeText::type_of(const Exchange& exchange) const {
  std::string name = code_.at(exchange.token), value = code_.text(exchange.value);
  if (name == "__ballot_sync" || name == "__any_sync" || name == "__all_sync") return "int";
  if (starts_with(name, "__reduce")) return "decltype(::" + name + "(0, (" + value + ")))";
  return "decltype(::warpcell_cpu::plain(" + value + "))";
}

std::string ExchangeText::hand_in(const Exchange& exchange) const {
  std::string name = code_.at(exchange.token), value = code_.text(exchange.value);
  if (is_block_vote(name))
    return "warpcell_cpu_votes_" + number(exchange) + " += int(" + value + ") " +
           (name == "__syncthreads_and" ? "==" : "!=") + " 0; ";
  return "::warpcell_cpu::lay<" + type_of(exchange) + ">(warpcell_cpu_laid_" + number(exchange) + ", warpcell_cpu_t, " +
         value + "); ";
}

std::string ExchangeText::answer(const Exchange& exchange) const {
  std::string name = code_.at(exchange.token), own = number(exchange);
  if (is_block_vote(name)) {
    const char* asks = name == "__syncthreads_count" ? "" : name == "__syncthreads_and" ? " == 0" : " != 0";
    return "int(warpcell_cpu_votes_" + own + asks + ")";
  }
  std::string text = "::warpcell_cpu::lanes::" + name + "<" + type_of(exchange) + ">({warpcell_cpu_laid_" + own + ", " +
                     (has_ways_out_ ? "warpcell_cpu_there_" + own : "nullptr") +
                     ", warpcell_cpu_t, warpcell_cpu_threads}";
  if (!exchange.place.empty()) text += ", " + code_.text(exchange.place);
  if (!exchange.width.empty()) text += ", " + code_.text(exchange.width);
  return text + ")";
}

std::string ExchangeText::who_was_there(const Exchange& exchange) const {
  if (!has_ways_out_ || is_block_vote(code_.at(exchange.token))) return "";
  return "__builtin_memcpy(warpcell_cpu_there_" + number(exchange) + ", warpcell_cpu_alive, warpcell_cpu_threads); ";
}

}  // namespace warpcell::cpu

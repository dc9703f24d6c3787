// What a split kernel says of an exchange: room for what threads hand in, the handing in, and the answer.
#pragma once
#include <string>

#include "statements.h"

namespace warpcell::cpu {

class ExchangeText {
 public:
  // `has_ways_out`: a thread may have ended in front of it.
  ExchangeText(const Code& code, const KernelBody& body, bool has_ways_out)
      : code_(code), body_(body), has_ways_out_(has_ways_out) {}

  // In front of the loop in which threads hand in, in it, and behind it.
  std::string room(const Exchange& exchange) const;
  std::string hand_in(const Exchange& exchange) const;
  std::string who_was_there(const Exchange& exchange) const;
  // In place of the call.
  std::string answer(const Exchange& exchange) const;

 private:
  std::string number(const Exchange& exchange) const;
  std::string type_of(const Exchange& exchange) const;

  const Code& code_;
  const KernelBody& body_;
  const bool has_ways_out_;
};

}  // namespace warpcell::cpu

// What JavaScript is told of a client: turns records, flights and gauges into plain objects (lib/wire/binding.ts).
#pragma once
#include <napi.h>

#include "../client/registry.h"

namespace warpcell {

Napi::Value report_errors(Napi::Env env, const std::vector<ErrorRecord>& errors);
Napi::Value report_ranges(Napi::Env env, const std::vector<Range>& ranges);
Napi::Value report_flights(Napi::Env env, const std::vector<Flight>& flights);
Napi::Value report_memory(Napi::Env env, const Allocator::Statistics& statistics);
Napi::Value report_blocks(Napi::Env env, const std::vector<Allocator::Listed>& blocks);
Napi::Value report_answer(Napi::Env env, const Fields& fields);
Napi::Value report_gauges(Napi::Env env);

}  // namespace warpcell

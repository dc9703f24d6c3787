// What JavaScript is told of a client: turns records, flights and gauges into plain objects (lib/wire/binding.ts).
#pragma once
#include <node_api.h>

#include "registry.h"

namespace warpcell {

napi_value report_errors(napi_env env, const std::vector<ErrorRecord>& errors);
napi_value report_flights(napi_env env, const std::vector<Flight>& flights);
napi_value report_memory(napi_env env, const Allocator::Statistics& statistics);
napi_value report_answer(napi_env env, const Fields& fields);
napi_value report_gauges(napi_env env);

}  // namespace warpcell

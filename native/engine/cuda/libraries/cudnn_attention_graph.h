// Attention and its gradients as graphs of cuDNN's operations, in the order and form in which its engines know them.
#pragma once
#include <vector>

#include "../../host/attention_terms.h"
#include "cudnn_descriptor.h"

namespace warpcell::cuda {

// Tensors have the numbers of a run's places, counted from 1; those of the scalars that it gives beside them:
namespace attention_scalars {
constexpr int64_t kScale = 101, kOne = 102, kNever = 103;  // float32: as it is told, 1, −∞
constexpr int64_t kQueries = 104, kKeys = 105;             // int32
}  // namespace attention_scalars

// Gradients of queries are added up in another order each time. Throws DeviceError UNSUPPORTED for what the library
// does not describe.
CudnnDescriptor cudnn_attention_graph(const CudnnApi& library, const AttentionTerms& terms);

// What its tensors take: the places of a run, and what the graph fills and reads again.
std::vector<CudnnMemory> cudnn_attention_places(const AttentionTerms& terms);
std::vector<CudnnMemory> cudnn_attention_scratch(const AttentionTerms& terms);

// The scalars that a graph of these terms reads.
std::vector<int64_t> cudnn_attention_scalars(const AttentionTerms& terms);

}  // namespace warpcell::cuda

// The functions of CUDA's runtime that build a graph node by node (Runtime API, "Graph Management"), and what a program
// says of a node.
#pragma once
#include "functions.h"
#include "texture_types.h"

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;  // bytes of `value` that count
  size_t width;          // in elements
  size_t height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

extern "C" {
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags = 0, WARPCELL_LINE) WARPCELL_NAMED(cudaGraphCreate);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaKernelNodeParams* kernel, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphAddKernelNode);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemcpy3DParms* copy, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphAddMemcpyNode);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                     WARPCELL_LINE) WARPCELL_NAMED(cudaGraphAddMemcpyNode1D);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemsetParams* fill, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphAddMemsetNode);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, const cudaHostNodeParams* call, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphAddHostNode);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t count, WARPCELL_LINE) WARPCELL_NAMED(cudaGraphAddEmptyNode);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphAddChildGraphNode);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count, WARPCELL_LINE) WARPCELL_NAMED(cudaGraphAddDependencies);
}

// The libraries that a cuda device opens at run time.
#pragma once
#include "../host/library_search.h"

namespace warpcell::cuda {

// As toolkit.h looks.
constexpr const char* kToolkitPlaces =
    "Python's site-packages/nvidia (VIRTUAL_ENV, this project's .venv, python3 on PATH, ~/.local), CONDA_PREFIX, "
    "CUDA_PATH, CUDA_HOME, /usr/local/cuda* and the loader's folders";

constexpr LibraryRow kNvrtcRow = {
    "NVRTC",
    "compiling",
    "no kernel can be compiled",
    "libnvrtc.so",
    "WARPCELL_NVRTC",
    kToolkitPlaces,
    "pip install nvidia-cuda-nvrtc (nvidia-cuda-nvrtc-cu12 for drivers before 580), or set CUDA_PATH to a CUDA toolkit",
};
constexpr LibraryRow kCublasRow = {
    "cuBLASLt",
    "matrix products",
    "Warpcell's own kernels multiply matrices, which are slower",
    "libcublasLt.so",
    "WARPCELL_CUBLAS",
    kToolkitPlaces,
    "pip install nvidia-cublas (nvidia-cublas-cu12 for drivers before 580), or set CUDA_PATH to a CUDA toolkit",
};
// It comes with cuBLAS, which it uses, and which solves batches beside it.
constexpr LibraryRow kCusolverRow = {
    "cuSOLVER",
    "linear algebra",
    "matrices on a GPU are not factorised, and systems of equations not solved",
    "libcusolver.so",
    "WARPCELL_CUSOLVER",
    kToolkitPlaces,
    "pip install nvidia-cusolver (nvidia-cusolver-cu12 for drivers before 580), or set CUDA_PATH to a CUDA toolkit",
};
constexpr LibraryRow kCudnnRow = {
    "cuDNN",
    "convolutions and attention",
    "Warpcell's own kernels convolve by matrix products and compute all attention, which is slower",
    "libcudnn.so",
    "WARPCELL_CUDNN",
    kToolkitPlaces,
    "pip install nvidia-cudnn-cu13 (nvidia-cudnn-cu12 for drivers before 580)",
};
constexpr LibraryRow kCufftRow = {
    "cuFFT",
    "Fourier transforms",
    "Warpcell's own kernels transform, which are slower",
    "libcufft.so",
    "WARPCELL_CUFFT",
    kToolkitPlaces,
    "pip install nvidia-cufft (nvidia-cufft-cu12 for drivers before 580), or set CUDA_PATH to a CUDA toolkit",
};
constexpr LibraryRow kCuptiRow = {
    "CUPTI",
    "profiles",
    "a GPU cannot be profiled",
    "libcupti.so",
    "WARPCELL_CUPTI",
    kToolkitPlaces,
    "pip install nvidia-cuda-cupti (nvidia-cuda-cupti-cu12 for drivers before 580), or set CUDA_PATH to a CUDA toolkit",
};
constexpr LibraryRow kNvmlRow = {
    "NVML",
    "gauges",
    "use, temperature and power of a GPU are not known",
    "libnvidia-ml.so.1",
    nullptr,
    "the loader's folders",
    "the NVIDIA driver, which it comes with: install the driver again",
};

}  // namespace warpcell::cuda

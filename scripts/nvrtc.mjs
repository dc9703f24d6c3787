// Brings NVIDIA's compiler and CUDA's own headers from PyPI into .cache, for compiling the library's kernels for GPUs
// that this machine need not have.
import { join } from "node:path";
import { obtainPackages } from "./pypi.mjs";

// Of CUDA 12: drivers of CUDA 12 and of CUDA 13 load its machine code, and it knows every GPU from Turing to Blackwell.
// CUDA 13's would need a driver as new.
const packages = ["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-runtime-cu12==12.9.79"];

/**
 * The library's file: the one that WARPCELL_NVRTC names, else these packages', downloaded where they are not there yet.
 */
export async function obtainNvrtc() {
  if (process.env.WARPCELL_NVRTC !== undefined) return process.env.WARPCELL_NVRTC;
  const library = join("nvidia", "cuda_nvrtc", "lib", "libnvrtc.so.12");
  try {
    return join(await obtainPackages("nvrtc", packages, library), library);
  } catch (error) {
    throw new Error(
      `NVIDIA's compiler cannot be had from PyPI (${packages.join(", ")}), so there would be no kernels for GPUs in the bundle. Connect to a network, name a libnvrtc.so in WARPCELL_NVRTC, or make a bundle without: npm run bundle -- --without-cubins\n${error.message}`,
    );
  }
}

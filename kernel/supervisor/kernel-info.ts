// The kernel's own description: the content of kernel_info_reply.
import { createRequire } from "node:module";
import { protocolVersion, type Json } from "./messages.ts";

const { version, dependencies } = createRequire(import.meta.url)("../../package.json") as {
  version: string;
  dependencies: { typescript: string };
};

export const kernelVersion = version;

/** `device` continues the banner: where new tensors go, and why. */
export function kernelInfo(device: string): Json {
  return {
    status: "ok",
    protocol_version: protocolVersion,
    implementation: "warpcell",
    implementation_version: version,
    language_info: {
      name: "typescript",
      version: dependencies.typescript,
      mimetype: "application/typescript",
      file_extension: ".ts",
      pygments_lexer: "typescript",
      codemirror_mode: "typescript",
      nbconvert_exporter: "script",
    },
    banner: `Warpcell ${version}: TypeScript and CUDA C++, Node ${process.versions.node}. ${device}`,
    debugger: true,
    supported_features: ["debugger"],
    help_links: [
      { text: "TypeScript", url: "https://www.typescriptlang.org/docs/" },
      { text: "CUDA C++", url: "https://docs.nvidia.com/cuda/cuda-c-programming-guide/" },
    ],
  };
}

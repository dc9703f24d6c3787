// The names of commands of panels, for the palette and for those who open them.

export const showKernel = "warpcell:show-kernel";
export const showMemory = "warpcell:show-memory";
export const showVariables = "warpcell:show-variables";

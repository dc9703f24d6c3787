// What leaves the kernel for a front end, and all that extension/ may import of it: the payloads and their names, which
// are the library's.
export * from "warpcell/payloads";

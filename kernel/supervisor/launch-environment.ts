// What the kernel wants in its environment before it starts, and keeps from those it starts itself. Knows no kernelspec and no process.

/**
 * Large binary outputs are read into memory whose pages cost more than the bytes. Huge pages, and memory that the allocator keeps instead of giving it back to the
 * system after each output (256 MiB at most), make 64 MiB take 14 ms instead of 20 to 200. The C library reads this once, when the process starts; one that does
 * not know it ignores it.
 */
export const launchEnvironment: Readonly<Record<string, string>> = {
  GLIBC_TUNABLES: ["glibc.malloc.hugetlb=1", `glibc.malloc.mmap_threshold=${2 ** 30}`, `glibc.malloc.trim_threshold=${256 << 20}`].join(":"),
};

/** Takes it out of this process's environment: it is not meant for the notebook's own programs. */
export function leaveLaunchEnvironment(): void {
  for (const [name, value] of Object.entries(launchEnvironment)) if (process.env[name] === value) delete process.env[name];
}

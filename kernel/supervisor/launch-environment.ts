// What the kernel wants in its environment before it starts, and keeps from those it starts itself. Knows no kernelspec and no process.

/**
 * Large binary outputs are read into fresh memory, most of which is the cost of its pages: with huge pages 64 MiB take 18 ms instead of
 * 41. The C library reads this once, when the process starts; one that does not know it ignores it.
 */
export const launchEnvironment: Readonly<Record<string, string>> = { GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };

/** Takes it out of this process's environment: it is not meant for the notebook's own programs. */
export function leaveLaunchEnvironment(): void {
  for (const [name, value] of Object.entries(launchEnvironment)) if (process.env[name] === value) delete process.env[name];
}

// What JavaScript says of a mistake that is easily made here, and what to write instead.

const rows: readonly [RegExp, (name: string) => string][] = [
  [
    /^Class constructor ([\p{ID_Start}$_][\p{ID_Continue}$]*) cannot be invoked without 'new'$/u,
    (name) => `: ${name} is a class, so write new before the call.`,
  ],
  [
    /^(\S+)\.size is not a function$/u,
    (name) => `: of a tensor it is the number of elements, and ${name}.shape[0] the size of its first axis.`,
  ],
  [/^(\S+)\.shape is not a function$/u, (name) => `: of a tensor it is a list, so write ${name}.shape[0].`],
  [
    /^(\S+)\.(?:dtype|device) is not a function$/u,
    (name) => `: it is not a method, so write ${name}.to(…) to change it.`,
  ],
];

/** What to add to a TypeError that says `message`; "" for one that is about something else. */
export function insteadOfMistake(message: string): string {
  for (const [pattern, advice] of rows) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return advice(name);
  }
  return "";
}

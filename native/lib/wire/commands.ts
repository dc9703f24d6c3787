// The commands as TypeScript names them: the numbers of protocol/commands.h and the layout of a record's head.

/** Command numbers; a test compares them with the header. */
export const Op = {
  skip: 0,
  fence: 1,
  launch: 2,
  copy: 3,
  fill: 4,
  segment_create: 5,
  segment_import: 6,
  segment_release: 7,
  hello: 8,
  compile: 9,
  module_load: 10,
  module_unload: 11,
  occupancy: 12,
  time: 13,
  disassemble: 14,
  address: 15,
  plan: 16,
  run: 17,
  profile_start: 18,
  profile_stop: 19,
  plan_release: 20,
  known_libraries: 21,
  stream_open: 22,
  stream_wait: 23,
  graph_create: 24,
  graph_update: 25,
  graph_launch: 26,
  graph_release: 27,
  event_record: 28,
  event_wait: 29,
  event_release: 30,
  event_elapsed: 31,
  variables_find: 32,
  variable_write: 33,
  variable_read: 34,
  check: 35,
  host_load: 40,
  host_call: 41,
  host_resume: 42,
  host_unload: 43,
  texture_create: 44,
  texture_copy: 45,
  texture_release: 46,
} as const;

export type Op = (typeof Op)[keyof typeof Op];

/**
 * `struct Header`: bytes uint32 at 0, op uint16 at 4, stream uint16 at 6, origin uint32 at 16; the sequence is filled
 * in when it is submitted.
 */
export const headerBytes = 24;
export const headerOffsets = { bytes: 0, op: 4, stream: 6, sequence: 8, origin: 16 } as const;

/** Most bytes of a kernel's parameters. */
export const maxArgumentBytes = 32764;

/** A place is `segment · 2^40 + offset` (protocol/commands.h). */
const placeUnit = 2 ** 40;

export function segmentOf(place: number): number {
  return Math.floor(place / placeUnit);
}

export function offsetOf(place: number): number {
  return place % placeUnit;
}

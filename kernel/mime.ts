// The payloads that leave the kernel for a front end: the contract between the library, the kernel and extension/, which may
// import this file alone. Types only: no code but the names. A change that an old reader would misread is a new version.

/** MIME types of our own. Each output also carries text/plain and an HTML fallback. */
export const tensorMime = "application/vnd.warpcell.tensor.v1+json";

/** Comm targets. */
export const gaugesTarget = "warpcell.gauges";
export const tensorTarget = "warpcell.tensor";

/**
 * A tensor as shown below a cell: the facts of its one line, and a reduced picture that travels with the output, so that it
 * shows in a notebook opened without a kernel. Statistics are over finite elements; `null` where there are none (empty, all NaN).
 */
export interface TensorPayload {
  version: 1;
  shape: number[];
  dtype: string;
  /** "cpu", "cuda:0", … */
  device: string;
  /** Number of elements, and bytes of them. */
  size: number;
  bytes: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  nan: number;
  /** Number of ±Infinity elements. */
  inf: number;
  /** A launch that did not finish may have been writing it. */
  suspect: boolean;
  tile: TensorTile | null;
  /** Names the tensor on {@link tensorTarget}, as long as it lives; only where there is more than one slice. */
  id?: string;
}

/**
 * The last two axes (the first slice of all others; a vector is one row) reduced to at most 256 cells along each and 24,576 in all. A cell
 * is the mean of the finite elements of its block, brought within float32's range; when it has none NaN if one is NaN, else the infinity that it has more of.
 */
export interface TensorTile {
  rows: number;
  columns: number;
  /** Elements per cell along each axis; the last cell of an axis may cover fewer. */
  rowStep: number;
  columnStep: number;
  /** Row-major float32, little-endian, base64. */
  values: string;
}

/** `comm_msg` data on {@link tensorTarget}, from the front end: a picture of the last two axes at `index` of all others. */
export interface SliceRequest {
  request: number;
  id: string;
  index: number[];
}

/** The kernel's reply: the slice as it is now, or a sentence. `tile` is `null` where there is a problem. */
export interface SliceReply {
  request: number;
  tile: TensorTile | null;
  problem: string | null;
}

/**
 * `comm_close` data on {@link gaugesTarget}, when a front end has left the kernel: nothing says which comms were its own, so the kernel closes them all, and who is
 * still there opens a new one. A close without it is final.
 */
export interface ReopenPayload {
  reopen: true;
}

/** `comm_msg` data on {@link gaugesTarget}, at most four a second, each complete in itself. The front end sends nothing. */
export interface GaugesPayload {
  version: 1;
  /** Counts up; a lower number than the last seen is stale. */
  sequence: number;
  /** A cell is running. */
  busy: boolean;
  devices: DeviceGauge[];
}

export interface DeviceGauge {
  /** "cpu", "cuda:0", … */
  device: string;
  name: string;
  /** The device that new tensors go to. */
  active: boolean;
  /** Bytes; `null`: not known. */
  memoryTotal: number | null;
  memoryUsed: number | null;
  /** Bytes of living tensors of this notebook, and held for them. */
  allocated: number;
  reserved: number;
  /** 0 … 1 */
  utilization: number | null;
  /** °C, W */
  temperature: number | null;
  power: number | null;
  /** Milliseconds since the epoch. */
  sampled: number | null;
}

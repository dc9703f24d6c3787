// The stream of a device for copies between it and the host that go on beside its other work.
import type { DeviceProcess } from "./process.ts";
import { Stream } from "./stream.ts";

const streams = new WeakMap<DeviceProcess, Stream>();

/** One of each device; it is made when it is first needed. */
export function copyStreamOf(device: DeviceProcess): Stream {
  let stream = streams.get(device);
  if (stream === undefined) streams.set(device, (stream = new Stream({ device: device.name })));
  return stream;
}

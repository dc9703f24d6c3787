// What a program that runs cells needs of the library besides what cells use: stopping, settling, call sites, gauges.
import { binding } from "./wire/binding.ts";
import { cudaMistakes } from "./cuda/mistakes.ts";
import type { CompileOptions } from "./cuda/compilation.ts";
import { type Diagnostic, WarpcellError } from "./errors.ts";
import { defaultDevice, deviceForViews, deviceNamed } from "./device/choice.ts";
import { DeviceProcess } from "./device/process.ts";
import type { DeviceGauge, OpenDevice } from "./payloads.ts";
import { collectGarbage } from "./device/collection.ts";
import { trim } from "./memory/map.ts";
import { isPresent } from "./device/presence.ts";
import { compiledAhead } from "./ops/kernels/library.ts";
import { whenProfileShown, type ShownProfile } from "./profile/profile.ts";
import { whenTensorShown, type ShownTensor } from "./tensor/shown.ts";
import { worded } from "./wording.ts";

export { cacheSize, clearCache } from "./cuda/cache.ts";
export { compiledCodeOf } from "./cuda/compiled-code.ts";
export { EarlierKernels } from "./cuda/host/earlier-kernels.ts";
export { isProgram } from "./cuda/program/split.ts";
export { outdatedText, SharedCode, type SharedSource, type Taken } from "./cuda/shared-code.ts";
export { describeCaller, describeFunctions, describeOrigins, origin, type CodePlace } from "./device/origins.ts";
export { goneProfile, Profile, viewedWindow } from "./profile/profile.ts";
export { Profiling } from "./profile/profiling.ts";
export { disposeShown, figuresOfShown, goneTensor, openedOf, shownTensor, sliceOf } from "./tensor/shown.ts";
export { nextFound, tileAt, viewedStatistics } from "./tensor/tiles.ts";
export { previewOf } from "./tensor/display.ts";
export { refuseEquality, refuseTruth } from "./tensor/truth.ts";
export { storagesOf } from "./autograd/held.ts";
export { deviceMemory, knownMemory, memoryAt, placeOf, storageOf, type KnownMemory } from "./memory/report.ts";
export { idOfPlain, prepareViews, viewed } from "./tensor/viewed.ts";
export { setUpWorkers } from "./data/crew.ts";
export { importModulesBy } from "./data/transform.ts";
export { endInterrupted } from "./device/interrupts.ts";
export { clearInterrupt, interrupt, lastInterruption } from "./device/process.ts";

/** What front ends may ask for, as another thread knows it. */
export type Shown = ShownTensor | ShownProfile;

/** Calls `listener` with all that front ends may ask for from here on. */
export function whenShown(listener: (shown: Shown) => void): void {
  whenTensorShown(listener);
  whenProfileShown(listener);
}

/** Whether it is still there. Callable from any thread. */
export function isShown({ presence }: Shown): boolean {
  return isPresent(presence);
}

/** Names of the devices by client, and which is the default: told to a thread that did not open them itself. */
export interface KnownDevices {
  names: Record<number, string>;
  active: number | null;
}

let known: KnownDevices = { names: {}, active: null };

/** The name of the device that a cell compiles for. Throws DeviceUnavailable. */
export function deviceNameOf(device: string | undefined): string {
  return deviceNamed(device).name;
}

/** Waits for all devices at the end of a cell, and throws the first error. */
export function settle(): Promise<void> {
  return DeviceProcess.settle();
}

/** A device has work that is not known to be done. Callable from any thread. */
export function isBusy(): boolean {
  return binding.gauges().some((sample) => sample.isBusy);
}

/** Gauges of every device that runs. Callable from any thread, also while another waits for a device. */
export function gauges(): DeviceGauge[] {
  return binding.gauges().map(({ client, kind, index, processMemory: _, isBusy: __, ...sample }) => ({
    device: kind === "cpu" ? "cpu" : `cuda:${index}`,
    name: known.names[client] ?? kind,
    active: client === known.active,
    ...sample,
  }));
}

/** The devices that this thread has opened, for {@link know} on another one. */
export function knownDevices(): KnownDevices {
  const devices = DeviceProcess.all();
  return {
    names: Object.fromEntries(devices.map(({ client, properties }) => [client, properties.name])),
    active: devices.length === 0 ? null : defaultDevice().device.client,
  };
}

/** Gives the gauges of this thread the names that another one knows. */
export function know(devices: KnownDevices): void {
  known = devices;
}

/** The devices whose processes run. */
export function openDevices(): OpenDevice[] {
  return DeviceProcess.all().map(({ name: device, properties: { name, shareable: keepsArrays } }) => ({
    device,
    name,
    keepsArrays,
  }));
}

/** Has a device in use get a new process. Throws WarpcellError for another one, DeviceUnavailable where none starts. */
export function restartDevice(name: string): void {
  const device = DeviceProcess.all().find((each) => each.name === name);
  if (device === undefined) throw new WarpcellError("NOT_IN_USE", `No device in use is called ${worded(name)}.`);
  device.restart();
}

/**
 * What is wrong with CUDA C++ that is being written, found without the user's device processes: for the thread that
 * answers front ends. Throws DeviceUnavailable.
 */
export function mistakesOf(source: string, options: CompileOptions): Promise<Diagnostic[]> {
  return cudaMistakes(source, options, deviceForViews(options.device));
}

/**
 * collect: what nobody holds is free; returns the bytes that tensors no longer hold. trim: what is free goes back to
 * the devices; returns its bytes.
 */
export function releaseMemory(what: "collect" | "trim"): number {
  if (what === "trim") return trim();
  const held = () => recentMemory(false).reduce((sum, { now }) => sum + now, 0);
  const before = held();
  collectGarbage();
  return before - held();
}

/** Bytes in tensors of a device: now, and at most since a cell began. */
export interface RecentMemory {
  readonly client: number;
  readonly device: string;
  readonly now: number;
  readonly peak: number;
}

/** Of every device in use; `begin`: peaks count from here on. */
export function recentMemory(begin: boolean): RecentMemory[] {
  return DeviceProcess.all().map(({ client, name }) => ({ client, device: name, ...recentMemoryOf(client, begin) }));
}

/** Of one device. Callable from any thread. */
export function recentMemoryOf(client: number, begin: boolean): Pick<RecentMemory, "now" | "peak"> {
  const peak = binding.recentPeak(client, begin);
  return { now: binding.memory(client).allocated, peak };
}

/** A library that a device opens where this machine has it. */
export interface KnownLibrary {
  readonly name: string;
  /** What it is for. */
  readonly purpose: string;
  readonly path: string | null;
  readonly version: string | null;
  /** Why it cannot be used, what is so without it, and how to get it; `null`: it can. */
  readonly missing: string | null;
}

/** The libraries of a device that works, opened. */
export function knownLibraries(device: string): KnownLibrary[] {
  return deviceNamed(device)
    .request("known_libraries", {})
    .libraries.map((library) => JSON.parse(library) as KnownLibrary);
}

/** What the library's kernels were compiled ahead for, of what a device runs; `null`: each is at its first use. */
export const kernelsCompiledFor = (device: string): string | null =>
  compiledAhead(deviceNamed(device).properties.architectures);

/** The device that new tensors go to, and why. Starts its process; throws DeviceUnavailable when none works. */
export function describeDefaultDevice(): { device: string; name: string; reason: string } {
  const { device, reason } = defaultDevice();
  return { device: device.name, name: device.properties.name, reason };
}

// One call of a host function: has the device process run it, does what it asks for, and hands its launches to the
// device, in order with all other work.
import { HostFunctionError, WarpcellError } from "../../errors.ts";
import { origin, originOf, placeText, type CodePlace } from "../../device/origins.ts";
import { binding } from "../../wire/binding.ts";
import type { Field } from "../../wire/messages.ts";
import { writeCopy, writeFill } from "../../wire/copy.ts";
import { DeviceArray } from "../../memory/array.ts";
import { Storage } from "../../memory/storage.ts";
import { read, upload } from "../../memory/transfer.ts";
import type { Kernel } from "../kernel.ts";
import type { DeviceVariable } from "../variable.ts";
import type { HostDeclaration } from "./find.ts";
import type { HostModule } from "./module.ts";
import { tensors } from "./tensors.ts";
import { argumentFields, hostDTypes, resultOf, tensorField, type ResultField } from "./values.ts";

interface Failure {
  readonly call: string;
  readonly line: number;
  readonly name: string;
  readonly words: string;
  readonly isLaunch: boolean;
}

/** What a function has done or waits for, by its kind. */
interface Events {
  drop: { tensor: number };
  free: { block: number };
  launch: {
    kernel: number;
    line: number;
    grid: number[];
    block: number[];
    shared: number;
    cooperative: boolean;
    cluster: number[] | null;
    at: number;
    bytes: number;
    pointers: [number, number, number][];
  };
  copy: { to: number; toOffset: number; from: number; fromOffset: number; bytes: number };
  write: { to: number; toOffset: number; at: number; bytes: number };
  fill: { to: number; toOffset: number; bytes: number; value: number };
  make: { sizes: number[]; dtype: number; fill: string | null; line: number };
  contiguous: { tensor: number; line: number };
  allocate: { bytes: number };
  read: { from: number; fromOffset: number; bytes: number };
  variable: { symbol: string };
  synchronize: object;
  memory: object;
  occupancy: { kernel: number; threads: number; shared: number };
  end: {
    result: ResultField;
    exception: { what: string; file: string | null; line: number } | null;
    failures: readonly Failure[];
  };
}
type Kind = keyof Events;
type AnyEvent = { [K in Kind]: { readonly kind: K } & Events[K] }[Kind];
/** What is answered to an event that waits; nothing to one that is only told. */
type Answers = { readonly [K in Exclude<Kind, "end">]: (event: Events[K], payload: Uint8Array) => Field[] | null };

const nothing: Field[] = [];
/** Events that the function does not wait for. */
const told: ReadonlySet<Kind> = new Set(["launch", "copy", "write", "fill"]);

export class HostCall {
  readonly #module: HostModule;
  readonly #declaration: HostDeclaration;
  /** Tensors of the call and memory of cudaMalloc, by their numbers. */
  readonly #arrays = new Map<number, DeviceArray>();
  readonly #variables = new Map<number, DeviceVariable>();
  readonly #made = new Set<DeviceArray>();
  /** What the session refused last. */
  #problem: unknown = null;
  /** It was a launch, a copy or a fill, which the function takes for done. */
  #isBroken = false;

  constructor(module: HostModule, declaration: HostDeclaration) {
    this.#module = module;
    this.#declaration = declaration;
  }

  /** Calls the function with that symbol. Throws HostFunctionError, LaunchError, what waits throw, DeviceFault. */
  run(symbol: string, args: readonly unknown[]): unknown {
    const { device } = this.#module;
    const name = `${this.#declaration.name} of ${this.#module.name}`;
    const numberOf = (array: DeviceArray): number => {
      const number = this.#module.nextNumber();
      this.#arrays.set(number, array);
      return number;
    };
    const values = argumentFields(args, { declaration: this.#declaration, device, numberOf });
    const kept = new Set<DeviceArray>();
    try {
      let step = device.request("host_call", { module: this.#module.number, function: symbol, name, values });
      const { process } = device.residents;
      for (;;) {
        const events = JSON.parse(step.events) as AnyEvent[];
        const answer = this.#answered(events, step.payload, process);
        const last = events.at(-1)!;
        if (last.kind === "end") return this.#ended(last, kept);
        step = device.request("host_resume", { values: answer });
      }
    } finally {
      for (const array of this.#made) if (!kept.has(array)) array.dispose();
    }
  }

  /** Does what the events say; returns the answer to the last one. */
  #answered(events: readonly AnyEvent[], payload: Uint8Array, process: number): Field[] {
    let answer: Field[] = nothing;
    for (const event of events) {
      if (event.kind === "end") break;
      try {
        // What follows has no ground to stand on.
        if (this.#isBroken && event.kind !== "drop" && event.kind !== "free") throw this.#problem;
        const perform = this.#perform[event.kind] as (event: AnyEvent, payload: Uint8Array) => Field[] | null;
        answer = ["ok", ...(perform(event, payload) ?? nothing)];
      } catch (error) {
        // Its process is gone, and the call with it.
        if (this.#module.device.residents.process !== process) throw error;
        const isNew = error !== this.#problem;
        if (isNew && "line" in event && error instanceof WarpcellError) locate(error, this.#place(event.line));
        this.#problem = error;
        this.#isBroken ||= told.has(event.kind);
        answer = ["error", error instanceof Error ? error.message : String(error)];
      }
    }
    return answer;
  }

  readonly #perform: Answers = {
    drop: ({ tensor }) => {
      const array = this.#arrays.get(tensor);
      this.#arrays.delete(tensor);
      if (array !== undefined && this.#made.delete(array)) array.dispose();
      return null;
    },
    free: ({ block }) => {
      this.#module.allocated.get(block)?.dispose();
      this.#module.allocated.delete(block);
      return null;
    },
    launch: (event, payload) => {
      this.#launch(event, payload);
      return null;
    },
    copy: ({ to, toOffset, from, fromOffset, bytes }) => {
      const target = this.#array(to).living();
      const source = this.#array(from).living();
      const { execution } = this.#module.device;
      target.written(writeCopy(execution, target.place + toOffset, source.place + fromOffset, bytes), bytes);
      return null;
    },
    write: ({ to, toOffset, at, bytes }, payload) => {
      const variable = this.#variables.get(to);
      if (variable !== undefined) {
        const held = variable.held.slice();
        held.set(payload.subarray(at, at + bytes), toOffset);
        variable.held = held;
      } else upload(this.#array(to).living(), toOffset, payload.subarray(at, at + bytes));
      return null;
    },
    fill: ({ to, toOffset, bytes, value }) => {
      const target = this.#array(to).living();
      const { execution } = this.#module.device;
      target.written(writeFill(execution, target.place + toOffset, bytes, BigInt(value), 1), bytes);
      return null;
    },
    make: ({ sizes, dtype, fill }) => {
      const value = fill === null ? null : Number(fill);
      return this.#took(tensors.maker!.make(this.#module.device, hostDTypes[dtype]!, sizes, value));
    },
    contiguous: ({ tensor }) => this.#took(tensors.maker!.contiguous(this.#array(tensor))),
    allocate: ({ bytes }) => {
      const storage = new Storage(this.#module.device, bytes);
      const number = this.#module.nextNumber();
      const view = { shape: [bytes], strides: [1], offset: 0 };
      this.#module.allocated.set(number, new DeviceArray(storage, "uint8", view));
      return [String(number), String(storage.place)];
    },
    variable: ({ symbol }) => {
      const variable = this.#module.variables.get(symbol);
      // The call says that the symbol is none of the device.
      if (variable === undefined) return nothing;
      const number = this.#module.nextNumber();
      this.#variables.set(number, variable);
      return [String(number), String(variable.bytes)];
    },
    read: ({ from, fromOffset, bytes }) => {
      const variable = this.#variables.get(from);
      if (variable !== undefined) return [variable.held.slice(fromOffset, fromOffset + bytes)];
      const copy = new Uint8Array(bytes);
      read(this.#module.device.execution, this.#array(from).living(), fromOffset, bytes, (part, at) =>
        copy.set(part, at),
      );
      return [copy];
    },
    synchronize: () => {
      const { execution } = this.#module.device;
      execution.checkRuns("read");
      execution.synchronize();
      return nothing;
    },
    memory: () => {
      const { client, properties } = this.#module.device;
      const free = properties.memoryTotal - binding.memory(client).allocated;
      return [String(free), String(properties.memoryTotal)];
    },
    occupancy: ({ kernel, threads, shared }) => {
      const { multiprocessors, kind } = this.#module.occupancyFacts;
      // A core of the CPU runs one block.
      if (kind === "cpu") return ["1", String(Math.min(threads, 256)), String(multiprocessors)];
      const found = this.#kernel(kernel).occupancy(threads, shared);
      return [String(found.blocksPerMultiprocessor), String(found.suggestedBlock), String(found.suggestedGrid)];
    },
  };

  #launch({ kernel, line, at, bytes, pointers, ...sizes }: Events["launch"], payload: Uint8Array): void {
    const { grid, block, shared, cooperative, cluster } = sizes;
    const outer = origin.current;
    origin.current = originOf(this.#place(line));
    try {
      this.#kernel(kernel).launchPacked(
        { grid, block, shared, cooperative, ...(cluster === null ? {} : { cluster }) },
        {
          bytes: payload.subarray(at, at + bytes),
          pointers: pointers.map(([offset, number, from]) => ({ offset, array: this.#array(number), from })),
        },
      );
    } finally {
      origin.current = outer;
    }
  }

  #kernel(number: number): Kernel {
    return this.#module.kernels.get(number)!;
  }

  #array(number: number): DeviceArray {
    return (this.#arrays.get(number) ?? this.#module.allocated.get(number))!;
  }

  #took(array: DeviceArray): Field[] {
    const number = this.#module.nextNumber();
    this.#arrays.set(number, array);
    this.#made.add(array);
    return [tensorField(array, number)];
  }

  #place(line: number, file: string | null = null): CodePlace {
    const { name, cell } = this.#module;
    if (file !== null && file !== this.#module.file) return { label: file, cell: null, count: 0, line };
    return { label: name, line, ...(cell ?? { cell: null, count: 0 }) };
  }

  /** The result, whose tensors are `kept`. */
  #ended({ result, exception, failures }: Events["end"], kept: Set<DeviceArray>): unknown {
    const { name } = this.#declaration;
    // A function that dealt with what the session refused goes on; one that did not says so in other words.
    if (this.#isBroken || (this.#problem !== null && (exception !== null || failures.length > 0))) throw this.#problem;
    if (exception !== null) {
      const what = exception.what.replace(/[.\s]+$/, "");
      if (exception.file === null)
        throw new HostFunctionError("EXCEPTION", `${what} (thrown in ${name} of ${this.#module.name}).`, name);
      const place = this.#place(exception.line, exception.file);
      throw new HostFunctionError("CHECK", `${what} (${placeText(place)}).`, name, place);
    }
    if (failures.length > 0) {
      const place = this.#place(failures[0]!.line);
      const sentences = failures.map((failure) => this.#sentence(failure));
      throw new HostFunctionError("CALL", sentences.join("\n"), name, place);
    }
    return resultOf(result, this.#declaration.result, (number) => {
      const array = this.#array(number);
      kept.add(array);
      return array;
    });
  }

  #sentence({ call, line, name, words, isLaunch }: Failure): string {
    const what = isLaunch ? `The launch of ${call}` : call;
    const advice =
      name === "cudaErrorNotSupported"
        ? ": host functions of cells have one stream, that of their call, and no events, graphs or managed memory"
        : "";
    return `${what} failed (${placeText(this.#place(line))}): ${words} (${name})${advice}.`;
  }
}

/** Says where in the cell it was that the session refused. */
function locate(error: WarpcellError, place: CodePlace): void {
  error.message = `${error.message.replace(/\.$/, "")} (${placeText(place)}).`;
}

// Turns code into warnings, completions and hovers through the type service, which is loaded and started when the kernel has time. Knows no message.
import type { Completion, Diagnostic, TypeService } from "../language/service.ts";
import type { Declaration } from "../session-protocol.ts";

export type { Completion, Diagnostic };

export class Types {
  readonly #directory: string;
  #service: Promise<TypeService> | null = null;
  #whenAvailable: Promise<TypeService | null> | null = null;
  #started: TypeService | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Loads and starts the service; called again, does nothing. */
  service(): Promise<TypeService> {
    return (this.#service ??= this.#load());
  }

  /** It answers at once. */
  get warm(): boolean {
    return this.#started?.warm ?? false;
  }

  async diagnose(cell: number, code: string): Promise<Diagnostic[]> {
    return (await this.#available())?.diagnose(cell, code) ?? [];
  }

  async commit(cell: number, code: string): Promise<void> {
    (await this.#available())?.commit(cell, code);
  }

  async declare(cell: number, declarations: readonly Declaration[]): Promise<void> {
    (await this.#available())?.declare(cell, [...declarations]);
  }

  /** Starts it; a service that cannot start costs a line on stderr, and cells run without warnings. */
  async start(): Promise<void> {
    await this.#available();
  }

  stop(): void {
    this.#started?.stop();
  }

  #available(): Promise<TypeService | null> {
    return (this.#whenAvailable ??= this.service().catch((error: unknown) => {
      process.stderr.write(`warpcell: types are not checked, because the type service did not start: ${error instanceof Error ? error.message : String(error)}\n`);
      return null;
    }));
  }

  async #load(): Promise<TypeService> {
    const { TypeService } = await import("../language/service.ts");
    this.#started = new TypeService({ directory: this.#directory });
    this.#started.start();
    return this.#started;
  }
}

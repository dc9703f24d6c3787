// Warnings, completions and hovers through the type service, which is loaded and started when the kernel has time.
import type { Completion, Diagnostic, Mistake, TypeService } from "../language/service.ts";
import type { EditorAnswers, EditorQuestion, EditorRequest } from "../mime.ts";
import type { Declaration } from "../session-protocol.ts";

export type { Completion, Diagnostic, Mistake };

export class Types {
  readonly #directory: string;
  #service: Promise<TypeService> | null = null;
  #whenAvailable: Promise<TypeService | null> | null = null;
  #started: TypeService | null = null;

  // What was told of earlier cells. It happens at the end of the turn, so that no reply waits for it; what is asked of
  // later cells does.
  #told: Promise<void> = Promise.resolve();

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
    await this.#told;
    return (await this.#available())?.diagnose(cell, code) ?? [];
  }

  /** Mistakes in a cell that is being written, behind the cells `before`; `null` where they cannot be found. */
  async mistakes(text: string, before: readonly string[]): Promise<Mistake[] | null> {
    await this.#told;
    return (await this.#available())?.mistakes(text, before) ?? null;
  }

  /** What an editor asks of cells that are being written; `null` without a service. */
  async edit<Question extends EditorQuestion>(
    question: Question,
    asked: Omit<EditorRequest, "request">,
  ): Promise<EditorAnswers[Question] | null> {
    await this.#told;
    return (await this.#available())?.edit(question, asked) ?? null;
  }

  commit(cell: number, code: string): Promise<void> {
    return this.#tell((service) => service.commit(cell, code));
  }

  commitDevice(code: string): Promise<void> {
    return this.#tell((service) => service.commitDevice(code));
  }

  declare(cell: number, declarations: readonly Declaration[]): Promise<void> {
    return this.#tell((service) => service.declare(cell, [...declarations]));
  }

  /** Starts it; a service that cannot start costs a line on stderr, and cells run without warnings. */
  async start(): Promise<void> {
    await this.#available();
  }

  stop(): void {
    this.#started?.stop();
  }

  #tell(what: (service: TypeService) => void): Promise<void> {
    const before = this.#told;
    return (this.#told = (async () => {
      await before;
      await new Promise((resolve) => setImmediate(resolve));
      const service = await this.#available();
      if (service !== null) what(service);
    })());
  }

  #available(): Promise<TypeService | null> {
    return (this.#whenAvailable ??= this.service().catch((error: unknown) => {
      process.stderr.write(
        `warpcell: types are not checked, because the type service did not start: ${error instanceof Error ? error.message : String(error)}\n`,
      );
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

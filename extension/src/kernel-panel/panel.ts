// The panel of the kernel: compiled code of the notebook in front, the compile cache, what the machine has, and new
// starts of session and devices.
import type { Kernel } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import type { OpenDevice } from "../../../kernel/mime.ts";
import { goToPlace } from "../kernel-link/cell-places.ts";
import type { Checked } from "../kernel-link/fields.ts";
import type { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { element } from "../tensor-view/element.ts";
import { codeTable } from "./code-table.ts";
import { machineLists } from "./machine-list.ts";
import { KernelSource, type KernelState } from "./payload.ts";
import { button, Question } from "./question.ts";
import { trans } from "../drawing/trans.ts";
import { cacheText, clearedText, deviceLoss, sessionLoss } from "./words.ts";

const noNotebook = () => trans.__("Open a notebook of the kernel TypeScript + CUDA to see what it has compiled.");
const noCode = () => trans.__("The notebook has compiled nothing yet. Run a cell with %%cuda.");
const looking = () => trans.__("Looking at the machine…");

export class KernelPanel extends Widget {
  private readonly front: NotebookInFront;
  private readonly source: KernelSource;
  private readonly note = element("div", "warpcell-panel-note");
  private readonly said = element("span", "warpcell-panel-said");
  private readonly question = new Question();
  private readonly session: HTMLButtonElement;
  private readonly devices = element("span", "warpcell-kernel-devices");
  private readonly code = element("div", "warpcell-kernel-table");
  private readonly cache = element("div", "");
  private readonly machine = element("div", "");
  private readonly body: HTMLElement;
  /** Whose machine is shown, or looked at. */
  private seen: Kernel.IKernelConnection | null = null;
  private looks = 0;
  private isLooking = false;
  private asking = false;
  private isDue = false;

  constructor(front: NotebookInFront) {
    super();
    this.id = "warpcell-kernel";
    this.addClass("warpcell-panel");
    this.addClass("warpcell-kernel-panel");
    this.front = front;
    this.source = new KernelSource(front);
    this.session = button(trans.__("Restart session…"), () => this.askForSession());
    const part = (title: string, ...children: HTMLElement[]) =>
      element("section", "warpcell-kernel-part", element("h3", "", title), ...children);
    const again = button(
      trans.__("Look again"),
      () => void this.look(),
      trans.__("Have the machine looked at once more"),
    );
    const clear = button(
      trans.__("Clear"),
      () => void this.clearCache(),
      trans.__("Remove the files. What is loaded stays."),
    );
    this.body = element(
      "div",
      "warpcell-panel-scroll",
      part(trans.__("Compiled code"), this.code),
      part(trans.__("Compile cache"), this.cache, clear),
      part(trans.__("Machine"), this.machine, again),
    );
    for (const each of [this.note, this.said]) each.setAttribute("role", "status");
    this.node.append(
      element("div", "warpcell-panel-toolbar", this.session, this.devices, this.said),
      this.question.node,
      this.note,
      this.body,
    );
    front.changed.connect(this.onChanged, this);
    front.ran.connect((_, isBusy) => {
      if (!isBusy) void this.refresh();
    });
    this.display(null);
  }

  protected override onAfterShow(): void {
    void this.refresh();
  }

  protected override onAfterHide(): void {
    // What was asked has no answer any more.
    if (this.isLooking) this.seen = null;
    this.source.close();
  }

  private onChanged(): void {
    this.source.close();
    this.question.close();
    this.said.textContent = "";
    this.seen = null;
    this.display(null);
    void this.refresh();
  }

  /** One question at a time; what was asked meanwhile is asked once more. */
  private async refresh(): Promise<void> {
    if (!this.isVisible || this.isDisposed || this.front.kernel === null) return;
    if (this.seen !== this.front.kernel) void this.look();
    this.isDue = true;
    if (this.asking) return;
    this.asking = true;
    while (this.isDue) {
      this.isDue = false;
      const kernel: Kernel.IKernelConnection | null = this.front.kernel;
      const answer = await this.source.state();
      if (kernel === this.front.kernel) this.display(answer);
    }
    this.asking = false;
  }

  /** `null`: nothing is known. */
  private display(answer: Checked<KernelState> | null): void {
    const state = answer?.ok === true ? answer.value : null;
    this.note.hidden = state !== null;
    this.note.textContent = this.front.kernel === null ? noNotebook() : answer?.ok === false ? answer.problem : "";
    this.body.hidden = state === null;
    this.session.disabled = this.front.kernel === null;
    this.showDevices(state?.devices ?? []);
    if (state === null) return;
    const { code, cache } = state;
    this.code.replaceChildren(
      code.length === 0
        ? element("div", "warpcell-quiet", noCode())
        : codeTable(code, (place) => this.front.panel && goToPlace(this.front.panel.content, place)),
    );
    this.cache.replaceChildren(
      ...(cache === null ? [] : [element("div", "warpcell-kernel-path", cache.directory), cacheText(cache)]),
    );
  }

  /** A button for each; one that stands there keeps the focus. */
  private showDevices(devices: readonly OpenDevice[]): void {
    const names = devices.map(({ device }) => device).join();
    if (this.devices.dataset["names"] === names) return;
    this.devices.dataset["names"] = names;
    this.devices.replaceChildren(
      ...devices.map((device) => {
        const made = button(trans.__("Restart %1…", device.device), () => this.askForDevice(made, device));
        return made;
      }),
    );
  }

  private askForSession(): void {
    const act = () => void this.restartSession();
    this.question.ask(this.session, { text: sessionLoss(), yes: trans.__("Restart session"), act });
  }

  private askForDevice(asker: HTMLElement, device: OpenDevice): void {
    const act = () => void this.restartDevice(device.device);
    this.question.ask(asker, { text: deviceLoss(device), yes: trans.__("Restart %1", device.device), act });
  }

  private async restartSession(): Promise<void> {
    this.said.textContent = trans.__("The session restarts…");
    try {
      await this.front.panel?.sessionContext.restartKernel();
      this.said.textContent = trans.__("The session has restarted.");
    } catch (error) {
      this.said.textContent = trans.__(
        "The session did not restart: %1",
        error instanceof Error ? error.message : String(error),
      );
    }
  }

  private async restartDevice(device: string): Promise<void> {
    const answer = await this.source.restartDevice(device);
    this.said.textContent = answer.ok ? trans.__("%1 has restarted.", device) : answer.problem;
    void this.refresh();
  }

  private async clearCache(): Promise<void> {
    const answer = await this.source.clearCache();
    this.said.textContent = answer.ok ? clearedText(answer.value) : answer.problem;
    void this.refresh();
  }

  private async look(): Promise<void> {
    const { kernel } = this.front;
    const look = ++this.looks;
    this.seen = kernel;
    this.isLooking = true;
    this.machine.replaceChildren(element("div", "warpcell-quiet", looking()));
    const answer = await this.source.machine();
    if (look !== this.looks) return;
    this.isLooking = false;
    if (this.seen !== kernel) return;
    this.machine.replaceChildren(
      ...(answer.ok ? machineLists(answer.value) : [element("div", "warpcell-problem", answer.problem)]),
    );
  }
}

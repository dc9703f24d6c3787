// Hands a profile over to Perfetto in a new tab of the browser, once the user has said so: until then nothing is loaded
// and nothing leaves the page.
import { Dialog, Notification, showDialog } from "@jupyterlab/apputils";
import { saveAs } from "../drawing/save-as.ts";
import { trans } from "../drawing/trans.ts";
import type { Trace } from "./payload.ts";
import { traceEvents } from "./trace-events.ts";

const origin = "https://ui.perfetto.dev";
/** Perfetto is asked whether it is there every so many ms, so many times. */
const interval = 100;
const most = 600;

export async function openInPerfetto(trace: Trace): Promise<void> {
  const { button } = await showDialog({
    title: trans.__("Open the profile in Perfetto?"),
    body: trans.__(
      "%1 opens in a new tab, and this page hands the profile over to it, with names of kernels and lines of cells. Perfetto draws it in this browser, and sends it nowhere. Without a network, save the file and open it in a Perfetto of yours.",
      origin.replace("https://", ""),
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__("Cancel") }),
      Dialog.createButton({ label: trans.__("Save file"), accept: true, actions: ["save"] }),
      Dialog.okButton({ label: trans.__("Open") }),
    ],
  });
  if (!button.accept) return;
  const text = JSON.stringify(traceEvents(trace));
  if (button.actions.includes("save")) saveAs("cell.trace.json", text);
  else if (!handOver(trace.payload.title, text))
    Notification.error(
      trans.__("The browser has opened no tab for Perfetto: allow pop-ups of this page, and try again."),
      { autoClose: 10_000 },
    );
}

/** False: the browser opens no tab. Perfetto answers "PONG" to "PING" once it takes a trace. */
function handOver(title: string, text: string): boolean {
  const tab = window.open(origin);
  if (tab === null) return false;
  let asked = 0;
  const timer = setInterval(() => {
    // To whatever page is there by now: the word says nothing.
    if (tab.closed || ++asked > most) stop();
    else tab.postMessage("PING", "*");
  }, interval);
  const heard = ({ source, origin: from, data }: MessageEvent): void => {
    if (source !== tab || from !== origin || data !== "PONG") return;
    stop();
    const { buffer } = new TextEncoder().encode(text);
    tab.postMessage({ perfetto: { buffer, title, fileName: "cell.trace.json" } }, origin, [buffer]);
  };
  const stop = (): void => {
    clearInterval(timer);
    window.removeEventListener("message", heard);
  };
  window.addEventListener("message", heard);
  return true;
}

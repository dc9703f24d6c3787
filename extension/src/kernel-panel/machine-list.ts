// What the machine has and lacks: a list for what is of no device, and one for each device.
import type { Finding } from "../../../kernel/mime.ts";
import { element } from "../tensor-view/element.ts";

export function machineLists(findings: readonly Finding[]): HTMLElement[] {
  const devices = [...new Set(findings.map(({ device }) => device))];
  return devices.map((device) => {
    const own = findings.filter((finding) => finding.device === device);
    const itself = own.find(({ what }) => what === "");
    const facts = own.filter((finding) => finding !== itself);
    return element(
      "div",
      "warpcell-machine",
      ...(device === null ? [] : [element("h4", "", device), ...(itself === undefined ? [] : [said("div", itself)])]),
      ...(facts.length === 0 ? [] : [element("dl", "warpcell-machine-facts", ...facts.flatMap(pair))]),
    );
  });
}

const pair = (finding: Finding): HTMLElement[] => [element("dt", "", finding.what), said("dd", finding)];

function said(tag: "div" | "dd", { found, isMissing }: Finding): HTMLElement {
  return element(tag, "", isMissing ? element("div", "warpcell-problem", found) : found);
}

// A small chart of the occupancy over block sizes: a bar for each, and what limits it in words for the one that is
// pointed at.
import type { AsmPayload } from "../../../kernel/mime.ts";
import { shownText } from "../drawing/shown-text.ts";
import { keepKeys } from "../drawing/own-keys.ts";
import { svg } from "../drawing/svg.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

type Step = AsmPayload["occupancy"][number];

const height = 24;
const bar = 5;
/** More than a device has sizes of blocks in whole warps. */
const mostSteps = 64;

/** The highest percentage, and the smallest block that reaches it. */
export function bestOf(steps: readonly Step[]): Step {
  return steps.reduce((best, step) => (step.percent > best.percent ? step : best));
}

export const stepSentence = ({ block, percent, limiter }: Step): string =>
  `blocks of ${block.toLocaleString("en-US")}: ${Math.round(percent)} %${limiter === "" ? "" : `, limited by ${shownText(limiter, 40)}`}`;

/** `null` where the device has no occupancy. */
export function occupancyChart(all: readonly Step[]): HTMLElement | null {
  const steps = all.slice(0, mostSteps);
  if (steps.length === 0) return null;
  const best = bestOf(steps);
  const bars = steps.map((step, index) =>
    svg(
      "g",
      { class: "warpcell-asm-step" },
      svg("rect", { class: "warpcell-asm-step-field", x: index * bar, y: 0, width: bar, height }),
      svg("rect", {
        class: "warpcell-asm-step-bar",
        x: index * bar,
        y: height - (step.percent / 100) * height,
        width: bar - 1,
        height: (step.percent / 100) * height,
      }),
    ),
  );
  const width = steps.length * bar;
  const chart = svg(
    "svg",
    {
      class: "warpcell-asm-occupancy-chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      tabindex: 0,
      role: "img",
    },
    ...bars,
  );
  keepKeys(chart);
  const resting = `occupancy up to ${Math.round(best.percent)} % with ${stepSentence(best).replace(/: [^,]*/, "")}`;
  chart.setAttribute(
    "aria-label",
    trans.__("Occupancy over block sizes: %1. Arrow keys go from size to size.", resting),
  );
  const reading = element("span", "warpcell-asm-occupancy-reading", resting);
  reading.setAttribute("role", "status");
  let current = -1;
  const moveTo = (index: number) => {
    bars[current]?.classList.remove("warpcell-asm-step-current");
    current = index;
    bars[current]?.classList.add("warpcell-asm-step-current");
    const step = steps[index];
    reading.textContent = step ? stepSentence(step) : resting;
  };
  chart.addEventListener("pointermove", ({ clientX }) =>
    moveTo(Math.max(0, Math.min(steps.length - 1, Math.floor((clientX - chart.getBoundingClientRect().left) / bar)))),
  );
  chart.addEventListener("pointerleave", () => moveTo(-1));
  chart.addEventListener("blur", () => moveTo(-1));
  chart.addEventListener("keydown", (event) => {
    const next = {
      ArrowRight: current + 1,
      ArrowLeft: current < 0 ? steps.length - 1 : current - 1,
      Home: 0,
      End: steps.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    moveTo(Math.max(0, Math.min(steps.length - 1, next)));
  });
  return element("div", "warpcell-asm-occupancy", chart as unknown as HTMLElement, reading);
}

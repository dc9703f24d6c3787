// What an exercise looks like: HTML that needs no scripts and takes the page's colours, so that JupyterLab, GitHub and
// nbconvert show it on light and on dark, and text for terminals.
import { escaped } from "../wording.ts";

/** An exercise as a card says it. */
export interface Card {
  readonly name: string;
  readonly task: string;
  readonly hints: readonly string[];
  /** So many hints have been asked for. */
  readonly told: number;
  readonly answer: string;
  /** Why it is not solved; `null` once it is. */
  readonly reason: string | null;
}

/** How many exercises of the notebook are solved, of those that have been run. */
export interface Score {
  readonly solved: number;
  readonly of: number;
}

/** Of middle brightness: they stand out from white and from black. */
const colours = { solved: "#2e9d5c", open: "#c98500" };

const scoreText = ({ solved, of }: Score): string => `${solved} of ${of} solved`;
const markOf = (reason: string | null): string => (reason === null ? "✓" : "○");

/** Text of a teacher's, or of a check: `…` is code, and its lines are kept. */
const paragraphs = (text: string): string =>
  escaped(text.trim())
    .replace(/`([^`\n]+)`/g, "<code>$1</code>")
    .replaceAll("\n", "<br>");

/** Each hint within the one before, so that the second can be opened once the first is. */
const hintsOf = ({ hints, told }: Card): string =>
  hints.reduceRight(
    (later, hint, index) =>
      `<details${index < told ? " open" : ""}><summary>Hint${hints.length > 1 ? ` ${index + 1} of ${hints.length}` : ""}</summary><p>${paragraphs(hint)}</p>${later}</details>`,
    "",
  );

/** The card of one exercise. */
export function htmlOf(card: Card, score: Score): string {
  const { name, task, answer, reason } = card;
  return [
    `<div style="border-left:4px solid ${reason === null ? colours.solved : colours.open};padding:2px 14px;max-width:48em">`,
    `<p><strong>${markOf(reason)} ${escaped(name)}</strong>: ${reason === null ? "solved" : "not solved yet"} <small>(${scoreText(score)})</small></p>`,
    task === "" ? "" : `<p>${paragraphs(task)}</p>`,
    reason === null ? "" : `<p>${paragraphs(reason)}</p>`,
    hintsOf(card),
    answer === "" ? "" : `<details><summary>An answer</summary><pre><code>${escaped(answer)}</code></pre></details>`,
    "</div>",
  ].join("");
}

/** The same for terminals, with the hints that have been asked for. */
export function textOf({ name, task, hints, told, reason }: Card, score: Score): string {
  return [
    `${markOf(reason)} ${name}: ${reason === null ? "solved" : "not solved yet"} (${scoreText(score)})`,
    ...(task === "" ? [] : [task.trim()]),
    ...(reason === null ? [] : [reason]),
    ...hints.slice(0, told).map((hint, index) => `Hint ${index + 1}: ${hint.trim()}`),
  ].join("\n");
}

/** All exercises of a notebook, a line each. */
export function htmlOfList(cards: readonly Pick<Card, "name" | "reason">[], score: Score): string {
  const lines = cards.map(({ name, reason }) => `<div>${markOf(reason)} ${escaped(name)}</div>`);
  return `<div><p><strong>${listTitle(score)}</strong></p>${lines.join("")}</div>`;
}

export function textOfList(cards: readonly Pick<Card, "name" | "reason">[], score: Score): string {
  return [listTitle(score), ...cards.map(({ name, reason }) => `${markOf(reason)} ${name}`)].join("\n");
}

const listTitle = (score: Score): string =>
  score.of === 0 ? "No exercise has been run yet." : `Exercises: ${scoreText(score)}`;

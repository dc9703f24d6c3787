// A profile as text and as HTML, for readers without the extension: what the devices did, a row for each kernel, and
// the advice.
import { counted, countText, duration, percent, rateText, shapeText } from "../figures.ts";
import { pictureOf } from "./picture.ts";
import type { KernelRow, ProfileData } from "./slices.ts";
import { mostText } from "./stalls.ts";
import { escaped } from "../wording.ts";

/** Rows of a table for people; `table()` has them all. */
const shownRows = 30;
const longestName = 60;

interface Column {
  readonly title: string;
  readonly isText?: true;
  readonly of: (row: KernelRow) => string | null;
}

const perSecond = (row: KernelRow, amount: number | null): number | null =>
  amount === null || row.mean === 0 ? null : amount / (row.mean / 1e9);
const rate = (row: KernelRow, amount: number | null, unit: "B" | "FLOP"): string | null => {
  const value = perSecond(row, amount);
  return value === null || value === 0 ? null : rateText(value, unit);
};

/** A column is shown where one row has something to say. */
const columns: readonly Column[] = [
  { title: "Time", of: ({ share }) => percent(share) },
  { title: "Total", of: ({ total }) => duration(total) },
  { title: "Calls", of: ({ calls }) => countText(calls) },
  {
    title: "Mean ± std",
    of: ({ mean, deviation, calls }) => (calls === 1 ? duration(mean) : `${duration(mean)} ± ${duration(deviation)}`),
  },
  { title: "Min … max", of: ({ min, max, calls }) => (calls === 1 ? null : `${duration(min)} … ${duration(max)}`) },
  { title: "Grid", of: ({ grid }) => shapeText(grid) || null },
  { title: "Block", of: ({ block }) => (block.every((length) => length <= 1) ? null : shapeText(block)) },
  { title: "Registers", of: ({ registers }) => (registers === null ? null : String(registers)) },
  {
    title: "Occupancy",
    of: ({ theoreticalOccupancy, limiter }) =>
      theoreticalOccupancy === null ? null : `${theoreticalOccupancy.toFixed(0)} % (${limiter})`,
  },
  { title: "Moves", of: (row) => rate(row, row.bytes, "B") },
  { title: "Computes", of: (row) => rate(row, row.flops, "FLOP") },
  { title: "Most samples", of: ({ samples }) => mostText(samples) },
  {
    title: "Name",
    isText: true,
    of: ({ name, operation }) => shortened(operation === null ? name : `${operation} · ${name}`),
  },
];

function shortened(name: string): string {
  const plain = name.replace(/[\u0000-\u001f\u007f]/g, " ");
  return plain.length <= longestName ? plain : `${plain.slice(0, longestName - 1)}…`;
}

function tableOf(kernels: readonly KernelRow[]): { titles: Column[]; rows: string[][] } {
  const shown = kernels.slice(0, shownRows);
  const titles = columns.filter(({ of }) => shown.some((row) => of(row) !== null));
  return { titles, rows: shown.map((row) => titles.map(({ of }) => of(row) ?? "")) };
}

function headline({ title, duration: whole, devices, kernels }: ProfileData): string {
  const busy = devices.map(
    (device) => `${device.device} worked ${duration(device.busy * whole)} (${percent(device.busy)})`,
  );
  const calls = kernels.reduce((sum, row) => sum + row.calls, 0);
  return `${title}: ${duration(whole)}; ${[...busy, `${counted(calls, "launch")} of ${counted(kernels.length, "kernel")}`].join("; ")}`;
}

const rest = ({ kernels }: ProfileData): string[] =>
  kernels.length > shownRows ? [`and ${countText(kernels.length - shownRows)} more kernels: table() has them all`] : [];

export function textOf(data: ProfileData): string {
  const { titles, rows } = tableOf(data.kernels);
  const widths = titles.map(({ title }, at) =>
    rows.reduce((width, row) => Math.max(width, row[at]!.length), title.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (titles[at]!.isText ? cell : cell.padStart(widths[at]!)))
      .join("  ")
      .trimEnd();
  const table = rows.length === 0 ? [] : [line(titles.map(({ title }) => title)), ...rows.map(line), ...rest(data)];
  return [
    headline(data),
    ...table,
    ...data.advice.map(({ text }) => `→ ${text}`),
    ...data.notes.map((note) => `! ${note}`),
  ].join("\n");
}

export function htmlOf(data: ProfileData): string {
  const { titles, rows } = tableOf(data.kernels);
  const cells = (tag: string, texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join("")}</tr>`;
  const table =
    rows.length === 0
      ? ""
      : `<table><thead>${cells(
          "th",
          titles.map(({ title }) => title),
        )}</thead><tbody>${rows.map((row) => cells("td", row)).join("")}</tbody></table>`;
  const list = [...rest(data), ...data.advice.map(({ text }) => text), ...data.notes]
    .map((text) => `<li>${escaped(text)}</li>`)
    .join("");
  return `<div>${escaped(headline(data))}</div><img alt="${escaped(`Timeline of ${data.title}`)}" src="data:image/svg+xml;base64,${Buffer.from(pictureOf(data)).toString("base64")}">${table}${list === "" ? "" : `<ul>${list}</ul>`}`;
}

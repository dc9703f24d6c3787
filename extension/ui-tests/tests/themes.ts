// The themes that views are looked at in.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";

/** Pictures and colours of all themes and widths take minutes: `npm run test:long`. */
export const isLong = process.env["WARPCELL_LONG"] === "1";

/** The dark themes that views are looked at in, with short names. */
export const darkThemes = [
  ["JupyterLab Dark", "dark"],
  ...(isLong ? [["JupyterLab Dark High Contrast", "high-contrast"] as const] : []),
] as const;

export const themes = ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"] as const;

/** "dark-high-contrast" */
export const shortName = (theme: string): string => theme.split(" ").slice(1).join("-").toLowerCase();

export async function setTheme(page: IJupyterLabPageFixture, theme: "light" | "dark"): Promise<void> {
  if (theme === "dark") await page.theme.setDarkTheme();
  else await page.theme.setLightTheme();
}

// What of the editor's help a user wants, as the settings say.
export interface EditorSettings {
  hover: boolean;
  signatures: boolean;
  completion: boolean;
  hints: boolean;
  ctrlClick: boolean;
}

export const everything: EditorSettings = {
  hover: true,
  signatures: true,
  completion: true,
  hints: true,
  ctrlClick: true,
};

/** `get`: the value of a setting. */
export function settingsFrom(get: (name: string) => unknown): EditorSettings {
  const entries = Object.keys(everything).map((name) => [name, get(name) !== false]);
  return Object.fromEntries(entries) as EditorSettings;
}

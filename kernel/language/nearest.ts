// Finds the known word that a misspelt one probably means.

/**
 * The known word that goes on where this one ends, or that fewest changes of a letter lead to, when so few could be a
 * slip; else `undefined`.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const longer = word.length < 4 ? undefined : known.find((candidate) => candidate.startsWith(word));
  if (longer !== undefined) return longer;
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** Letters to insert, remove, replace, or swap with the next. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1]!;
      const steps = [above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps.push(rows[i - 2]![j - 2]! + 1);
      row.push(Math.min(...steps));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
}

/** The lines of two texts, marked as kept, added or removed, by their longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  // Length of the longest common subsequence from each pair of positions on; conditions have some dozens of lines.
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i]![j] = a[i] === b[j] ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i] ?? "" });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && length[i + 1]![j]! >= length[i]![j + 1]!))
      lines.push({ kind: "removed", text: a[i++] ?? "" });
    else lines.push({ kind: "added", text: b[j++] ?? "" });
  }
  return lines;
}

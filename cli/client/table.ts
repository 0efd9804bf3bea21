/** Prints rows below their headings, in columns as wide as their texts. The last column is not padded. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of [headings, ...rows]) {
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
}

const maxCell = 100;

/** The first line of a text, shortened, without what would move the cursor. */
export function toCell(text: string | null): string {
  const [line = ""] = (text ?? "").trim().split("\n");
  const plain = line.replaceAll(/\p{Cc}/gu, " ");
  return plain.length > maxCell ? `${plain.slice(0, maxCell - 1)}…` : plain;
}

import { cn } from "@/components/kit/cn";

interface ValueTableProps {
  caption: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  /** Heads are long, such as paths of fields, and break where they have to. */
  longHeads?: boolean;
}

/** What a plot shows as a table, which scrolls by itself. */
export function ValueTable({ caption, heads, rows, longHeads = false }: ValueTableProps) {
  const cell = "px-2 py-0.5 text-right tabular-nums first:text-left";
  return (
    <div className="max-h-60 overflow-auto border-y" tabIndex={0} role="region" aria-label={caption}>
      <table className="w-full text-meta">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-surface text-muted">
          <tr>
            {heads.map((head, column) => (
              // Two of them may say the same, such as those of a field over itself.
              <th key={column} scope="col" className={cn(cell, "font-normal", longHeads && "wrap-anywhere")}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((text, column) => (
                <td key={column} className={cell}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

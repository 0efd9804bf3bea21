import type { ReactNode } from "react";

interface DifferenceTableProps {
  caption: string;
  heads: readonly string[];
  rows: readonly { key: string; name: ReactNode; cells: readonly string[] }[];
}

/** What differs, with the value of each recording. */
export function DifferenceTable({ caption, heads, rows }: DifferenceTableProps) {
  const cell = "w-px py-1 pl-3 text-right align-top tabular-nums";
  return (
    <div className="max-h-72 overflow-auto" tabIndex={0} role="group" aria-label={caption}>
      <table className="w-full text-table">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-meta text-subtle">
          <tr>
            {heads.map((head, at) => (
              <th
                key={head}
                scope="col"
                className={at === 0 ? "text-left font-normal" : `${cell} font-normal whitespace-nowrap`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, cells }) => (
            <tr key={key}>
              <th scope="row" className="max-w-0 py-1 text-left align-top font-normal wrap-anywhere">
                {name}
              </th>
              {cells.map((text, at) => (
                <td key={at} className={`${cell} whitespace-nowrap`}>
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

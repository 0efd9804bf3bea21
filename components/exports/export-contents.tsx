import { formatNumber, plural } from "@/components/kit/format";
import { Status } from "@/components/product/status";
import { splitParts, type ExportContents as Contents } from "@/domain/exports/schema";
import { describeDivision, describeLoss, partNames } from "./labels";

/** What a format could not or cannot hold; nothing where it holds everything. */
export function LossList({ losses, label }: { losses: Contents["losses"]; label: string }) {
  if (losses.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-col gap-1 text-table">
      {losses.map((loss) => (
        <li key={loss.what}>
          <Status tone="warning" className="whitespace-normal!">
            <span className="whitespace-normal">{describeLoss(loss)}</span>
          </Status>
        </li>
      ))}
    </ul>
  );
}

/** Labels with the numbers of their shapes; `numbered` where the order numbers the classes of the file. */
export function ClassTable(props: { classes: Contents["classes"]; label: string; numbered: boolean }) {
  const { classes, label, numbered } = props;
  const max = Math.max(1, ...classes.map(({ count }) => count));
  return (
    <table aria-label={label} className="w-full table-fixed text-table">
      <thead className="text-meta text-subtle">
        <tr>
          {numbered && (
            <th scope="col" className="w-14 py-1 text-left font-normal">
              Class
            </th>
          )}
          <th scope="col" className="py-1 text-left font-normal">
            Label
          </th>
          <th scope="col" className="w-24 py-1 text-right font-normal">
            Shapes
          </th>
          <th scope="col" className="w-1/4 max-sm:hidden">
            <span className="sr-only">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {classes.map(({ name, count }, at) => (
          <tr key={name} className="border-t border-border">
            {numbered && <td className="py-1 text-muted tabular-nums">{at}</td>}
            <td className="truncate py-1 pr-2" title={name}>
              {name}
            </td>
            <td className="py-1 text-right tabular-nums">{formatNumber(count)}</td>
            <td className="py-1 pl-3 max-sm:hidden">
              <span
                aria-hidden
                className="block h-1.5 rounded-full bg-accent"
                style={{ width: `${(count / max) * 100}%` }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is in the file of an export. */
export function ExportContents({ contents, numbered }: { contents: Contents; numbered: boolean }) {
  const { items, results, classes, losses, split } = contents;
  const division = split ? describeDivision(split) : null;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-table text-muted">
        {plural(items, "item")} with {plural(results, "result")}
        {classes.length === 0 && ", and no label"}
      </p>
      {split && (
        <p className="text-table text-muted tabular-nums">
          {splitParts.map((part) => `${partNames[part]} ${formatNumber(split[part])}`).join(" · ")}
        </p>
      )}
      {division !== null && (
        <Status tone="warning" className="whitespace-normal!">
          <span className="whitespace-normal">{division}</span>
        </Status>
      )}
      <LossList losses={losses} label="What the format does not hold" />
      {classes.length > 0 && <ClassTable classes={classes} label="Classes" numbered={numbered} />}
    </div>
  );
}

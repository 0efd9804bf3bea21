import { labelColour } from "@/components/items/item-colour";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { LeastScore } from "@/components/pre-labels/least-score";
import type { Outputs } from "@/components/trpc/client";

type Histogram = Outputs["runs"]["histogram"];

interface LabelBarsProps {
  labels: Histogram["labels"];
  chosen: string | null;
  onChoose: (label: string | null) => void;
}

/** How many items have each label; a press shows those alone. */
export function LabelBars({ labels, chosen, onChoose }: LabelBarsProps) {
  const most = Math.max(1, ...labels.map(({ count }) => count));
  return (
    <ul aria-label="Labels" tabIndex={0} className="flex max-h-64 flex-col overflow-y-auto">
      {labels.map(({ label, count }) => (
        <li key={label}>
          <button
            type="button"
            aria-pressed={chosen === label}
            className={cn(
              "grid w-full grid-cols-[minmax(0,8rem)_1fr_auto] items-center gap-3 rounded-control px-2 py-1 text-table -outline-offset-2! hover:bg-hover",
              chosen === label && "bg-selected",
            )}
            onClick={() => onChoose(chosen === label ? null : label)}
          >
            <span className="truncate text-left">{label}</span>
            <span aria-hidden className="h-2 rounded-full bg-border">
              <span
                className="block h-full rounded-full"
                style={{ width: `${(count / most) * 100}%`, backgroundColor: labelColour(label) }}
              />
            </span>
            <span className="tabular-nums text-muted">{formatNumber(count, 0)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ScoreBarsProps {
  scores: Histogram["scores"];
  least: number;
  onLeast: (least: number) => void;
}

/** How many items have their highest score in each tenth, and the least score that is shown. */
export function ScoreBars({ scores, least, onLeast }: ScoreBarsProps) {
  const most = Math.max(1, ...scores);
  const said = scores
    .map((count, at) => (count > 0 ? `${at / 10} to ${(at + 1) / 10}: ${plural(count, "item")}` : null))
    .filter((text) => text !== null)
    .join(", ");
  return (
    <div className="flex flex-col gap-2">
      <div role="img" aria-label={`Highest scores. ${said || "None."}`} className="flex h-24 items-end gap-1">
        {scores.map((count, at) => (
          <span
            key={at}
            title={`${at / 10} to ${(at + 1) / 10}: ${formatNumber(count, 0)}`}
            className={cn(
              "min-h-px flex-1 rounded-t-control",
              at / 10 + 0.1 > least ? "bg-accent" : "bg-border-strong",
            )}
            style={{ height: `${(count / most) * 100}%` }}
          />
        ))}
      </div>
      <LeastScore value={least} onChange={onLeast} />
    </div>
  );
}

import Link from "next/link";
import { formatNumber } from "@/components/kit/format";
import { labelColour } from "./item-colour";

interface LabelCountsProps {
  labels: readonly { name: string; color: string | null; count: number }[];
  /** Where a label leads, where it leads anywhere. */
  toHref?: (label: string) => string;
}

/** Labels with how many shapes have each, in their colours: "forklift 2, pallet 1". */
export const LabelCounts = ({ labels, toHref }: LabelCountsProps) => (
  <ul aria-label="Labels" className="flex flex-wrap gap-x-3 gap-y-0.5">
    {labels.map(({ name, color, count }) => (
      <li key={name} className="flex max-w-full min-w-0 items-center gap-1.5">
        <span
          aria-hidden
          className="size-2.5 shrink-0 rounded-full"
          style={{ backgroundColor: labelColour(name, color) }}
        />
        {toHref ? (
          <Link
            href={toHref(name)}
            prefetch={false}
            className="min-w-0 truncate rounded-control text-accent-text hover:underline"
          >
            {name}
          </Link>
        ) : (
          <span className="min-w-0 truncate">{name}</span>
        )}
        <span className="tabular-nums">{formatNumber(count, 0)}</span>
      </li>
    ))}
  </ul>
);

import Link from "next/link";
import { StatusMark } from "@/components/product/status";
import { cellCeiling } from "@/domain/limits";
import { severitiesWorstFirst, type Severity } from "@/domain/severity";

interface SeverityCountsProps {
  counts: Readonly<Record<Severity, number>>;
  /** Of all of them; at the ceiling of a cell there are more. */
  total: number;
  /** What so many of a severity are: "2 open critical alerts of Arm C1". */
  words: (count: string, severity: Severity) => string;
  /** Where they are listed; without it the counts lead nowhere. */
  href?: (severity: Severity) => string;
}

/** Alerts by severity, the worst first: `◆ 1 ● 2`. */
export function SeverityCounts({ counts, total, words, href }: SeverityCountsProps) {
  const more = total >= cellCeiling ? "+" : "";
  const look = "inline-flex min-h-6 items-center gap-1 px-0.5 tabular-nums";
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle">
      {severitiesWorstFirst.map((severity) => {
        const count = counts[severity];
        if (count === 0) return null;
        const text = words(`${count}${more}`, severity);
        const shown = (
          <>
            <StatusMark tone={severity} />
            {count}
            {more}
          </>
        );
        return href ? (
          <Link
            key={severity}
            href={href(severity)}
            prefetch={false}
            aria-label={text}
            title={text}
            className={`${look} min-w-6 rounded-control hover:bg-selected`}
          >
            {shown}
          </Link>
        ) : (
          <span key={severity} title={text} className={look}>
            <span aria-hidden className="contents">
              {shown}
            </span>
            <span className="sr-only">{text}</span>
          </span>
        );
      })}
    </span>
  );
}

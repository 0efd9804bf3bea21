import { cn } from "@/components/kit/cn";
import { StatusMark } from "@/components/product/status";
import type { Judgement } from "@/domain/health/meanings";

interface Reading {
  /** The value for people: `35 %`. */
  text: string;
  judgement: Judgement;
}

const isOut = (judgement: Judgement) => judgement === "warning" || judgement === "critical";

/** A value of a metric in words: `9 %, critical`. */
export const describeReading = ({ text, judgement }: Reading): string =>
  isOut(judgement) ? `${text}, ${judgement}` : text;

/**
 * A value of a metric; one out of its good range has the shape and the name of how bad that is. `brief`: the shape only,
 * for where the name stands beside it.
 */
export function MetricReading(props: { reading: Reading; brief?: boolean; className?: string }) {
  const { reading, brief = false, className } = props;
  const { text, judgement } = reading;
  return (
    <span className={cn("inline-flex max-w-full items-center gap-1 align-middle", className)}>
      {(judgement === "warning" || judgement === "critical") && <StatusMark tone={judgement} />}
      {/* Only texts may be long, and of them nothing is known to be good or bad. */}
      <span className={cn("tabular-nums", isOut(judgement) ? "shrink-0" : "truncate")}>{text}</span>
      {isOut(judgement) && !brief && <span className="truncate text-subtle">{judgement}</span>}
    </span>
  );
}

import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Judgement } from "@/domain/rules/judgements";
import { describeTally, suggestByOutcomes, tally, type Judgements, type Recordings } from "./outcomes";

const words: Record<Judgement, string> = { fixed: "Fixed", false_alarm: "False alarm" };

/** A dot for what was fixed, an empty square for a false alarm. */
export const JudgementMark = ({ judgement, className }: { judgement: Judgement; className?: string }) => (
  <span
    aria-hidden
    className={cn(
      "inline-block size-1.5 shrink-0",
      judgement === "fixed" ? "rounded-full bg-online" : "border border-error bg-background",
      className,
    )}
  />
);

/** What people decided about the alert of a recording. */
export const JudgementLabel = ({ judgement }: { judgement: Judgement }) => (
  <span className="inline-flex items-center gap-1 text-meta text-muted">
    <JudgementMark judgement={judgement} />
    {words[judgement]}
  </span>
);

/** What a condition does with the alerts that people resolved, and the value that would do better. */
export function OutcomeSummary(props: {
  recordings: Readonly<Recordings>;
  judged: Judgements;
  condition: ConditionDraft;
  /** Tries another value. */
  onValueChange: ((value: number) => void) | undefined;
}) {
  const { recordings, judged, condition, onValueChange } = props;
  const found = tally(recordings, judged);
  if (!found) return null;
  const suggested = onValueChange ? suggestByOutcomes(condition, recordings, judged) : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table tabular-nums">
      <p>Of what was resolved, it {describeTally(found)}.</p>
      {suggested !== null && onValueChange && (
        <Button size="sm" onClick={() => onValueChange(suggested)}>
          Try {formatNumber(suggested, 6)}
        </Button>
      )}
    </div>
  );
}

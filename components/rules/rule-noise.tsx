"use client";

import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { PageBody, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { DayBars } from "./day-bars";
import { rateOverLast } from "./hit-summary";
import type { RuleDetail } from "./query";
import { describeTally } from "./suggestions/outcomes";
import type { SuggestedValue } from "./suggestions/suggest-value";
import { useSuggestion } from "./use-suggestion";

type Noise = Outputs["rules"]["noise"];

/** What a suggested value would change, in the figures that are shown above it. */
function describe(suggestion: SuggestedValue, { hit_count: hits, days }: Noise): string {
  if (suggestion.by === "outcomes") return `By the peaks of its hits, it ${describeTally(suggestion.tally)}.`;
  const { left, of } = suggestion;
  const share = `${formatNumber(left)} of its latest ${plural(of, "hit")} went further than that`;
  return `${share}: about ${plural((left / of) * hits, "hit")} in the last ${days} days instead of ${formatNumber(hits)}.`;
}

/** How noisy a rule is, and what would reduce its hits; `reason` is why the person may not change it. */
export function RuleNoise({ rule, reason }: { rule: RuleDetail; reason: string | undefined }) {
  const trpc = useTRPC();
  const noise = useQuery(trpc.rules.noise.queryOptions({ uid: rule.uid }));
  const suggestion = useSuggestion(rule.uid);
  if (noise.error)
    return (
      <ErrorState error={noise.error} title="The figures could not be loaded" onRetry={() => void noise.refetch()} />
    );
  if (!noise.data)
    return (
      <PageBody>
        <SkeletonText lines={6} />
      </PageBody>
    );
  const { data } = noise;
  return (
    <PageBody>
      <Section
        title="Hits per day"
        description={`${plural(data.hit_count, "hit")}, ${rateOverLast(data.hit_count, data.days).text}`}
      >
        <DayBars days={data.daily} />
      </Section>
      {suggestion && (
        <Section title={`Try ${formatNumber(suggestion.value, 4)}`} description={describe(suggestion, data)}>
          <ButtonLink href={`/rules/${rule.uid}/edit?value=${suggestion.value}`} disabledReason={reason}>
            Try it in the builder
          </ButtonLink>
        </Section>
      )}
      <Section title="Alerts" description={`In the last ${data.days} days`}>
        <KeyValue
          items={[
            ["Raised", formatNumber(data.alert_count)],
            ["Resolved", formatNumber(data.resolved_count)],
            ["False alarms", formatNumber(data.false_alarm_count)],
            [
              "Share",
              data.false_alarm_share === null
                ? null
                : `${formatNumber(data.false_alarm_share * 100, 1)} % of the resolved were false alarms`,
            ],
          ]}
        />
      </Section>
    </PageBody>
  );
}

import Link from "next/link";
import { plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { Status } from "@/components/product/status";
import type { Activity } from "./query";

/** The rules with the most alerts; bars show their share of the noisiest. */
export function NoisyRules({ rules, span }: { rules: Activity["rules"] | undefined; span: string }) {
  const max = rules?.[0]?.alerts ?? 1;
  return (
    <Section title="Noisiest rules" description={`By alerts of the last ${span}`}>
      {!rules ? (
        <Skeleton className="h-52" />
      ) : rules.length === 0 ? (
        <p className="border-t py-3 text-table text-subtle">No rule raised an alert.</p>
      ) : (
        <ol className="border-t">
          {rules.map((rule) => (
            <li key={rule.uid} className="border-b py-2">
              <div className="flex items-baseline justify-between gap-3 text-table">
                <span className="flex min-w-0 items-center gap-2">
                  <Status tone={rule.worst} hideLabel />
                  <Link href={`/rules/${rule.uid}`} className="truncate rounded-control font-medium hover:underline">
                    {rule.name}
                  </Link>
                </span>
                <Link
                  href={`/alerts?rule_id=${rule.uid}`}
                  className="shrink-0 rounded-control text-muted tabular-nums hover:underline"
                >
                  {plural(rule.alerts, "alert")}
                </Link>
              </div>
              <div aria-hidden className="mt-1.5 h-1 rounded-full bg-hover">
                <div
                  className="h-full rounded-full bg-border-strong"
                  style={{ width: `${(100 * rule.alerts) / max}%` }}
                />
              </div>
              <p className="mt-1 text-meta text-subtle tabular-nums">
                {plural(rule.devices, "device")}
                {rule.resolved > 0 &&
                  `, ${Math.round((100 * rule.false_alarms) / rule.resolved)} % of ${rule.resolved} resolved were false alarms`}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

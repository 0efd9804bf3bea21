"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Section } from "@/components/kit/page-header";
import { useTRPC } from "@/components/trpc/client";
import { counted, refreshMs } from "./query";

/** How the way from alerts to exports stands; nothing until there is a dataset. */
export function TrainingData() {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const { data } = useQuery({ ...trpc.overview.loop.queryOptions(shown), refetchInterval: refreshMs });
  if (!data) return null;
  const figure = (count: number) => counted(count, data.ceiling);
  const toDataset = (address: string | null, search: Readonly<Record<string, string>>) =>
    address === null ? "/datasets" : `/datasets/${address}?${new URLSearchParams(search).toString()}`;
  const toItems = toDataset(data.items_in, { filter_query_string: `created_at >= ${data.since}` });
  const figures = [
    { label: "Alerts in no dataset, 7 days", value: figure(data.unused_moments), href: "/alerts" },
    { label: "New items, 7 days", value: figure(data.new_items), href: toItems },
    {
      label: "Tasks, mine of all",
      value: `${figure(data.my_tasks)} of ${figure(data.open_tasks)}`,
      href: toDataset(data.tasks_in, { tab: "projects" }),
    },
    {
      label: "Results to review",
      value: figure(data.results),
      href: toDataset(data.results_in, { tab: "projects" }),
    },
    { label: "Exports ready", value: figure(data.exports), href: "/exports" },
  ];
  return (
    <Section title="Training data">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 border-t pt-3 sm:grid-cols-3 lg:grid-cols-5">
        {figures.map(({ label, value, href }) => (
          <div key={label} className="flex min-w-0 flex-col-reverse">
            <dt className="text-meta text-muted">{label}</dt>
            <dd className="text-section font-semibold tabular-nums">
              <Link href={href} aria-label={`${label}: ${value}`} className="rounded-control hover:underline">
                {value}
              </Link>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

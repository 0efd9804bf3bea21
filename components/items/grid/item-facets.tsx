"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { Skeleton } from "@/components/kit/skeleton";
import { Truncate } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { itemStatusLabels, type ItemStatus } from "@/domain/datasets/item-status";
import { chosenDay, chosenValues, toggleDay, toggleValue } from "./filter-parts";

type Facet = Extract<Outputs["items"]["facets"], { timed_out: false }>["facets"][number];

const titles: Readonly<Record<string, string>> = {
  status: "Status",
  label: "Label",
  created_at: "Day",
  "metadata.source.device_name": "Device",
  "metadata.source.recording_id": "Recording",
  "metadata.source.rule_id": "Rule",
  "metadata.source.topic": "Topic",
};
/** More values of a facet are shown on demand. */
const fewValues = 8;

const isStatus = (value: string): value is ItemStatus => Object.hasOwn(itemStatusLabels, value);

interface FacetGroupProps {
  facet: Facet;
  exact: boolean;
  filter: string;
  onChange: (filter: string) => void;
}

function FacetGroup({ facet: { field, values }, exact, filter, onChange }: FacetGroupProps) {
  const [open, setOpen] = useState(false);
  const isDay = field === "created_at";
  const day = isDay ? chosenDay(filter) : null;
  const chosen = isDay ? (day === null ? [] : [day]) : chosenValues(filter, field);
  const title = titles[field] ?? field.replace(/^metadata\./, "");
  const shown = open ? values : values.slice(0, fewValues);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-meta font-medium text-muted">{title}</legend>
      <ul className="flex flex-col">
        {shown.map((each) => {
          const text =
            each.name ?? (field === "status" && isStatus(each.value) ? itemStatusLabels[each.value] : each.value);
          return (
            <li key={each.value}>
              <Checkbox
                className="items-center py-0.5"
                checked={chosen.includes(each.value)}
                onCheckedChange={() =>
                  onChange(isDay ? toggleDay(filter, each.value) : toggleValue(filter, field, each))
                }
                label={
                  <span className="flex min-w-0 items-baseline gap-2">
                    <Truncate text={text} className="flex-1" />
                    <span className="text-meta text-subtle tabular-nums">
                      {!exact && "≈ "}
                      {formatNumber(each.count, 0)}
                    </span>
                  </span>
                }
              />
            </li>
          );
        })}
      </ul>
      {values.length > fewValues && (
        <Button variant="ghost" size="sm" onClick={() => setOpen(!open)}>
          {open ? "Fewer" : `${values.length - fewValues} more`}
        </Button>
      )}
    </fieldset>
  );
}

interface ItemFacetsProps {
  dataset: string;
  /** What items match now: the counts are of these. */
  matching: string;
  /** The part of it that people change here. */
  filter: string;
  onChange: (filter: string) => void;
  /** How many items match. A value that all of them have splits nothing. */
  count: number;
  /** The counts are taken again when it changes. */
  version: string | null;
  className?: string;
}

/** How the items split by state, label, origin and their own metadata; a press narrows the filter to a value. */
export function ItemFacets({ dataset, matching, filter, onChange, count, version, className }: ItemFacetsProps) {
  const client = useTRPCClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["item facets", dataset, matching, version],
    enabled: version !== null,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.items.facets.mutate({ dataset, filter: matching }, { signal }),
  });
  if (error) return <ErrorState error={error} title="Not counted" onRetry={() => void refetch()} />;
  if (!data) return version === null ? null : <Skeleton className={cn("h-40", className)} />;
  if (data.timed_out) return <p className="text-meta text-muted">Counting takes too long here.</p>;
  return (
    <div className={cn("flex flex-col gap-4", className)}>
      {data.facets
        .filter(
          ({ field, values }) =>
            values.length > 1 ||
            (values[0]?.count ?? count) < count ||
            field === "status" ||
            chosenValues(filter, field).length > 0,
        )
        .map((facet) => (
          <FacetGroup key={facet.field} facet={facet} exact={data.exact} filter={filter} onChange={onChange} />
        ))}
      {!data.exact && <p className="text-meta text-subtle">≈ Counted over the newest 20,000 items that match.</p>}
    </div>
  );
}

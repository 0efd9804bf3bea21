"use client";

import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { Skeleton } from "@/components/kit/skeleton";
import { Truncate } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { choiceLabel, isField } from "@/domain/items/filter";
import {
  bothFilters,
  chosenDay,
  chosenRange,
  chosenValues,
  openRange,
  rangedFields,
  setRange,
  toggleDay,
  toggleValue,
  withoutValues,
} from "./filter-parts";
import { RangeFacet } from "./range-facet";

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

interface FacetGroupProps {
  facet: Facet;
  exact: boolean;
  filter: string;
  onChange: (filter: string) => void;
}

function FacetGroup(props: FacetGroupProps) {
  const { field, range } = props.facet;
  const title = titles[field] ?? field.replace(/^metadata\./, "");
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 max-w-full truncate text-meta font-medium text-muted" title={title}>
        {title}
      </legend>
      {range ? (
        <RangeFacet
          title={title}
          split={range}
          exact={props.exact}
          chosen={chosenRange(props.filter, field)}
          onChange={(chosen) => props.onChange(setRange(props.filter, field, chosen))}
        />
      ) : (
        <FacetValues {...props} />
      )}
    </fieldset>
  );
}

function FacetValues({ facet: { field, values }, exact, filter, onChange }: FacetGroupProps) {
  const [open, setOpen] = useState(false);
  const isDay = field === "created_at";
  const day = isDay ? chosenDay(filter) : null;
  const chosen = isDay ? (day === null ? [] : [day]) : chosenValues(filter, field);
  // What is chosen is always there to be taken back.
  const shown = values.filter((each, at) => open || at < fewValues || chosen.includes(each.value));
  const more = values.length - shown.length;
  return (
    <>
      <ul className="flex flex-col">
        {shown.map((each) => {
          const word = isField(field) ? choiceLabel(field, each.value) : null;
          const text = each.name ?? word ?? each.value;
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
                    <Truncate text={text} className={word === null ? "flex-1" : "shrink-0"} />
                    {word !== null && (
                      <span title={each.value} className="min-w-0 flex-1 truncate font-mono text-meta text-subtle">
                        {each.value}
                      </span>
                    )}
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
      {(open ? values.length > fewValues : more > 0) && (
        <Button variant="ghost" size="sm" onClick={() => setOpen(!open)}>
          {open ? "Fewer" : `${more} more`}
        </Button>
      )}
    </>
  );
}

interface ItemFacetsProps {
  dataset: string;
  /** What items have to match in any case. */
  base: string;
  /** What people add to it here: the counts are of what matches both. */
  filter: string;
  onChange: (filter: string) => void;
  /** How many items match. A value that all of them have splits nothing. */
  count: number;
  /** The counts are taken again when it changes. */
  version: string | null;
  className?: string;
}

function useFacetQuery(dataset: string, base: string, version: string | null) {
  const client = useTRPCClient();
  return (filter: string) => {
    const matching = bothFilters(base, filter);
    return queryOptions({
      queryKey: ["item facets", dataset, matching, version],
      enabled: version !== null,
      staleTime: Infinity,
      gcTime: 60_000,
      retry: false,
      queryFn: ({ signal }) => client.items.facets.mutate({ dataset, filter: matching }, { signal }),
    });
  };
}

/** By the fields that a filter limits, to a range of numbers, to values or to a day: the filter without that limit. */
function listWider(filter: string): Map<string, string> {
  const day = chosenDay(filter);
  return new Map([
    ...rangedFields(filter).map((field): [string, string] => [field, setRange(filter, field, openRange)]),
    ...withoutValues(filter),
    ...(day === null ? [] : [["created_at", toggleDay(filter, day)] as const]),
  ]);
}

/**
 * The facets that a filter limits, as they are without that limit, so that it can be widened too. They were counted before
 * the limit was chosen.
 */
function useWholeFacets(toQuery: ReturnType<typeof useFacetQuery>, filter: string): Map<string, Facet> {
  const wider = [...listWider(filter)];
  const found = useQueries({ queries: wider.map(([, without]) => toQuery(without)) });
  return new Map(
    found.flatMap(({ data }, at) => {
      const facet = data?.timed_out === false ? data.facets.find(({ field }) => field === wider[at]?.[0]) : undefined;
      return facet ? [[facet.field, facet] as const] : [];
    }),
  );
}

/** A facet without its own limit, and what is chosen of it, which may be too rare to be among the values that are listed. */
function widen(whole: Facet, limited: Facet | undefined, chosen: readonly string[]): Facet {
  if (whole.range || !limited) return whole;
  const listed = new Set(whole.values.map(({ value }) => value));
  const rare = limited.values.filter(({ value }) => chosen.includes(value) && !listed.has(value));
  return { ...whole, values: [...whole.values, ...rare] };
}

/** How the items split by state, label, origin and their own metadata; a press or a drag narrows the filter. */
export function ItemFacets({ dataset, base, filter, onChange, count, version, className }: ItemFacetsProps) {
  const toQuery = useFacetQuery(dataset, base, version);
  const { data, error, refetch } = useQuery({ ...toQuery(filter), placeholderData: keepPreviousData });
  const whole = useWholeFacets(toQuery, filter);
  if (error) return <ErrorState error={error} title="Not counted" onRetry={() => void refetch()} />;
  if (!data) return version === null ? null : <Skeleton className={cn("h-40", className)} />;
  if (data.timed_out) return <p className="text-meta text-muted">Counting takes too long here.</p>;
  const counted = new Map(data.facets.map((facet) => [facet.field, facet]));
  return (
    <div className={cn("flex flex-col gap-4", className)}>
      {[...new Map([...counted, ...whole]).keys()]
        .flatMap((field) => {
          const [limited, wide] = [counted.get(field), whole.get(field)];
          // Of single numbers that a filter names there is no range to be widened.
          if (!wide || (limited && wide.range && !limited.range)) return limited ?? [];
          return widen(wide, limited, chosenValues(filter, field));
        })
        .filter(
          ({ field, values, range }) =>
            range !== null ||
            values.length > 1 ||
            (values[0]?.count ?? count) < count ||
            field === "status" ||
            chosenValues(filter, field).length > 0,
        )
        .map((facet) => (
          <FacetGroup key={facet.field} facet={facet} exact={data.exact} filter={filter} onChange={onChange} />
        ))}
      {!data.has_nested && <p className="text-meta text-subtle">Counting nested keys takes too long here.</p>}
      {!data.exact && <p className="text-meta text-subtle">≈ Counted over the newest 20,000 items that match.</p>}
    </div>
  );
}

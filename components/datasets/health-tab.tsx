"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { filterOfValues, toggleDay, toggleValue } from "@/components/items/grid/filter-parts";
import { Button } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { PageBody, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { Truncate } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { datasetPath, itemsHref, type Dataset } from "./query";

interface Bar {
  text: string;
  count: number;
  /** The items that it counts. */
  filter: string;
}

const number = (value: number): string => formatNumber(value, 0);

function Bars({ title, dataset, bars, none }: { title: string; dataset: Dataset; bars: readonly Bar[]; none: string }) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <Section title={title}>
      {bars.length === 0 ? (
        <p className="text-table text-muted">{none}</p>
      ) : (
        <ul aria-label={title} className="flex flex-col gap-1">
          {bars.map(({ text, count, filter }) => (
            <li key={filter}>
              <Link
                href={itemsHref(dataset, filter)}
                className="-mx-1 grid grid-cols-[minmax(6rem,12rem)_1fr_4rem] items-center gap-3 rounded-control px-1 py-0.5 text-table hover:bg-hover"
              >
                <Truncate text={text} />
                <span aria-hidden className="h-2 rounded-full bg-border">
                  <span className="block h-full rounded-full bg-accent" style={{ width: `${(100 * count) / most}%` }} />
                </span>
                <span className="text-right tabular-nums">{number(count)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** How a dataset splits by label, size, device and day, and which files are in it twice; each bar leads to its items. */
export function HealthTab({ dataset }: { dataset: Dataset }) {
  const trpc = useTRPC();
  const { data, error, refetch } = useQuery(trpc.datasets.health.queryOptions(datasetPath(dataset)));
  if (error) {
    return (
      <PageBody>
        <ErrorState error={error} title="The items could not be counted" onRetry={() => void refetch()} />
      </PageBody>
    );
  }
  if (!data) {
    return (
      <PageBody>
        <SkeletonText lines={6} />
      </PageBody>
    );
  }
  if (data.timed_out) {
    return (
      <PageBody>
        <p className="text-table text-muted">Counting takes longer than 5 s and was stopped.</p>
        <Button className="self-start" onClick={() => void refetch()}>
          Count again
        </Button>
      </PageBody>
    );
  }
  const { items, unlabelled, labels, sizes, devices, days, duplicates, refused } = data;
  const ofField = (field: string) => (each: { value: string; count: number }) => ({
    text: each.value,
    count: each.count,
    filter: toggleValue("", field, { value: each.value, quoted: true }),
  });
  return (
    <PageBody narrow>
      <p className="-mb-4 text-table text-muted tabular-nums">
        {plural(items, "item")}
        {refused > 0 && `; ${plural(refused, "file")} could not be read`}.
      </p>
      <Bars
        title="Labels"
        dataset={dataset}
        none="Nothing is labelled yet."
        bars={[
          ...labels.map(ofField("label")),
          ...(unlabelled > 0 ? [{ text: "Without shapes", count: unlabelled, filter: "annotations_count = 0" }] : []),
        ]}
      />
      <Bars
        title="Sizes"
        dataset={dataset}
        none="Its items have no size in pixels."
        bars={sizes.map(({ width, height, count }) => ({
          text: `${width} × ${height}`,
          count,
          filter: `metadata.width = ${width} AND metadata.height = ${height}`,
        }))}
      />
      <Bars
        title="Devices"
        dataset={dataset}
        none="Its items name no device that they come from."
        bars={devices.map(ofField("metadata.source.device_name"))}
      />
      <Bars
        title="Days"
        dataset={dataset}
        none="There are no items yet."
        bars={days.map(({ value, count }) => ({ text: value, count, filter: toggleDay("", value) }))}
      />
      <Bars
        title="Equal files"
        dataset={dataset}
        none="No two pictures have the same bytes."
        bars={duplicates.map(({ count, keys }) => ({
          text: keys[0] ?? "",
          count,
          filter: filterOfValues("key", keys),
        }))}
      />
    </PageBody>
  );
}

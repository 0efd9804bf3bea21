"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { gridHref } from "@/components/items/item-links";
import { LabelCounts } from "@/components/items/label-counts";
import { formatNumber, plural } from "@/components/kit/format";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { filterValue } from "@/domain/items/filter-tokens";

type Labelled = Outputs["items"]["labelsOfAlert"];

/** What people labelled of the items that came from an alert; nothing for one without items, and until it is known. */
export function useAlertLabels(uid: string, enabled: boolean): Labelled {
  const trpc = useTRPC();
  return useQuery({ ...trpc.items.labelsOfAlert.queryOptions({ uid }), enabled }).data ?? [];
}

/** The labels, as links to their items in each dataset. */
export function AlertLabels({ uid, labelled }: { uid: string; labelled: Labelled }) {
  const ofAlert = `metadata.source.alert_id = ${filterValue(uid)}`;
  return (
    <ul aria-label="Labelled items" className="flex min-w-0 flex-col gap-1">
      {labelled.map(({ uid: dataset, name, slug, owner_name: owner, items, labelled: count, labels }) => (
        <li key={dataset} className="min-w-0">
          {labels.length > 0 && (
            <LabelCounts
              labels={labels}
              toHref={(label) =>
                gridHref({ owner, slug }, { filter_query_string: `${ofAlert} AND label = ${filterValue(label)}` })
              }
            />
          )}
          <Link
            href={gridHref({ owner, slug }, { filter_query_string: ofAlert })}
            prefetch={false}
            className="rounded-control text-meta text-muted hover:underline"
          >
            {formatNumber(count, 0)} of {plural(items, "item")} in {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}

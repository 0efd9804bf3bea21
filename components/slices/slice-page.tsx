"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, PackageOpen, Tags } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { BulkEditList } from "@/components/items/bulk/bulk-edit-list";
import { ItemsBulk } from "@/components/items/bulk/items-bulk";
import { ItemGrid } from "@/components/items/grid/item-grid";
import { ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { formatNumber } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, Section, usePageTitle } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { newProjectHref } from "@/components/product/new-project-address";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { exportHref, sliceList, type Slice } from "./query";
import { SliceChanges } from "./slice-changes";
import { SliceFilter } from "./slice-filter";
import { SliceUses } from "./slice-uses";
import { useSliceActions } from "./use-slice-actions";

const number = (value: number): string => formatNumber(value, 0);

/** "Holds 1,204 of 84,120 items", as counted by the worker. */
function HeldItems({ slice }: { slice: Slice }) {
  if (slice.counted_at === null) return <span>Counting its items…</span>;
  return (
    <span className="tabular-nums">
      Holds {number(slice.item_count)} of {number(slice.dataset_item_count)} items, counted{" "}
      <RelativeTime value={slice.counted_at} />
    </span>
  );
}

/** Everything about one slice: what it asks, what it holds, what changed and what uses it. */
export function SlicePage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.slices.overviewOf.queryOptions({ uid }), enabled: !deleted });
  const actions = useSliceActions(() => {
    setDeleted(true);
    router.push(sliceList.href);
  });
  const slice = query.data;
  const permissions = usePermissions();
  const reason = permissions.refusal();
  usePageTitle(slice?.name);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={slice?.name}
        noun="slice"
        deletedMessage="This slice was deleted. Its items are still in their dataset."
        list={sliceList}
        query={query}
      />
    );
  }
  if (!slice) return null;
  return (
    <>
      <PageHeader
        title={slice.name}
        trail={[sliceList]}
        meta={
          <>
            <Link
              href={`/datasets/${slice.owner_name}/${slice.dataset_slug}`}
              className="min-w-0 truncate text-accent-text hover:underline"
            >
              {slice.dataset_name}
            </Link>
            <HeldItems slice={slice} />
            {slice.created_by !== null && <span>by {slice.created_by}</span>}
            <UidChip uid={slice.uid} />
          </>
        }
        actions={
          <>
            <CopyLink compact />
            <ButtonLink
              href={newProjectHref({ slice: slice.uid })}
              icon={<Tags aria-hidden />}
              disabledReason={permissions.refusal({ role: "admin" })}
            >
              Label these
            </ButtonLink>
            <ButtonLink
              href={exportHref([slice.uid])}
              variant="primary"
              icon={<PackageOpen aria-hidden />}
              disabledReason={reason}
            >
              Export
            </ButtonLink>
            <Menu
              items={actions.menu(slice)}
              trigger={
                <IconButton label={`Actions for ${slice.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <PageBody>
        {slice.description !== "" && <p className="max-w-172 text-body text-muted">{slice.description}</p>}
        <SliceFilter slice={slice} />
        <BulkEditList dataset={slice.dataset} />
        <Section
          title="Items"
          description="What is done with all of them runs in the background."
          actions={
            <div className="flex flex-wrap gap-2">
              <ItemsBulk
                dataset={slice.dataset}
                selection={{ filter: slice.filter_query_string, expected: slice.item_count }}
                onMoved={() => void query.refetch()}
              />
            </div>
          }
        >
          <div className="flex h-160 min-h-0 flex-col overflow-hidden rounded-panel border">
            <ItemGrid
              source={{
                dataset: slice.dataset,
                owner: slice.owner_name,
                slug: slice.dataset_slug,
                filter: slice.filter_query_string,
                locked: true,
              }}
              selectionActions={(selection, clear) => (
                <ItemsBulk dataset={slice.dataset} selection={selection} onStarted={clear} />
              )}
            />
          </div>
        </Section>
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
          <Section title="What changed" description="In the last 30 days.">
            <SliceChanges uid={slice.uid} />
          </Section>
          <Section title="Used by">
            <SliceUses uid={slice.uid} />
          </Section>
        </div>
      </PageBody>
      {actions.dialogs}
    </>
  );
}

"use client";

import { Plus } from "lucide-react";
import { ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { storageProviders } from "@/domain/storage-configs/providers";
import { bucketStates } from "@/domain/storage-configs/states";
import { BucketBanner } from "./bucket-banner";
import { providerLabels, stateLabels } from "./labels";
import { listInput, storageHref } from "./query";
import { storageColumns } from "./storage-columns";
import { StorageDrawer } from "./storage-drawer";
import { useStorageActions } from "./use-storage-actions";

const definitions = [
  {
    key: "provider",
    label: "Provider",
    options: storageProviders.map((value) => ({ value, label: providerLabels[value] })),
    multiple: true,
  },
  {
    key: "state",
    label: "State",
    options: bucketStates.map((value) => ({ value, label: stateLabels[value] })),
    multiple: true,
  },
];

const connectCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/storage-configs/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Fleet", "provider": "aws_s3", "s3_bucket_name": "fleet-robots", "s3_bucket_region": "eu-central-1",
       "s3_access_key_id": "'$AWS_ACCESS_KEY_ID'", "s3_secret_access_key": "'$AWS_SECRET_ACCESS_KEY'"}'`;

/** The organization's own buckets: whether each works, and what is in it. */
export function StorageList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const reason = usePermissions().refusal({ role: "admin" });
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) => trpc.storage.overview.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.storage.overview.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const actions = useStorageActions((uid) => list.deselect([uid]));
  useShortcuts([
    refuseShortcut(
      {
        keys: "t",
        label: "Test the open bucket",
        group: "Storage",
        run: () => list.selectedRow && actions.test(list.selectedRow),
      },
      reason,
    ),
  ]);
  const connect = (
    <ButtonLink variant="primary" href="/storage/new" icon={<Plus aria-hidden />} disabledReason={reason}>
      Connect a bucket
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Storage"
        meta={
          <>
            Buckets of your own, for recordings, datasets and exports.
            <DocsTextLink href={guideHref("buckets")}>How buckets are used</DocsTextLink>
          </>
        }
        actions={list.isEmpty ? undefined : connect}
      />
      <BucketBanner buckets={list.all ?? []} />
      <ListTable
        {...list.table}
        list={list}
        id="storage"
        label="Storage"
        noun={["bucket", "buckets"]}
        columns={storageColumns}
        rowLabel={(bucket) => bucket.name}
        href={(bucket) => storageHref(bucket.uid)}
        rowMenu={actions.menu}
        filterBar={{ label: "Filter buckets", placeholder: "Filter by provider, state or name" }}
        tools={<SavedViews screen="storage" />}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="Muster keeps your files itself"
            description="Connect a bucket to keep new ones there."
            action={connect}
            curl={{ command: connectCommand(origin), guide: guideHref("buckets") }}
          />
        }
      />
      <StorageDrawer
        uid={list.selected}
        row={list.selectedRow}
        testing={actions.testing}
        menu={actions.menu}
        onClose={() => list.select(null)}
      />
      {actions.dialogs}
    </>
  );
}

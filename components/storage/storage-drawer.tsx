"use client";

import { useQuery } from "@tanstack/react-query";
import { Maximize2 } from "lucide-react";
import { ButtonLink } from "@/components/kit/button";
import { formatBytes, plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import { RelativeTime } from "@/components/kit/time";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { useTRPC } from "@/components/trpc/client";
import { CheckList } from "./check-list";
import { type Bucket, storageHref } from "./query";
import { describeUse } from "./storage-columns";
import { StorageFacts } from "./storage-facts";
import { StorageState } from "./storage-state";

export interface StorageDrawerProps {
  uid: string | null;
  row: Bucket | undefined;
  /** The bucket that is being tested. */
  testing: string | null;
  menu: (bucket: Bucket) => MenuItem[];
  onClose: () => void;
}

/** A bucket beside the list: where it is, what its last test found, and what is in it. */
export function StorageDrawer({ uid, row, testing, menu, onClose }: StorageDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.storage.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  return (
    <ResourceDrawer
      uid={uid}
      noun="bucket"
      resource={row ?? (uid === null ? undefined : query.data)}
      getName={(bucket) => bucket.name}
      subtitle={(bucket) => <StorageState bucket={bucket} />}
      links={(bucket) => (
        <ButtonLink size="sm" href={storageHref(bucket.uid)} icon={<Maximize2 aria-hidden />}>
          Open
        </ButtonLink>
      )}
      menu={menu}
      query={query}
      onClose={onClose}
    >
      {(bucket) => (
        <>
          <StorageFacts bucket={bucket} />
          <section>
            <h3 className="mb-1 flex items-baseline justify-between gap-3 text-table font-semibold">
              Last test
              {bucket.last && (
                <RelativeTime value={bucket.last.at} rich={false} className="text-meta font-normal text-muted" />
              )}
            </h3>
            <CheckList checks={bucket.last?.checks} testing={testing === bucket.uid} />
          </section>
          <section>
            <h3 className="mb-1 text-table font-semibold">Contents</h3>
            <p className="text-table text-muted">
              {bucket.objects === 0
                ? "Nothing yet."
                : `${describeUse(bucket.used_by)}: ${plural(bucket.objects, "object")}, ${formatBytes(bucket.bytes)}.`}
            </p>
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}

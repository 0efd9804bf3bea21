"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { plural } from "@/components/kit/format";
import { useStaleSince } from "@/components/live/liveness";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { formatNames, isUnderWay } from "./labels";
import { unwatchExports, useWatchedExports, watchExports } from "./watch-store";

type Watched = Outputs["exports"]["watched"][number];

/** How often exports are asked for while nothing is received from the server, in milliseconds. */
export const pollMs = 5_000;

/** Reports on any page when an export of this person is finished. */
export function ExportWatch() {
  const uids = useWatchedExports();
  // Not on the server: there the request would delay what the page prefetches.
  return uids !== null && <Watch uids={uids} />;
}

function Watch({ uids }: { uids: readonly string[] }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stale = useStaleSince() !== null;
  const { data, isPlaceholderData } = useQuery({
    ...trpc.exports.watched.queryOptions({ uids: [...uids] }),
    placeholderData: keepPreviousData,
    // What was finished when it was asked for last may have been started again since.
    staleTime: 0,
    gcTime: 0,
    refetchInterval: stale && uids.length > 0 ? pollMs : false,
  });

  const download = async (uid: string) => {
    try {
      const { download_url: link } = await client.exports.get.query({ uid });
      if (link !== null) location.assign(link);
    } catch (error) {
      toast.failure(error, { title: "The file was not downloaded" });
    }
  };
  const retry = async ({ uid, name }: Watched) => {
    try {
      await client.exports.retry.mutate({ uid });
      watchExports([uid]);
    } catch (error) {
      toast.failure(error, { title: `${name} was not tried again` });
    }
  };
  const report = useEffectEvent((found: readonly Watched[]) => {
    const underWay = found.filter(isUnderWay).map(({ uid }) => uid);
    for (const each of found) {
      if (!uids.includes(each.uid)) continue;
      if (each.status === "exported") {
        toast.success(`${each.name} is ready`, {
          description: `${plural(each.item_count ?? 0, "item")} as ${formatNames[each.format]}`,
          action: { label: "Download", onClick: () => void download(each.uid) },
        });
      } else if (each.status === "failed") {
        toast.failure(each.error_message, {
          title: `${each.name} was not exported`,
          onRetry: () => void retry(each),
        });
      }
    }
    unwatchExports(uids.filter((uid) => !underWay.includes(uid)));
    watchExports(underWay);
  });
  useEffect(() => {
    if (data !== undefined && !isPlaceholderData) report(data);
  }, [data, isPlaceholderData]);
  return null;
}

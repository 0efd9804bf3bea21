"use client";

import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { RelativeTime } from "@/components/kit/time";
import { useStaleSince } from "@/components/live/liveness";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Replay } from "./query";

const stalePollMs = 5_000;
const dayMs = 24 * 3_600_000;

const isUnderWay = ({ total, dropped, done }: Replay): boolean => done + dropped < total;

/** The replays of a webhook that are under way, and the last one of today, with what they did. */
export function ReplayProgress({ uid, reason }: { uid: string; reason: string | undefined }) {
  const trpc = useTRPC();
  const stale = useStaleSince() !== null;
  const query = useQuery({
    ...trpc.webhooks.replays.queryOptions({ uid }),
    refetchInterval: stale ? stalePollMs : false,
  });
  const [openedAt] = useState(() => Date.now());
  const replays = query.data ?? [];
  const shown = replays.filter(
    (replay, at) => isUnderWay(replay) || (at === 0 && openedAt - Date.parse(replay.created_at) < dayMs),
  );
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Replays" className="mx-4 mb-3 flex flex-col gap-1 rounded-panel border px-3 py-2 sm:mx-6">
      {shown.map((replay) => (
        <ReplayLine key={replay.uid} replay={replay} reason={reason} />
      ))}
    </ul>
  );
}

function ReplayLine({ replay, reason }: { replay: Replay; reason: string | undefined }) {
  const client = useTRPCClient();
  const [stopping, setStopping] = useState(false);
  const { total, done, delivered, failed, retrying, dropped } = replay;
  const underWay = isUnderWay(replay);
  const stop = async () => {
    setStopping(true);
    try {
      const result = await client.webhooks.stopReplay.mutate({ uid: replay.uid });
      toast.success(`Stopped, ${plural(result.dropped, "delivery was", "deliveries were")} not sent`);
    } catch (error) {
      toast.failure(error, { title: "The replay was not stopped" });
    } finally {
      setStopping(false);
    }
  };
  const counts = [
    `${formatNumber(delivered)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    retrying > 0 && `${formatNumber(retrying)} retrying`,
    dropped > 0 && `${formatNumber(dropped)} not sent`,
  ].filter(Boolean);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table">
      <RotateCw aria-hidden className="size-4 shrink-0 text-muted" />
      <span role="status" className="min-w-0 flex-1 basis-60">
        {underWay
          ? `Replaying ${formatNumber(done)} of ${formatNumber(total)}`
          : `Replayed ${formatNumber(total - dropped)}`}
        {": "}
        {counts.join(", ")}
        {!underWay && (
          <span className="text-subtle">
            {" "}
            · <RelativeTime value={replay.created_at} rich={false} />
          </span>
        )}
      </span>
      {underWay && (
        <>
          <Progress share={total === 0 ? 0 : done / total} label="Progress of the replay" className="w-40" />
          <Button size="sm" busy={stopping} disabledReason={reason} onClick={() => void stop()}>
            Stop
          </Button>
        </>
      )}
    </li>
  );
}

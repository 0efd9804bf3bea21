"use client";

import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import { Skeleton } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { maxReplayed } from "@/domain/webhooks/delivery-status";
import { causeText } from "@/domain/webhooks/failure-cause";
import type { Webhook } from "./query";

/** What is replayed: chosen deliveries, those of one cause, or everything that fails. */
export interface ReplaySelection {
  uids?: string[];
  cause?: string;
}

const rates = [
  { value: "1", label: "1 a second" },
  { value: "5", label: "5 a second" },
  { value: "20", label: "20 a second" },
  { value: "100", label: "100 a second" },
  { value: "500", label: "500 a second" },
] as const;

const periods = [
  { value: "-1h", label: "The last hour" },
  { value: "-24h", label: "The last 24 hours" },
  { value: "-7d", label: "The last 7 days" },
  { value: "-30d", label: "The last 30 days" },
] as const;

interface ReplayDialogProps {
  webhook: Webhook;
  selection: ReplaySelection;
  /** The webhook is turned on before. */
  turnOn?: boolean;
  onClose: () => void;
  onStarted?: () => void;
}

/** Shows how many deliveries a replay would send before it begins, and at which rate. */
export function ReplayDialog({ webhook, selection, turnOn = false, onClose, onStarted }: ReplayDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [rate, setRate] = useState<(typeof rates)[number]["value"]>("20");
  const [since, setSince] = useState<(typeof periods)[number]["value"]>("-7d");
  const [busy, setBusy] = useState(false);
  const chosen = { ...selection, ...(selection.uids === undefined && { since }) };
  const { uids } = selection;
  const preview = useQuery(
    trpc.webhooks.replayPreview.queryOptions(uids === undefined ? { uid: webhook.uid, ...chosen } : skipToken),
  );
  const count = uids?.length ?? preview.data?.count ?? 0;
  const seconds = count / Number(rate);

  const start = async () => {
    setBusy(true);
    try {
      if (turnOn) await client.webhooks.update.mutate({ uid: webhook.uid, change: { is_active: true } });
      const { queued } = await client.webhooks.replay.mutate({
        uid: webhook.uid,
        ...chosen,
        per_second: Number(rate),
      });
      toast.success(`Replaying ${plural(queued, "delivery", "deliveries")}`);
      onStarted?.();
      onClose();
    } catch (error) {
      toast.failure(error, { title: "The replay did not begin" });
    } finally {
      setBusy(false);
      await Promise.all([
        queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
        queryClient.invalidateQueries(trpc.deliveries.pathFilter()),
      ]);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        selection.cause === undefined ? "Replay deliveries" : `Replay what failed with “${causeText(selection.cause)}”`
      }
      description="Each is sent again as a new delivery with the same body, oldest first. Those waiting for a retry are sent now instead."
      footer={
        <DialogActions
          action={
            count === 0
              ? "Replay"
              : turnOn
                ? `Turn on and replay ${formatNumber(count)}`
                : `Replay ${formatNumber(count)}`
          }
          busy={busy}
          disabled={count === 0}
          onAction={start}
          onCancel={onClose}
        />
      }
    >
      <div className="flex flex-col gap-4">
        {selection.uids === undefined && (
          <Field label="Failed in">
            <Select options={periods} value={since} onValueChange={setSince} />
          </Field>
        )}
        <Field label="Rate" hint="So that a receiver that has just recovered is not overrun.">
          <Select options={rates} value={rate} onValueChange={setRate} />
        </Field>
        <div role="status" className="rounded-panel border bg-background px-3 py-2 text-table">
          {preview.error ? (
            <ErrorState
              error={preview.error}
              title="They could not be counted"
              onRetry={() => void preview.refetch()}
            />
          ) : !preview.data && uids === undefined ? (
            <>
              <span className="sr-only">Counting</span>
              <Skeleton className="h-3 w-40" />
              <Skeleton className="mt-2 h-3 w-72 max-w-full" />
            </>
          ) : count === 0 ? (
            <p className="text-muted">Nothing to replay: all of it was delivered or sent again.</p>
          ) : (
            <>
              <p>
                <span className="text-section font-semibold tabular-nums">{formatNumber(count)}</span>{" "}
                {count === 1 ? "delivery" : "deliveries"}
                {seconds >= 1 && `, about ${formatDuration(Math.ceil(seconds) * 1_000)}`}
              </p>
              {preview.data && (
                <p className="text-meta text-muted">
                  <InstantTime value={preview.data.first_at} /> to <InstantTime value={preview.data.last_at} />
                </p>
              )}
              {preview.data?.more && (
                <p className="text-meta text-muted">
                  The oldest {formatNumber(maxReplayed)}; replay again for the rest.
                </p>
              )}
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}

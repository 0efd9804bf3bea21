"use client";

import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { focusSoon } from "@/components/kit/focus-soon";
import { plural } from "@/components/kit/format";
import { RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { formatMoment } from "./export-range";

type Share = Outputs["shares"]["list"]["results"][number];

/** The links to a recording that are valid, and how often each was opened. */
export function ShareList({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(trpc.shares.list.infiniteQueryOptions({ uid }, nextPage));
  const revoke = useMutation(trpc.shares.revoke.mutationOptions());
  const [revoking, setRevoking] = useState<Share | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const shares = query.data?.pages.flatMap(({ results }) => results);
  if (query.error && !shares)
    return (
      <ErrorState error={query.error} title="The links could not be loaded" onRetry={() => void query.refetch()} />
    );
  if (!shares) return null;
  return (
    <section aria-labelledby="live-links" className="flex flex-col gap-2">
      <h3 id="live-links" ref={heading} tabIndex={-1} className="text-table font-medium outline-none">
        Links that work now
      </h3>
      {shares.length === 0 && <p className="text-table text-muted">None.</p>}
      <ul className={cn("rounded-panel border", shares.length === 0 && "hidden")}>
        {shares.map((share) => (
          <li key={share.uid} className="flex items-center gap-3 border-b px-3 py-2 last:border-b-0">
            <div className="min-w-0 flex-1">
              <p className="text-table tabular-nums">
                {formatMoment(BigInt(share.from_ns))} – {formatMoment(BigInt(share.to_ns))} UTC
              </p>
              {share.note !== "" && <p className="truncate text-meta">{share.note}</p>}
              <p className="flex flex-wrap gap-x-3 text-meta text-muted">
                <span>by {share.created_by_name}</span>
                <span>
                  {share.opened_count === 0 ? (
                    "not opened yet"
                  ) : (
                    <>
                      opened {plural(share.opened_count, "time")}, last <RelativeTime value={share.last_opened_at} />
                    </>
                  )}
                </span>
                <span>
                  expires <RelativeTime value={share.expires_at} />
                </span>
              </p>
            </div>
            <Button
              size="sm"
              variant="danger-quiet"
              aria-label={`Revoke the link of ${share.created_by_name} that begins at ${formatMoment(BigInt(share.from_ns))}`}
              disabledReason={share.revocable ? undefined : "Only its author and admins can do this."}
              onClick={() => setRevoking(share)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button
          size="sm"
          className="self-start"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {revoking && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setRevoking(null)}
          title="Revoke this link?"
          description="Whoever has it cannot open it any more, and pictures and downloads end. This cannot be undone."
          action="Revoke link"
          onConfirm={async () => {
            try {
              await revoke.mutateAsync({ uid: revoking.uid });
            } catch (error) {
              toast.failure(error);
              throw error;
            }
            toast.success("The link was revoked");
            await query.refetch();
            // The button that asked is gone.
            focusSoon(() => heading.current, 4);
          }}
        />
      )}
    </section>
  );
}

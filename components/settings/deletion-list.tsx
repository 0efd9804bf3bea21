"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import { useNow } from "@/components/kit/clock";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { openOrganization } from "@/components/shell/open-organization";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Deletion = Outputs["organizations"]["deletions"][number];

/** The organizations that the person is having deleted; each can be taken back until its time has come. */
export function DeletionList() {
  const trpc = useTRPC();
  const deletions = useQuery(trpc.organizations.deletions.queryOptions());
  const restore = useMutation(
    trpc.organizations.restore.mutationOptions({
      onSuccess: ({ slug }) => openOrganization(slug),
      onError: (error) => toast.failure(error),
      onSettled: () => void deletions.refetch(),
    }),
  );
  if (deletions.error) return <ErrorState error={deletions.error} onRetry={() => void deletions.refetch()} />;
  if (!deletions.data) return <SkeletonText lines={2} />;
  return (
    <ul aria-label="Organizations being deleted" className="divide-y rounded-panel border">
      {deletions.data.map((deletion) => (
        <DeletionItem
          key={deletion.uid}
          deletion={deletion}
          busy={restore.isPending && restore.variables.org_slug === deletion.slug}
          onRestore={() => restore.mutate({ org_slug: deletion.slug })}
        />
      ))}
    </ul>
  );
}

function DeletionItem({ deletion, busy, onRestore }: { deletion: Deletion; busy: boolean; onRestore: () => void }) {
  const late = useNow(1_000) >= new Date(deletion.deletes_at).getTime();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2">
      <div className="min-w-0 flex-1 basis-48">
        <p className="text-body wrap-anywhere">{deletion.name}</p>
        <p className="text-meta text-muted">
          {late ? (
            "Being deleted now"
          ) : (
            <>
              Will be deleted <InstantTime value={deletion.deletes_at} precision="minute" />
            </>
          )}
        </p>
      </div>
      <Button
        size="sm"
        busy={busy}
        onClick={onRestore}
        disabledReason={late ? "It is too late to take it back." : undefined}
        aria-label={`Take back the deletion of ${deletion.name}`}
      >
        Take back
      </Button>
    </li>
  );
}

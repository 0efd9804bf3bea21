"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { formatBrowser } from "./browser-name";
import { signOut } from "./sign-out";

type Session = Outputs["account"]["sessions"][number];

/** The browsers in which the caller is signed in. Each can be signed out, the current one by signing out here. */
export function SessionList() {
  const trpc = useTRPC();
  const sessions = useQuery(trpc.account.sessions.queryOptions());
  const onError = (error: unknown) => toast.failure(error);
  const onSettled = () => void sessions.refetch();
  const end = useMutation(trpc.account.endSession.mutationOptions({ onError, onSettled }));
  const endOthers = useMutation(trpc.account.endOtherSessions.mutationOptions({ onError, onSettled }));
  const endAll = useMutation(trpc.account.signOutEverywhere.mutationOptions({ onError }));
  if (sessions.error) return <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />;
  if (!sessions.data) return <SkeletonText lines={3} />;
  const hasOthers = sessions.data.some(({ current }) => !current);
  return (
    <>
      <ul aria-label="Sessions" className="divide-y rounded-panel border">
        {sessions.data.map((session) => (
          <SessionItem
            key={session.uid}
            session={session}
            busy={end.isPending && end.variables.uid === session.uid}
            onEnd={() => (session.current ? void signOut() : end.mutate({ uid: session.uid }))}
          />
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap gap-2">
        {hasOthers && (
          <Button
            busy={endOthers.isPending}
            onClick={() =>
              endOthers.mutate(undefined, { onSuccess: () => toast.success("Signed out of all other browsers") })
            }
          >
            Sign out of all others
          </Button>
        )}
        <ConfirmDialog
          trigger={<Button variant="danger-quiet">Sign out everywhere</Button>}
          title="Sign out everywhere"
          description="Every browser has to sign in again."
          action="Sign out everywhere"
          danger
          onConfirm={async () => {
            await endAll.mutateAsync();
            await signOut();
          }}
        />
      </div>
    </>
  );
}

function SessionItem({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) {
  const browser = formatBrowser(session.user_agent);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2">
      <div className="min-w-0 flex-1 basis-48">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-body">
          <span className="truncate" title={session.user_agent || undefined}>
            {browser}
          </span>
          {session.current && <Badge>This browser</Badge>}
        </div>
        <div className="flex flex-wrap gap-x-3 text-meta text-muted">
          <span className="font-mono">{session.ip ?? "Unknown address"}</span>
          <span>
            Last used <RelativeTime value={session.last_used_at} />
          </span>
          <span>
            Signed in <InstantTime value={session.created_at} precision="minute" />
          </span>
        </div>
      </div>
      <Button
        size="sm"
        busy={busy}
        onClick={onEnd}
        aria-label={`Sign out ${browser}${session.current ? ", this browser" : ""}`}
      >
        Sign out
      </Button>
    </li>
  );
}

"use client";

import { useState, type ReactNode } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { describeSkip } from "../queue/query";
import { isOpen, type TaskForEditor } from "./query";
import type { SessionState } from "./session-state";
import type { TaskSession } from "./task-session";

interface TaskNoticesProps {
  found: TaskForEditor;
  session: TaskSession;
  state: SessionState;
  /** Who paused the project; null while it is not paused, "" where that is not known. */
  pausedBy: string | null;
  hasLabels: boolean;
  /** Why the person may not work on it. */
  refusal: string | undefined;
  /** Begins to work on it; given where the person only looks at it. */
  onWork: (() => void) | undefined;
  onDownload: () => void;
}

/** A line above the stage: what is special about this task, and what can be done about it. */
function TaskNotice(props: { children: ReactNode; actions?: ReactNode; isWarning?: boolean }) {
  return (
    <div
      role="status"
      className={cn(
        "flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-background px-4 py-1 text-table",
        props.isWarning && "text-warning-text",
      )}
    >
      <p className="min-w-0 flex-1 basis-60">{props.children}</p>
      {props.actions !== undefined && <div className="flex flex-wrap gap-2">{props.actions}</div>}
    </div>
  );
}

/** Who has it, as the person reads it. */
const Somebody = ({ by }: { by: string | null }) => <strong className="font-medium">{by ?? "Somebody"}</strong>;

/** Lines above the stage, the most important first. */
export function TaskNotices(props: TaskNoticesProps) {
  const { found, state, pausedBy, hasLabels } = props;
  const { earlier, project } = found;
  const isAdmin = usePermissions().refusal({ role: "admin" }) === undefined;
  const rejected = earlier.find(({ status }) => status !== "submitted");
  return (
    <>
      <HolderNotice {...props} />
      {isOpen(found) && rejected?.status === "rejected" && (
        <TaskNotice>
          Back from <Somebody by={rejected.decided_by} />
          {rejected.reason === "" ? "." : `: ${rejected.reason}`}
        </TaskNotice>
      )}
      {isOpen(found) && pausedBy !== null && state.lease.is === "held" && (
        <TaskNotice isWarning>
          {pausedBy === "" ? "Paused" : `Paused by ${pausedBy}`}: finish this one, no new one comes.
        </TaskNotice>
      )}
      {state.refusal !== null && (
        <TaskNotice isWarning>This browser keeps nothing ({state.refusal}). Each change is sent at once.</TaskNotice>
      )}
      {!hasLabels && (
        <TaskNotice
          actions={
            isAdmin && (
              <ButtonLink size="sm" href={`/projects/${project.uid}?tab=labels`}>
                Add labels
              </ButtonLink>
            )
          }
        >
          This project has no labels yet, so that nothing can be drawn.
        </TaskNotice>
      )}
    </>
  );
}

/** Why this page does not work on the task, if it does not. */
function HolderNotice({ found, session, state, refusal, onWork, onDownload }: TaskNoticesProps) {
  const { username, refusal: refuse } = usePermissions();
  const [isDropping, setDropping] = useState(false);
  const isAdmin = refuse({ role: "admin" }) === undefined;
  const { lease, send } = state;
  const [latest] = found.earlier;
  const takeOver = (
    <Button size="sm" onClick={() => session.takeOver()}>
      Take over
    </Button>
  );
  const tryAgain = (
    <Button size="sm" onClick={() => void session.tryAgain()}>
      Try again
    </Button>
  );
  if (!isOpen(found))
    return (
      <TaskNotice>
        {found.task.skip_reason !== null ? (
          describeSkip(found.task)
        ) : latest ? (
          <>
            Submitted by <Somebody by={latest.submitted_by} /> <RelativeTime value={latest.created_at} />
            {latest.status === "accepted" && ", accepted"}
            {latest.status === "accepted" && latest.decided_by !== null && ` by ${latest.decided_by}`}.
          </>
        ) : (
          "This task is done."
        )}
      </TaskNotice>
    );
  if (refusal !== undefined) return <TaskNotice>{refusal}</TaskNotice>;
  if (onWork)
    return (
      <TaskNotice
        actions={
          <Button size="sm" variant="primary" onClick={onWork}>
            Label it
          </Button>
        }
      >
        You only look at this one.
      </TaskNotice>
    );
  if (lease.is === "elsewhere") return <TaskNotice actions={takeOver}>You work on this in another tab.</TaskNotice>;
  if (lease.is === "refused") return <TaskNotice actions={tryAgain}>{lease.reason}</TaskNotice>;
  if (lease.is === "taken")
    return lease.by === username ? (
      <TaskNotice actions={takeOver}>You work on this in another browser.</TaskNotice>
    ) : (
      <TaskNotice
        actions={
          <>
            {tryAgain}
            {isAdmin && takeOver}
          </>
        }
      >
        <Somebody by={lease.by} /> works on this.
      </TaskNotice>
    );
  if (lease.is !== "lost") return null;
  const kept =
    send.waiting > 0 && ` Your ${plural(send.waiting, "change")} ${send.waiting === 1 ? "is" : "are"} kept here.`;
  const copy = async () => {
    await session.tryAgain();
    const { lease: now } = session.state;
    if (now.is === "taken") toast.failure(`${now.by ?? "Somebody"} still works on it. Your changes stay here.`);
  };
  return (
    <>
      <TaskNotice
        isWarning
        actions={
          <>
            <Button size="sm" variant="primary" onClick={() => void copy()}>
              {send.waiting > 0 ? "Copy mine" : "Try again"}
            </Button>
            {send.waiting > 0 && (
              <>
                <Button size="sm" onClick={onDownload}>
                  Download my work
                </Button>
                <Button size="sm" variant="danger-quiet" onClick={() => setDropping(true)}>
                  Drop
                </Button>
              </>
            )}
          </>
        }
      >
        <Somebody by={lease.by} /> took over at <InstantTime value={lease.at} precision="minute" />.{kept}
      </TaskNotice>
      <ConfirmDialog
        open={isDropping}
        onOpenChange={setDropping}
        title={`Drop your ${plural(send.waiting, "change")}?`}
        description="They are only in this browser. What the server has stays."
        action="Drop"
        onConfirm={() => session.drop()}
      />
    </>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { formatNumber } from "@/components/kit/format";
import { RelativeTime } from "@/components/kit/time";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { maxTaken, type QueueTabName } from "@/domain/tasks/queue-schema";
import { useTaskActions } from "./use-task-actions";

type Project = Outputs["projects"]["overviewOf"];

interface QueueEmptyProps {
  /** Why the project has no tasks, where that is known. */
  whyNone: string | undefined;
  tab: QueueTabName;
  project: string | null;
  onLeaveTab: () => void;
}

/** Why a list of tasks is empty, and what there is to do instead. */
export function QueueEmpty({ whyNone, tab, project: uid, onLeaveTab }: QueueEmptyProps) {
  const trpc = useTRPC();
  const project = useQuery({
    ...trpc.projects.overviewOf.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null,
    retry: false,
  }).data;
  const waiting = useQuery({
    ...trpc.tasks.unassigned.queryOptions(uid === null ? {} : { project: uid }),
    enabled: tab === "mine",
    retry: false,
  });
  const halted = project && (tab === "mine" || tab === "unassigned" || tab === "all") && explainHalt(project);
  if (halted) return halted;
  if (tab === "mine") {
    if (waiting.isPending) return null;
    const found = waiting.data;
    return (
      <EmptyState
        kind="nothing-yet"
        title="Nothing for you"
        description={
          found
            ? `${countWaiting(found.count)} unassigned in ${found.project_name}.`
            : "No task waits for anybody where you may work."
        }
        action={found && <Take from={found} />}
      />
    );
  }
  if (tab !== "all") return <EmptyState kind="no-match" noun="tasks" filterCount={1} onClear={onLeaveTab} />;
  return (
    <EmptyState
      kind="nothing-yet"
      title="No tasks yet"
      description={whyNone ?? "A project makes a task of every item of its datasets once it is approved."}
      action={
        project ? undefined : (
          <ButtonLink href="/projects" variant="primary">
            Projects
          </ButtonLink>
        )
      }
    />
  );
}

/** Assigns the next of those that wait to the person. */
function Take({ from: { project, count } }: { from: { project: string; count: number } }) {
  const { take, memberReason } = useTaskActions();
  const [busy, setBusy] = useState(false);
  const onClick = async () => {
    setBusy(true);
    await take(project);
    setBusy(false);
  };
  return (
    <Button busy={busy} disabledReason={memberReason} onClick={() => void onClick()}>
      Take {Math.min(count, maxTaken)}
    </Button>
  );
}

/** "312 are", "One is"; the server counts up to a thousand. */
const countWaiting = (count: number): string =>
  count === 1 ? "One is" : `${formatNumber(count, 0)}${count >= 1_000 ? " or more" : ""} are`;

/** What keeps a project from giving out tasks, beside who or what ends that; undefined for one that may. */
function explainHalt({ uid, status, steps, name }: Project): ReactNode {
  const [last] = steps;
  const since = last?.status === status ? last : undefined;
  const by = since && since.by !== "" ? ` by ${since.by}` : "";
  const open = (
    <ButtonLink href={`/projects/${uid}`} variant="primary">
      Open {name}
    </ButtonLink>
  );
  if (status === "pending-approval")
    return (
      <EmptyState
        kind="nothing-yet"
        title="Waits for approval"
        description="An admin approves the project; then its tasks are made."
        action={open}
      />
    );
  if (status === "paused")
    return (
      <EmptyState
        kind="nothing-yet"
        title={`Paused${by}`}
        description="No task is given out until the project is resumed. What somebody has open may be finished."
        action={open}
      />
    );
  if (status === "completed")
    return (
      <EmptyState
        kind="nothing-yet"
        title="All done"
        description={
          since ? (
            <>
              The last <RelativeTime value={since.at} />.
            </>
          ) : (
            "Every task was submitted."
          )
        }
        action={open}
      />
    );
  if (status === "canceled" || status === "archived")
    return (
      <EmptyState
        kind="nothing-yet"
        title={status === "canceled" ? `Canceled${by}` : `Archived${by}`}
        description="Nobody can work on it again. Its results stay."
        action={open}
      />
    );
  return undefined;
}

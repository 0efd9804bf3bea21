"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, ChevronLeft, ChevronRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Badge } from "@/components/kit/badge";
import { useClock } from "@/components/kit/clock";
import { IconButton } from "@/components/kit/icon-button";
import { Tooltip } from "@/components/kit/tooltip";
import { useTRPC } from "@/components/trpc/client";
import { countRejected, queueHref, type TaskForEditor } from "./query";
import { SavedState } from "./saved-state";
import type { SessionState } from "./session-state";
import type { TaskSession } from "./task-session";

const pad = (value: number): string => String(value).padStart(2, "0");

/** Seconds as `4:05`, from an hour on `1:04:05`. */
function toClock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const tail = pad(seconds % 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${tail}` : `${minutes}:${tail}`;
}

interface TaskHeadProps {
  found: TaskForEditor;
  session: TaskSession;
  state: SessionState;
  /** Goes to another task, to look at it. */
  onLook: (task: string) => void;
  onDownload: () => void;
}

/** The left of the bar: the way back, which picture it is, and whether the work is saved. */
export function TaskHead({ found, session, state, onLook, onDownload }: TaskHeadProps) {
  const { item, place, project } = found;
  const round = countRejected(found) + 1;
  const seconds = useClock(() => session.timer.seconds);
  const isHeld = state.lease.is === "held";
  return (
    <>
      <Tooltip content={`Tasks of ${project.name}`}>
        <Link
          href={queueHref(project.uid)}
          prefetch={false}
          aria-label={`Back to the tasks of ${project.name}`}
          className="flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-foreground [&_svg]:size-4"
        >
          <ArrowLeft aria-hidden />
        </Link>
      </Tooltip>
      <h1 className="min-w-16 truncate text-table font-medium" title={item.key}>
        {item.key.split("/").at(-1)}
      </h1>
      <TaskWalk task={found.task.uid} onLook={onLook}>
        <span className="shrink-0 text-table text-subtle tabular-nums" title={`Batch ${place.batch}`}>
          {place.at}/{place.of}
        </span>
      </TaskWalk>
      {round > 1 && <Badge className="shrink-0">Round {round}</Badge>}
      {(isHeld || state.send.waiting > 0) && (
        <>
          <span aria-hidden className="h-4 shrink-0 border-l max-sm:hidden" />
          <SavedState state={state} onRetry={session.retry} onDownload={onDownload} />
          <span
            role="timer"
            aria-label="Time of work"
            className="shrink-0 text-table text-subtle tabular-nums max-sm:hidden"
          >
            {toClock(seconds)}
          </span>
        </>
      )}
    </>
  );
}

/** The place of a task among those of its project, and the way to those beside it. */
function TaskWalk(props: { task: string; onLook: (task: string) => void; children: ReactNode }) {
  const { task, onLook, children } = props;
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.tasks.neighbours.queryOptions({ uid: task }),
    // Changes of tasks come often; only where it is the last one may they add what comes after it.
    staleTime: ({ state }) => (state.data && state.data.after !== null ? "static" : 0),
  });
  const walk = (label: string, to: string | null | undefined, end: string, icon: ReactNode) => (
    <IconButton
      size="sm"
      label={label}
      icon={icon}
      // A narrow bar has no room beside what is saved.
      className="max-sm:hidden"
      disabled={to === undefined}
      disabledReason={to === null ? end : undefined}
      onClick={() => to && onLook(to)}
    />
  );
  return (
    <span className="flex shrink-0 items-center">
      {walk("Look at the task before", data?.before, "This is the first.", <ChevronLeft aria-hidden />)}
      {children}
      {walk("Look at the next task", data?.after, "This is the last.", <ChevronRight aria-hidden />)}
    </span>
  );
}

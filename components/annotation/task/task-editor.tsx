"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, useSyncExternalStore } from "react";
import { v4 as uuidv4 } from "uuid";
import { Editor } from "@/components/annotation/editor";
import { Button } from "@/components/kit/button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { useNarrow } from "@/components/kit/media-query";
import { saveFile } from "@/components/kit/save-file";
import { GuideMarkdown } from "@/components/product/markdown/guide-markdown";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { CheckName } from "@/domain/annotations/check-names";
import type { SkipReason } from "@/domain/tasks/skip-schema";
import { IssuesPanel } from "../issues/issues-panel";
import { noteIssues, useIssues } from "../issues/use-issues";
import { useReviewers } from "../issues/use-reviewers";
import { FrameBar } from "./frame-bar";
import { keepHand } from "./kept-hand";
import { usePictureAhead } from "./picture-ahead";
import { isOpen, type TaskForEditor } from "./query";
import { useShownShapes } from "./result-shapes";
import type { SessionState } from "./session-state";
import { SignInDialog } from "./sign-in-dialog";
import { TaskHead } from "./task-head";
import { TaskNotices } from "./task-notices";
import { useTaskPicture } from "./task-picture";
import { frameHref, useFrameWalk } from "./use-frame-walk";
import { useTaskPrompts } from "./use-task-prompts";
import { useTaskSession } from "./use-task-session";
import { WhereFrom } from "./where-from";

const SkipDialog = lazyDialog(async () => (await import("./skip-dialog")).SkipDialog);

interface TaskEditorProps {
  organization: string;
  found: TaskForEditor;
  /** Nothing is begun: the person goes through the tasks. */
  isLooking: boolean;
  /** Goes to another task, to look at it. */
  onLook: (task: string) => void;
  /** Begins to work on this one. */
  onWork: () => void;
  /** The work is over, "Submitted" or "Skipped"; with the next task, or null where there is none. */
  onEnded: (how: string, next: TaskForEditor | null) => void;
}

const names: Partial<Record<SessionState["lease"]["is"], string>> = { asking: "Opening…", held: "" };

/** Why a person may not work on a task at all; undefined where they may. */
function useRefusal({ task, project }: TaskForEditor): string | undefined {
  const { refusal, username } = usePermissions();
  const refused = refusal();
  if (refused !== undefined) return refused;
  if (project.task_type !== "image-annotation") return "Only pictures are annotated here; others by the API.";
  if (task.assignee !== null && task.assignee !== username && refusal({ role: "admin" }) !== undefined)
    return `Assigned to ${task.assignee}.`;
  return undefined;
}

/** What who labels has to know. */
const Guide = ({ text }: { text: string }) => (
  <div className="min-h-0 flex-1 overflow-y-auto p-3">
    <GuideMarkdown text={text} />
  </div>
);

/** A task with everything that belongs to the work on it. */
export function TaskEditor({ organization, found, isLooking, onLook, onWork, onEnded }: TaskEditorProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { userUid, username } = usePermissions();
  const refusal = useRefusal(found);
  const { mayDecide: isReviewer } = useReviewers(found.project.uid);
  const mayWork = refusal === undefined && isOpen(found) && !isLooking;
  const session = useTaskSession(found, { organization, user: userUid, mayWork });
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);
  const [submitKey] = useState(() => uuidv4());
  const [ending, setEnding] = useState<string | null>(null);
  const [isSkipping, setSkipping] = useState(false);
  const shown = useShownShapes(found);
  const { picture, hasFailed } = useTaskPicture(found);
  const [isDrawn, setDrawn] = useState(false);
  usePictureAhead(mayWork ? found.next_hint : null, isDrawn);
  // Labels and the status may change while somebody works.
  const project = useQuery(trpc.projects.overviewOf.queryOptions({ uid: found.project.uid })).data;
  const labels = project?.labels ?? found.project.labels;
  const status = project?.status ?? found.project.status;
  const pausedBy = status === "paused" ? (project?.steps.find((step) => step.status === "paused")?.by ?? "") : null;
  const isPhone = useNarrow();
  const { uid: projectUid } = found.project;
  // Who only looks has no tool that draws.
  const hand = useMemo(
    () => (mayWork ? keepHand({ user: userUid, project: projectUid, labels, isPhone }) : undefined),
    [mayWork, userUid, projectUid, labels, isPhone],
  );
  const { uid } = found.task;
  const next = { project: found.project.uid };

  const download = async () => {
    const content = JSON.stringify(await session.listWork(), null, 2);
    saveFile({ name: `${found.item.key.split("/").at(-1) ?? uid}.json`, content, type: "application/json" });
  };
  const submit = async (ignored: readonly CheckName[]) => {
    setEnding("Submitting…");
    try {
      const answer = await session.finish((held) =>
        client.tasks.submit.mutate({ uid, ...held, key: submitKey, ignore: [...ignored], next }),
      );
      onEnded("Submitted", answer.next);
    } catch (error) {
      setEnding(null);
      toast.failure(error, { title: "Not submitted" });
    }
  };
  const skip = async (reason: SkipReason, text: string) => {
    setEnding("Skipping…");
    try {
      const answer = await session.finish(({ lease: held }) =>
        client.tasks.skip.mutate({ uid, lease: held, reason, text, next }),
      );
      onEnded("Skipped", answer.next);
    } catch (error) {
      setEnding(null);
      toast.failure(error, { title: "Not skipped" });
    }
  };

  const prompts = useTaskPrompts(found.item.uid, mayWork);
  const frames = useFrameWalk(uid);
  const [unshown, setUnshown] = useState<string | null>(null);
  const { shown: frame, recorded } = frames;
  const shownFrame = frame &&
    recorded && {
      url: frameHref(recorded, frame),
      onFailure: () => setUnshown(frame.t_ns),
      bar: (
        <FrameBar
          task={uid}
          frame={frame}
          recorded={recorded}
          hasFailed={unshown === frame.t_ns}
          note={frames.note}
          frames={frames}
        />
      ),
    };
  const issues = useIssues(uid);
  const notes = useMemo(() => noteIssues(issues.issues ?? []), [issues.issues]);
  const panels = [
    ...(project && project.guide.trim() !== ""
      ? [{ value: "guide", label: "Guide", content: <Guide text={project.guide} /> }]
      : []),
    { value: "source", label: "Where from", content: <WhereFrom task={uid} onFrame={frames.step} /> },
  ];

  const { lease, draft, isReopening, send } = state;
  const isHeld = lease.is === "held" && draft !== null;
  const busy = ending ?? (isReopening ? "Opening…" : undefined);
  const readOnly = !mayWork ? "Read only" : isHeld ? busy : (names[lease.is] ?? "Read only");
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <TaskNotices
        found={found}
        session={session}
        state={state}
        pausedBy={pausedBy}
        hasLabels={labels.length > 0}
        refusal={refusal}
        onWork={isLooking ? onWork : undefined}
        onDownload={() => void download()}
      />
      {picture ? (
        <Editor
          picture={picture}
          labels={labels}
          shapes={draft?.shapes ?? shown}
          kept={draft?.kept ?? null}
          proposals={draft?.proposals}
          {...(hand && { hand })}
          readOnly={readOnly}
          onOps={session.add}
          onDecide={session.decide}
          onSubmit={mayWork ? (ignored) => void submit(ignored) : undefined}
          onSkip={mayWork ? () => setSkipping(true) : undefined}
          head={
            <TaskHead
              found={found}
              session={session}
              state={state}
              onLook={onLook}
              onDownload={() => void download()}
            />
          }
          panels={panels}
          frames={{ step: frames.step, leave: frames.leave, shown: shownFrame }}
          notes={notes}
          prompts={prompts}
          onPicture={() => setDrawn(true)}
          issues={{
            pins: issues.pins,
            count: issues.open,
            panel: (chosen, onChoose) => (
              <IssuesPanel
                task={uid}
                refusal={refusal}
                mayReopen={isReviewer}
                chosen={chosen}
                onChoose={(issue) => onChoose({ ...issue, id: issue.uid })}
              />
            ),
          }}
        />
      ) : (
        <div className="m-auto flex flex-col items-center gap-4 p-6">
          <p className="text-table text-muted" role="status">
            {hasFailed ? "The picture could not be loaded." : "The picture is loaded…"}
          </p>
          {hasFailed && isHeld && <Button onClick={() => setSkipping(true)}>Skip</Button>}
        </div>
      )}
      {isSkipping && (
        <SkipDialog
          title={found.item.key.split("/").at(-1) ?? ""}
          reason={hasFailed ? "damaged" : null}
          busy={ending !== null}
          onSkip={(reason, text) => void skip(reason, text)}
          onClose={() => setSkipping(false)}
        />
      )}
      {send.answer === "signed_out" && <SignInDialog username={username} onSignedIn={session.retry} />}
    </div>
  );
}

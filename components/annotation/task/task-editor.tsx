"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, useSyncExternalStore } from "react";
import { Editor } from "@/components/annotation/editor";
import type { EditorHand } from "@/components/annotation/store/editor-snapshot";
import { saveFile } from "@/components/kit/save-file";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { GuideMarkdown } from "@/components/projects/guide/guide-box";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { CheckName } from "@/domain/annotations/check-names";
import { IssuesPanel } from "../issues/issues-panel";
import { noteIssues, useIssues } from "../issues/use-issues";
import { useReviewers } from "../issues/use-reviewers";
import { isOpen, type TaskForEditor } from "./query";
import { useShownShapes } from "./result-shapes";
import type { SessionState } from "./session-state";
import { SignInDialog } from "./sign-in-dialog";
import { TaskHead } from "./task-head";
import { TaskNotices } from "./task-notices";
import { useTaskPicture } from "./task-picture";
import { useTaskSession } from "./use-task-session";
import { WhereFrom } from "./where-from";

interface TaskEditorProps {
  organization: string;
  found: TaskForEditor;
  /** The tool and the label that were used on the picture before. */
  hand: { current: EditorHand };
  /** The work was submitted; with the next task, or null where there is none. */
  onSubmitted: (next: TaskForEditor | null) => void;
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
export function TaskEditor({ organization, found, hand, onSubmitted }: TaskEditorProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { userUid, username } = usePermissions();
  const refusal = useRefusal(found);
  const { mayDecide: isReviewer } = useReviewers(found.project.uid);
  const mayWork = refusal === undefined && isOpen(found);
  const session = useTaskSession(found, { organization, user: userUid, mayWork });
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);
  const [submitKey] = useState(() => crypto.randomUUID());
  const [isSubmitting, setSubmitting] = useState(false);
  const shown = useShownShapes(found);
  const { picture, hasFailed } = useTaskPicture(found);
  // Labels and the status may change while somebody works.
  const project = useQuery(trpc.projects.overviewOf.queryOptions({ uid: found.project.uid })).data;
  const labels = project?.labels ?? found.project.labels;
  const status = project?.status ?? found.project.status;
  const pausedBy = status === "paused" ? (project?.steps.find((step) => step.status === "paused")?.by ?? "") : null;
  const { uid } = found.task;

  const download = async () => {
    const content = JSON.stringify(await session.listWork(), null, 2);
    saveFile({ name: `${found.item.key.split("/").at(-1) ?? uid}.json`, content, type: "application/json" });
  };
  const submit = async (ignored: readonly CheckName[]) => {
    setSubmitting(true);
    try {
      const next = { project: found.project.uid };
      const answer = await session.submit((held) =>
        client.tasks.submit.mutate({ uid, ...held, key: submitKey, ignore: [...ignored], next }),
      );
      onSubmitted(answer.next);
    } catch (error) {
      setSubmitting(false);
      toast.failure(error, { title: "Not submitted" });
    }
  };

  const issues = useIssues(uid);
  const notes = useMemo(() => noteIssues(issues.issues ?? []), [issues.issues]);
  const panels = [
    ...(project && project.guide.trim() !== ""
      ? [{ value: "guide", label: "Guide", content: <Guide text={project.guide} /> }]
      : []),
    { value: "source", label: "Where from", content: <WhereFrom task={uid} /> },
  ];

  const { lease, draft, isReopening, send } = state;
  const isHeld = lease.is === "held" && draft !== null;
  const busy = isSubmitting ? "Submitting…" : isReopening ? "Opening…" : undefined;
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
        onDownload={() => void download()}
      />
      {picture ? (
        <Editor
          picture={picture}
          labels={labels}
          shapes={draft?.shapes ?? shown}
          kept={draft?.kept ?? null}
          proposals={draft?.proposals}
          hand={hand}
          readOnly={readOnly}
          onOps={session.add}
          onDecide={session.decide}
          onSubmit={mayWork ? (ignored) => void submit(ignored) : undefined}
          head={<TaskHead found={found} session={session} state={state} onDownload={() => void download()} />}
          panels={panels}
          notes={notes}
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
        <p className="m-auto p-6 text-table text-muted" role="status">
          {hasFailed ? "The picture could not be loaded." : "The picture is loaded…"}
        </p>
      )}
      {send.answer === "signed_out" && <SignInDialog username={username} onSignedIn={session.retry} />}
    </div>
  );
}

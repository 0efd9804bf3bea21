"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { RelativeTime } from "@/components/kit/time";
import { readFailure } from "@/components/product/failure";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { issuesBelow, type Issue } from "@/domain/issues";
import { LabelEditor } from "./label-editor";
import { describeSaved, findFaults, toLabels } from "./label-rows";
import { shapesOfTask } from "./task-shapes";
import { useLabelDraft } from "./use-label-draft";

/** The labels of a project for who may change them; saving says what became of each. */
export function EditableLabels(props: {
  project: Pick<Outputs["projects"]["overviewOf"], "uid" | "name" | "labels" | "task_type">;
  counts: Readonly<Record<string, number>> | null | undefined;
}) {
  const { project, counts } = props;
  const { uid, name, labels: stored } = project;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { rows, setRows, isChanged, isOutdated, restoredAt, start } = useLabelDraft(uid, stored);
  const [isBroken, setBroken] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [hasTried, setTried] = useState(false);
  const [refused, setRefused] = useState<readonly Issue[]>([]);
  const [saved, setSaved] = useState<readonly string[]>([]);
  const labels = toLabels(rows);
  const faults = findFaults(labels, stored);
  // A name that is still to be typed is no fault before somebody wants to save.
  const shown = hasTried ? faults : faults.filter(({ path: [at] }) => labels[Number(at)]?.name !== "");

  const save = async () => {
    setTried(true);
    if (faults.length > 0) return;
    setSaving(true);
    try {
      const { labels: after } = await client.projects.update.mutate({ uid, change: { labels } });
      setSaved(describeSaved(stored, labels, after));
      setTried(false);
      start(after);
      toast.success(`Labels of ${name} saved`);
      await queryClient.invalidateQueries(trpc.projects.pathFilter());
    } catch (error) {
      const issues = issuesBelow(readFailure(error).issues, "labels");
      setRefused(issues);
      if (issues.length === 0) toast.failure(error, { title: `Labels of ${name} were not saved` });
    } finally {
      setSaving(false);
    }
  };
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {saved.length > 0 && (
        <div role="status" aria-label="What saving did" className="border-l-2 border-accent pl-3 text-table">
          <ul className="flex flex-col gap-0.5">
            {saved.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {restoredAt !== null && isChanged && (
        <p role="status" className="text-table text-muted">
          Your unsaved changes from <RelativeTime value={new Date(restoredAt).toISOString()} /> are back.
        </p>
      )}
      {isOutdated && (
        <p role="alert" className="text-table text-warning-text">
          Somebody saved other labels meanwhile. Discard yours to see them; saving puts yours in their place.
        </p>
      )}
      <LabelEditor
        rows={rows}
        stored={stored}
        counts={counts}
        issues={[...shown, ...refused]}
        shapes={shapesOfTask[project.task_type]}
        onBroken={setBroken}
        onChange={(next) => {
          setRefused([]);
          setSaved([]);
          setRows(next);
        }}
      />
      <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t bg-surface py-3">
        <span className="mr-auto text-table text-muted">
          {isBroken
            ? "The JSON is wrong"
            : isChanged
              ? "Not saved yet"
              : plural(labels.filter(({ retired }) => !retired).length, "label")}
        </span>
        {isChanged && <Button onClick={() => start(stored)}>Discard</Button>}
        <Button
          variant="primary"
          busy={isSaving}
          disabledReason={isBroken ? "Correct the JSON first." : isChanged ? undefined : "Nothing has changed."}
          onClick={() => void save()}
        >
          Save labels
        </Button>
      </div>
    </div>
  );
}

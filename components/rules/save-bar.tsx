"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { readFailure } from "@/components/product/failure";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { Issue } from "@/domain/issues";
import { isComplete, tidy } from "./conditions/condition-draft";
import { isOnHeartbeats, type RuleDraft } from "./draft";
import type { Found, RuleDetail } from "./query";

/** A rule with more hits per day than this has to be confirmed before it is saved. */
const noisyADay = 20;

interface SaveBarProps {
  saved: RuleDetail | undefined;
  draft: RuleDraft;
  preview: Found | null;
  changed: boolean;
  onIssues: (issues: readonly Issue[]) => void;
  onSaved: () => void;
}

/** Saves the rule; requires confirmation when the preview shows no hits or too many. */
export function SaveBar({ saved, draft, preview, changed, onIssues, onSaved }: SaveBarProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const refused = usePermissions().refusal(saved && { author: saved.created_by_uid });
  const [note, setNote] = useState("");
  const [past, setPast] = useState(false);
  const hasPast = !isOnHeartbeats(draft.condition);
  const [confirming, setConfirming] = useState(false);
  const [busy, setBusy] = useState(false);
  const leave = saved ? `/rules/${saved.uid}` : "/rules";
  const doubt =
    preview === null || preview.among === null
      ? null
      : preview.hit_count === 0
        ? `It would not have triggered on any of these ${preview.among}.`
        : preview.rate.perDay > noisyADay
          ? `It would have triggered ${plural(preview.hit_count, "time")}, ${preview.rate.text}.`
          : null;

  const save = async () => {
    setBusy(true);
    try {
      // The server reports missing and invalid fields.
      const actions = draft.actions as Inputs["rules"]["create"]["actions"];
      const rule = { ...draft, condition: tidy(draft.condition), actions, ...(note.trim() && { note }) };
      const { uid } = saved
        ? await client.rules.update.mutate({ uid: saved.uid, change: rule })
        : await client.rules.create.mutate(rule);
      onSaved();
      const run = past && hasPast ? (await client.rules.run.mutate({ uid, over: {} })).run_uid : null;
      await queryClient.invalidateQueries(trpc.rules.pathFilter());
      toast.success(saved ? `${rule.name} was saved` : `${rule.name} is active from now on`);
      router.push(run ? `/rules/${uid}?run=${run}` : `/rules/${uid}`);
    } catch (error) {
      const { issues } = readFailure(error);
      onIssues(issues);
      if (issues.length === 0) toast.failure(error, { title: "The rule was not saved" });
      else toast.failure("Some fields are not valid; they are marked.", { title: "The rule was not saved" });
    } finally {
      setBusy(false);
    }
  };
  const unready = !isComplete(draft.condition)
    ? "The condition is not complete."
    : saved && !changed
      ? "Nothing has changed."
      : undefined;
  return (
    <div className="flex flex-col gap-2 border-t px-4 py-3 sm:px-6">
      {saved && (
        <Input
          aria-label="Note on this version"
          placeholder="Why this version? (optional)"
          value={note}
          onValueChange={setNote}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <div className="mr-auto">
          {hasPast && (
            <label className="flex items-center gap-2 text-table">
              <input
                type="checkbox"
                className="checkbox"
                checked={past}
                onChange={(event) => setPast(event.target.checked)}
              />
              Also run over past recordings
            </label>
          )}
        </div>
        <ButtonLink href={leave}>Cancel</ButtonLink>
        <Button
          variant="primary"
          busy={busy}
          disabledReason={refused ?? unready}
          onClick={() => (doubt ? setConfirming(true) : void save())}
        >
          {saved ? "Save version" : "Create rule"}
        </Button>
      </div>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Save it anyway?"
        description={doubt}
        action={saved ? "Save version" : "Create rule"}
        danger={false}
        onConfirm={save}
      />
    </div>
  );
}

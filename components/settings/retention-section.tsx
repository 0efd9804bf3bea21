"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Section } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { getRetentionDays, retentionKinds, type RetentionKind } from "@/domain/organizations/retention";
import {
  changedDays,
  daysError,
  describeDeletions,
  describeFreed,
  describeOperator,
  parseDays,
  retentionLabels,
} from "./retention-texts";
import type { Organization } from "./use-saved";

const hints: Partial<Record<RetentionKind, string>> = {
  recordings: "Counted from the upload. Their files and events go too.",
  events: "Those of recordings with an unresolved alert stay.",
  alerts: "Counted from when they were resolved.",
  audit: "At least 90.",
};

/** After how many days what is deleted. What the next run would delete is counted before it is saved. */
export function RetentionSection({ organization }: { organization: Organization }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const before = organization.settings.retention ?? {};
  const [typed, setTyped] = useState<Partial<Record<RetentionKind, string>>>({});
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const shown = (kind: RetentionKind) => typed[kind] ?? String(getRetentionDays(before, kind) ?? "");
  const parsed = Object.fromEntries(retentionKinds.map((kind) => [kind, parseDays(kind, shown(kind))])) as Record<
    RetentionKind,
    number | null | undefined
  >;
  const changed = changedDays(before, parsed);
  const isValid = retentionKinds.every((kind) => parsed[kind] !== undefined);
  const isChanged = isValid && Object.keys(changed).length > 0;
  const deletes = Object.values(changed).some((days) => days !== null);
  const counted = useQuery({
    ...trpc.organizations.countDeletions.queryOptions(changed),
    enabled: reason === undefined && isChanged && deletes,
    placeholderData: keepPreviousData,
  });
  const counts = isChanged && deletes && !counted.isPlaceholderData ? counted.data : undefined;
  const isHarmless = !deletes || (counts !== undefined && counts?.every(({ count }) => count === 0));

  const save = async () => {
    setBusy(true);
    try {
      await client.organizations.update.mutate({ settings: { retention: changed } });
      await queryClient.invalidateQueries(trpc.organizations.pathFilter());
      setTyped({});
      toast.success("Retention saved", { description: "It applies from the next daily run." });
    } catch (error) {
      toast.failure(error, { title: "The retention was not saved" });
      throw error;
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section
      title="Retention"
      description="What is older is deleted once a day. Empty: it stays until somebody deletes it."
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isChanged || busy) return;
          if (isHarmless) void save().catch(() => {});
          else setAsking(true);
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          {retentionKinds.map((kind) => (
            <Field
              key={kind}
              label={`${retentionLabels[kind]}, in days`}
              hint={hints[kind]}
              error={parsed[kind] === undefined ? daysError(kind) : undefined}
            >
              <Input
                inputMode="numeric"
                autoComplete="off"
                readOnly={reason !== undefined}
                className="max-w-32"
                placeholder="For ever"
                value={shown(kind)}
                onValueChange={(text) => setTyped({ ...typed, [kind]: text })}
              />
            </Field>
          ))}
        </div>
        <p role="status" className="text-table text-muted empty:hidden">
          {counts !== undefined && describeDeletions(counts)}
          {isChanged && deletes && counts === undefined && !counted.error && "Counting what is older …"}
        </p>
        <div>
          <Button
            type="submit"
            busy={busy}
            disabled={!isChanged || (deletes && counts === undefined && !counted.error)}
            variant={isChanged ? "primary" : "secondary"}
            disabledReason={reason}
          >
            Save retention
          </Button>
        </div>
      </form>
      <RetentionFacts />
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Delete what is older, every day?"
        description={counts === undefined ? "It could not be counted." : describeDeletions(counts)}
        action="Save and delete"
        danger
        onConfirm={save}
      />
    </Section>
  );
}

/** The last run, and what the operator has deleted. */
function RetentionFacts() {
  const trpc = useTRPC();
  const { data: state } = useQuery(trpc.organizations.retention.queryOptions());
  if (!state) return null;
  const operator = describeOperator(state.operator);
  return (
    <div className="mt-4 flex flex-col gap-1 text-table text-muted">
      {state.last && (
        <p>
          {state.last.finished_at === null ? "Running since " : "Last run "}
          <RelativeTime value={state.last.finished_at ?? state.last.started_at} />: {describeFreed(state.last.freed)}.
        </p>
      )}
      {operator !== "" && <p>{operator}</p>}
    </div>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import { Textarea } from "@/components/kit/textarea";
import { useTRPC } from "@/components/trpc/client";
import { type Issue, messageAt } from "@/domain/issues";
import type { RuleDraft } from "./draft";

/** No username is empty. */
const nobody = "";

/** What to do about a rule's alerts, and who answers for it. */
export function GuidanceFields(props: {
  draft: Pick<RuleDraft, "runbook" | "owner">;
  onChange: (change: Partial<RuleDraft>) => void;
  issues: readonly Issue[];
}) {
  const { draft, onChange, issues } = props;
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({ limit: 100 })).data?.results ?? [];
  const names = new Set([...(draft.owner === null ? [] : [draft.owner]), ...members.map(({ username }) => username)]);
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="Runbook"
        optional
        hint="Markdown, or the address of a page. It is at the top of each of its alerts."
        error={messageAt(issues, "runbook")}
      >
        <Textarea
          value={draft.runbook}
          rows={4}
          placeholder={"1. Stop the cell\n2. Look at the fan of joint 3"}
          onChange={({ target }) => onChange({ runbook: target.value })}
        />
      </Field>
      <Field label="Owner" optional hint="Who answers for this rule." error={messageAt(issues, "owner")}>
        <Select
          options={[
            { value: nobody, label: "Nobody" },
            ...[...names].map((username) => ({ value: username, label: username })),
          ]}
          value={draft.owner ?? nobody}
          onValueChange={(username) => onChange({ owner: username === nobody ? null : username })}
        />
      </Field>
    </div>
  );
}

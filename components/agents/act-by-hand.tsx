"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { RadioGroup } from "@/components/kit/radio-group";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { type AgentAction, agentActions, maxReasonLength } from "@/domain/agents/execution-status";
import { wholeMessage } from "@/domain/issues";
import { getName } from "./execution-columns";
import { actionLooks } from "./execution-status";
import type { AgentDetail, Execution } from "./query";

const options = agentActions.map((value) => ({ value, label: actionLooks[value].verb }));

/** What taking an action does, in a sentence. */
function describeEffect(action: AgentAction, execution: Execution): string {
  const { result, result_status: status } = execution;
  if (result === null) return "This is recorded; nothing else happens.";
  if (action === "flag" || action === "skip") return "This is recorded; the result stays as it is.";
  if (status === null) return "Its result was deleted; this is only recorded.";
  if (status !== "submitted") return `The result is ${status} already; this is only recorded.`;
  return action === "approve"
    ? `This accepts the result of ${getName(execution)}.`
    : `This rejects the result of ${getName(execution)}, and its task is open again.`;
}

/** Takes the action in place of the agent. */
export function ActByHand({ execution, agent }: { execution: Execution; agent: AgentDetail }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const refusal = usePermissions().refusal({ role: "admin" });
  const [action, setAction] = useState<AgentAction>(execution.result === null ? "skip" : "approve");
  const [reason, setReason] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const decides = action === "approve" || action === "reject";
  const own = decides && execution.own_result ? "You submitted the result; another person decides it." : undefined;

  const act = async () => {
    setBusy(true);
    setError(null);
    try {
      await client.agents.act.mutate({ execution: execution.uid, action, ...(reason.trim() && { reason }) });
      toast.success(`${actionLooks[action].label} in place of ${agent.name}`);
      await queryClient.invalidateQueries(trpc.agents.pathFilter());
    } catch (failure) {
      const { issues, detail } = readFailure(failure);
      if (issues.length > 0) setError(wholeMessage(issues) ?? issues.map(({ message }) => message).join(" "));
      else toast.failure(failure, { title: "The action was not taken" });
      if (issues.length === 0 && detail === "") return;
      await queryClient.invalidateQueries(trpc.agents.pathFilter());
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="min-w-0">
      <h3 className="mb-2 text-table font-semibold">Act by hand</h3>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && refusal === undefined && own === undefined) void act();
        }}
      >
        {error && <FormError>{error}</FormError>}
        <RadioGroup aria-label="Action" layout="segments" options={options} value={action} onValueChange={setAction} />
        <Field label="Reason" optional hint={describeEffect(action, execution)}>
          <Input value={reason} onValueChange={setReason} maxLength={maxReasonLength} autoComplete="off" />
        </Field>
        <Button type="submit" variant="primary" className="self-start" busy={busy} disabledReason={refusal ?? own}>
          {actionLooks[action].verb}
        </Button>
      </form>
    </section>
  );
}

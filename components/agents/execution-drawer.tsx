"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import Link from "next/link";
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { Drawer } from "@/components/kit/drawer";
import { KeyValue } from "@/components/kit/key-value";
import { Skeleton, SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { AttemptList } from "@/components/product/attempt-list";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { Status } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { ActByHand } from "./act-by-hand";
import { describeOutcome } from "./agent-texts";
import { describeActor, getName, TimeLeft } from "./execution-columns";
import { ExecutionStatusMark } from "./execution-status";
import type { AgentDetail, Execution, ExecutionDetail } from "./query";

export interface ExecutionDrawerProps {
  agent: AgentDetail;
  /** The execution shown; null closes the drawer. */
  uid: string | null;
  /** The same execution as the list has it. */
  row: Execution | undefined;
  query: { error: unknown; refetch: () => unknown };
  onClose: () => void;
}

/** One execution: what it is about, what was decided and why, how it was sent, and what can be done about it. */
export function ExecutionDrawer({ agent, uid, row, query, onClose }: ExecutionDrawerProps) {
  const trpc = useTRPC();
  const detail = useQuery({ ...trpc.agents.execution.queryOptions({ uid: uid ?? "" }), enabled: uid !== null });
  const shown = row?.uid === uid ? row : undefined;
  const isOpen = shown?.status === "pending" || shown?.status === "running";
  return (
    <Drawer
      open={uid !== null}
      onClose={onClose}
      title={shown ? getName(shown) : "Execution"}
      subtitle={
        shown ? (
          <>
            <ExecutionStatusMark execution={shown} strong />
            <span className="font-mono">{shown.event_type}</span>
            <RelativeTime value={shown.created_at} />
          </>
        ) : (
          <Skeleton className="my-0.5 h-3 w-40" />
        )
      }
      actions={shown?.status === "failed" && agent.callback_url !== "" ? <Resend execution={shown} /> : undefined}
    >
      {shown ? (
        <div className="flex flex-col gap-6">
          <Decision execution={shown} detail={detail.data} />
          {isOpen && <ActByHand key={shown.uid} execution={shown} agent={agent} />}
          <Facts execution={shown} detail={detail.data} />
          {detail.data ? (
            <Sent agent={agent} detail={detail.data} />
          ) : detail.error ? (
            <ErrorState
              error={detail.error}
              title="What was sent could not be loaded"
              onRetry={() => void detail.refetch()}
            />
          ) : (
            <SkeletonText lines={6} />
          )}
        </div>
      ) : query.error ? (
        <ErrorState
          error={query.error}
          title="This execution could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-2 text-table font-semibold">{title}</h3>
      {children}
    </section>
  );
}

/** What was decided, by whom and why; for an open one how long is left. */
function Decision({ execution, detail }: { execution: Execution; detail: ExecutionDetail | undefined }) {
  const outcome = describeOutcome(execution);
  const metadata = detail?.metadata ?? {};
  const isOpen = execution.status === "pending" || execution.status === "running";
  if (isOpen) {
    return (
      <p className="text-body">
        {execution.status === "running" ? "The agent received it and is at work." : "It waits for the agent."}{" "}
        <TimeLeft execution={execution} />.
      </p>
    );
  }
  if (execution.action === null) {
    return (
      <Status tone={execution.status === "failed" ? "error" : "neutral"} className="whitespace-normal!">
        {execution.error_message ?? "Nobody acted on it."}
      </Status>
    );
  }
  return (
    <Part title="Decision">
      <div className="flex flex-col gap-2">
        {outcome && (
          <Status
            tone={outcome.overruled ? "warning" : "online"}
            strong={outcome.overruled}
            className="whitespace-normal!"
          >
            {outcome.text}
          </Status>
        )}
        <KeyValue
          items={[
            ["Action", <ExecutionStatusMark key="action" execution={execution} />],
            ["Reason", execution.reason === "" ? null : execution.reason],
            ["By", describeActor(execution)],
            ["At", <InstantTime key="at" value={execution.completed_at} />],
          ]}
        />
        {Object.keys(metadata).length > 0 && <CodeBlock code={JSON.stringify(metadata, null, 2)} label="Metadata" />}
      </div>
    </Part>
  );
}

function Facts({ execution, detail }: { execution: Execution; detail: ExecutionDetail | undefined }) {
  return (
    <Part title="About">
      <KeyValue
        items={[
          ...(execution.project_name === null ? [] : [["Project", execution.project_name] as const]),
          ...(execution.task === null ? [] : [["Task", <UidChip key="task" uid={execution.task} max={24} />] as const]),
          ...(execution.result === null
            ? []
            : [["Result", <UidChip key="result" uid={execution.result} max={24} />] as const]),
          ...(execution.export === null
            ? []
            : [
                [
                  "Export",
                  <Link
                    key="export"
                    href={`/exports/${execution.export}`}
                    className="rounded-control text-accent-text hover:underline"
                  >
                    {getName(execution)}
                  </Link>,
                ] as const,
              ]),
          ...(execution.result === null ? [] : [["Its state", execution.result_status ?? "deleted since"] as const]),
          ["Received", <InstantTime key="received" value={detail?.started_at} />],
          ["Deadline", <InstantTime key="deadline" value={execution.deadline} />],
          ["Uid", <UidChip key="uid" uid={execution.uid} max={24} />],
        ]}
      />
    </Part>
  );
}

/** The event as the agent gets it; for callbacks each attempt, and what was returned without an action. */
function Sent({ agent, detail }: { agent: AgentDetail; detail: ExecutionDetail }) {
  const { attempt_log: attempts, action, response_payload: response } = detail;
  return (
    <>
      {(attempts.length > 0 || agent.callback_url !== "") && (
        <Part title="Attempts">
          {attempts.length === 0 && <p className="text-table text-muted">None yet.</p>}
          <AttemptList attempts={attempts} success="Received" />
          {detail.next_attempt_at && (
            <p className="mt-2 text-table text-muted">
              Next attempt <RelativeTime value={detail.next_attempt_at} />
            </p>
          )}
        </Part>
      )}
      {action === null && response !== null && (
        <Part title="Response">
          <CodeBlock code={JSON.stringify(response, null, 2)} label="JSON without an action" />
        </Part>
      )}
      <Part title="Event">
        <CodeBlock code={JSON.stringify(detail.event_payload, null, 2)} label="As the agent gets it" />
      </Part>
    </>
  );
}

/** Sends a failed execution again. */
function Resend({ execution }: { execution: Execution }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const [busy, setBusy] = useState(false);
  const resend = async () => {
    setBusy(true);
    try {
      await client.agents.resend.mutate({ uid: execution.uid });
      await queryClient.invalidateQueries(trpc.agents.pathFilter());
    } catch (error) {
      toast.failure(error, { title: "It was not sent again" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" icon={<RotateCw aria-hidden />} busy={busy} disabledReason={reason} onClick={() => void resend()}>
      Send again
    </Button>
  );
}

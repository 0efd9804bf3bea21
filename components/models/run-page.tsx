"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleStop, Ellipsis, RotateCw, SquareCheckBig } from "lucide-react";
import { useRouter } from "next/navigation";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { KeyValue } from "@/components/kit/key-value";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Duration } from "@/components/kit/measure";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, Section, usePageTitle } from "@/components/kit/page-header";
import { Progress } from "@/components/kit/progress";
import { InstantTime } from "@/components/kit/time";
import { DocsTextLink } from "@/components/product/docs-link";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { PredictedItems } from "./predicted-items";
import { modelHref, type Run } from "./query";
import { RunFailures } from "./run-failures";
import { LabelBars, ScoreBars } from "./run-figures";
import { canRetry, describeOver, isUnderWay, RunState } from "./run-state";
import { useRunActions } from "./use-run-actions";

const PreLabelDialog = lazyDialog(
  async () => (await import("@/components/pre-labels/pre-label-dialog")).PreLabelDialog,
);

/** A run's progress is asked for this often (milliseconds) while it is under way. */
const refreshMs = 3_000;
const list = { label: "Runs", href: "/models/runs" };

function Facts({ run }: { run: Run }) {
  const took = run.completed_at === null ? null : Date.parse(run.completed_at) - Date.parse(run.created_at);
  const total = run.total_count;
  return (
    <div className="flex flex-col gap-4">
      {isUnderWay(run) && (
        <Progress
          showLabel
          label={`${formatNumber(run.done_count + run.failed_count, 0)} of ${total === null ? "…" : plural(total, "item")}`}
          share={total === null || total === 0 ? null : (run.done_count + run.failed_count) / total}
        />
      )}
      {run.error_message !== null && (
        <Status tone="error" shape="cross" className="whitespace-normal!">
          {run.error_message}
        </Status>
      )}
      <KeyValue
        items={[
          [
            "Model",
            <DocsTextLink key="model" href={modelHref(run.model_uid)}>
              {run.model_name}
            </DocsTextLink>,
          ],
          ["Over", describeOver(run)],
          ["Done", `${formatNumber(run.done_count, 0)}${total === null ? "" : ` of ${formatNumber(total, 0)}`}`],
          ["Failed", formatNumber(run.failed_count, 0)],
          ["Clipped", run.clipped_count === 0 ? null : `${formatNumber(run.clipped_count, 0)} to the picture`],
          ["p50 an item", <Duration key="p50" ms={run.p50_ms} />],
          ["Started by", run.started_by === null ? null : run.is_by_rule ? `Rule ${run.started_by}` : run.started_by],
          ["Started", <InstantTime key="started" value={run.created_at} precision="minute" />],
          ["Took", took === null ? null : formatDuration(took)],
        ]}
      />
    </div>
  );
}

/** What the run predicted: figures that narrow the items below them. */
function Predictions({ run }: { run: Run }) {
  const trpc = useTRPC();
  const [label, setLabel] = useState<string | null>(null);
  const [least, setLeast] = useState(0);
  const histogram = useQuery(trpc.runs.histogram.queryOptions({ uid: run.uid })).data;
  const hasScores = histogram?.scores.some((count) => count > 0) === true;
  return (
    <>
      {histogram && histogram.labels.length > 0 && (
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
          <Section title="Labels" description="Items with at least one. Press a label to see those alone.">
            <LabelBars labels={histogram.labels} chosen={label} onChoose={setLabel} />
          </Section>
          {hasScores && (
            <Section title="Scores" description="Items by the highest score that the model gave.">
              <ScoreBars scores={histogram.scores} least={least} onLeast={setLeast} />
            </Section>
          )}
        </div>
      )}
      <Section
        title="Predictions"
        description={
          histogram && histogram.empty > 0 ? `Nothing was found in ${plural(histogram.empty, "item")}.` : undefined
        }
      >
        <PredictedItems run={run} label={label} least={least} />
      </Section>
    </>
  );
}

/** One run of a model: how far it is, why items failed, and what it predicted. */
export function RunPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [isDeleted, setDeleted] = useState(false);
  const [isPreLabelling, setPreLabelling] = useState(false);
  const query = useQuery({
    ...trpc.runs.overviewOf.queryOptions({ uid }),
    enabled: !isDeleted,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? refreshMs : false),
  });
  const actions = useRunActions(() => {
    setDeleted(true);
    router.push(list.href);
  });
  const preLabelRefusal = usePermissions().refusal({ role: "admin" });
  const run = query.data;
  const title = run && `${run.model_name} over ${run.dataset_name ?? "a deleted dataset"}`;
  usePageTitle(title);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={title}
        noun="run"
        deletedMessage="This run was deleted, and what it predicted with it."
        list={list}
        query={query}
      />
    );
  }
  if (!run) return null;
  const reason = actions.refusal(run);
  return (
    <>
      <PageHeader
        title={title ?? ""}
        trail={[{ label: "Models", href: "/models" }, list]}
        status={<RunState of={run} />}
        actions={
          <>
            <CopyLink compact />
            {isUnderWay(run) && (
              <Button icon={<CircleStop aria-hidden />} disabledReason={reason} onClick={() => void actions.stop(run)}>
                Stop
              </Button>
            )}
            {canRetry(run) && (
              <Button icon={<RotateCw aria-hidden />} disabledReason={reason} onClick={() => void actions.retry(run)}>
                Retry failed
              </Button>
            )}
            {run.done_count > 0 && (
              <Button
                icon={<SquareCheckBig aria-hidden />}
                className="max-sm:hidden"
                disabledReason={preLabelRefusal}
                onClick={() => setPreLabelling(true)}
              >
                Use as pre-labels
              </Button>
            )}
            <Menu
              items={actions.menu(run)}
              trigger={<IconButton label="Actions for this run" variant="secondary" icon={<Ellipsis aria-hidden />} />}
            />
          </>
        }
      />
      <PageBody>
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
          <Section title="About this run">
            <Facts run={run} />
          </Section>
          {run.failed_count > 0 && (
            <Section title="Failures" description="By reason, with the place in the answer where that is known.">
              <RunFailures run={run} />
            </Section>
          )}
        </div>
        {run.done_count > 0 && <Predictions run={run} />}
      </PageBody>
      <Suspense>
        {isPreLabelling && (
          <PreLabelDialog
            run={{ uid: run.uid, name: run.model_name, dataset: run.dataset_uid }}
            onClose={() => setPreLabelling(false)}
          />
        )}
      </Suspense>
      {actions.dialogs}
    </>
  );
}

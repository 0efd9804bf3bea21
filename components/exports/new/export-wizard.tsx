"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { FilterBox } from "@/components/items/filter/filter-box";
import { useItemCount } from "@/components/items/filter/use-item-count";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { leave } from "@/components/kit/leaving";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import { useShortcuts } from "@/components/kit/shortcuts";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { WizardFoot, WizardStep } from "@/components/product/wizard-step";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { hasBackgrounds, hasParts } from "@/domain/exports/formats";
import { exportLifetimeDays } from "@/domain/exports/schema";
import { issueLine, messageAt, type Issue } from "@/domain/issues";
import { describeSources, formatNames } from "../labels";
import { exportHref } from "../query";
import { watchExports } from "../watch-store";
import { hasSources, listChosen, steps, toCounting, toOrder, useDraft, useStep } from "./draft";
import { FirstItem, FormatCards } from "./format-step";
import { Holds } from "./holds";
import { SourcePicker, useChosenSources } from "./source-picker";
import { TrainingOptions } from "./training-options";
import { findFault } from "./use-export-preview";
import { useExportPreview } from "./use-export-preview";

const ownStorage = "muster";
/** The fields that show what is wrong with them. */
const fields = ["name", "datasets", "slices", "projects", "filter_query_string", "storage_config_uid"];

/** Orders an export on one page; on a phone each of its steps is a screen. */
export function ExportWizard() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const filterId = useId();
  const [draft, setDraft] = useDraft();
  const [step, setStep] = useStep();
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const sources = useChosenSources(draft);
  const state = useExportPreview(draft);
  const counted = useItemCount(toCounting(draft));
  const buckets = useQuery(trpc.exports.buckets.queryOptions()).data ?? [];
  const refused = usePermissions().refusal();

  const chosen = hasSources(draft);
  const names = listChosen(draft, sources).flatMap(({ kind, uid, source }) =>
    source ? [{ kind, uid, name: source.name }] : [],
  );
  const name = draft.name ?? (names.length > 0 ? describeSources(names).slice(0, 255) : "");
  const reason =
    refused ??
    (!chosen
      ? "Choose a source first."
      : counted.state === "exact" && counted.count === 0
        ? "No item matches."
        : (findFault(draft, state.preview) ?? undefined));

  const change: typeof setDraft = (next) => {
    setIssues([]);
    setDraft(next);
  };
  const submit = async () => {
    if (reason !== undefined || busy) return;
    setBusy(true);
    try {
      const { uid } = await client.exports.create.mutate(toOrder(draft, name));
      watchExports([uid]);
      await queryClient.invalidateQueries(trpc.exports.pathFilter());
      leave(() => router.push(exportHref(uid)));
    } catch (error) {
      const failure = readFailure(error);
      setIssues(failure.issues);
      if (failure.issues.length === 0) toast.failure(error, { title: "The export was not requested" });
      setBusy(false);
    }
  };
  useShortcuts([
    { keys: "mod+enter", label: "Export", group: "New export", everywhere: true, run: () => void submit() },
  ]);

  // What the formats cannot hold would push what stands below them down when it becomes known.
  const isOpening = state.preview === undefined && state.waiting;
  const others = issues.filter(({ path: [field] }) => !fields.includes(String(field)));
  const sourceError = ["datasets", "slices", "projects"].map((field) => messageAt(issues, field)).find(Boolean);
  const exportButton = (
    <Button variant="primary" busy={busy} disabledReason={reason} onClick={() => void submit()}>
      Export
    </Button>
  );
  return (
    <>
      <PageHeader title="New export" trail={[{ label: "Exports", href: "/exports" }]} />
      <PageBody className="gap-10 max-sm:pb-24">
        {others.length > 0 && <FormError>{others.map(issueLine).join(" ")}</FormError>}
        <WizardStep
          at={1}
          title={steps[0]}
          current={step}
          beside={
            <p className="text-table text-muted">
              A dataset gives all of its items, a slice those that its filter holds, a project those that it has tasks
              for. With a project, only its results are exported.
            </p>
          }
        >
          <SourcePicker draft={draft} chosen={sources} onChange={change} error={sourceError ?? state.refusal} />
        </WizardStep>
        <WizardStep
          at={2}
          title={steps[1]}
          current={step}
          beside={
            <Holds
              counted={counted}
              filter={draft.filter_query_string}
              onFilterChange={(filter) => change({ filter_query_string: filter })}
              state={state}
              chosen={chosen}
              numbered={hasParts(draft.format)}
            />
          }
        >
          <div className="flex min-w-0 flex-col gap-1.5">
            <span className="text-table font-medium">
              Filter <span className="font-normal text-subtle">(optional)</span>
            </span>
            <FilterBox
              id={filterId}
              datasets={[...new Set(sources.flatMap(({ datasets }) => datasets))]}
              value={draft.filter_query_string}
              onChange={(filter) => change({ filter_query_string: filter })}
              onRun={() => {
                counted.again();
                state.refresh();
              }}
              label="Filter items"
            />
            {messageAt(issues, "filter_query_string") && (
              <p role="alert" className="text-meta text-critical-text">
                {messageAt(issues, "filter_query_string")}
              </p>
            )}
          </div>
          <Field label="Results" group>
            <RadioGroup
              aria-label="Results"
              value={draft.results}
              onValueChange={(results) => change({ results })}
              options={[
                {
                  value: "submitted",
                  label: "Accepted and undecided ones",
                  hint: "Also what was submitted and nobody decided yet. Rejected results are never exported.",
                },
                { value: "accepted", label: "Accepted only", hint: "What a reviewer accepted." },
              ]}
            />
          </Field>
        </WizardStep>
        <WizardStep
          at={3}
          title={steps[2]}
          current={step}
          beside={<FirstItem format={draft.format} preview={state.preview} />}
        >
          <FormatCards format={draft.format} preview={state.preview} onChange={(format) => change({ format })} />
          {hasBackgrounds(draft.format) && !isOpening && (
            <TrainingOptions draft={draft} preview={state.preview} onChange={change} />
          )}
        </WizardStep>
        <WizardStep
          at={4}
          title={steps[3]}
          current={step}
          beside={
            <p className="text-table text-muted">
              {formatNames[draft.format]} is written in the background; you can leave this page, and every page says
              when it is ready. The file can be downloaded for {exportLifetimeDays} days.
            </p>
          }
        >
          <Field label="Name" error={messageAt(issues, "name")}>
            <Input value={name} maxLength={255} autoComplete="off" onValueChange={(text) => change({ name: text })} />
          </Field>
          {buckets.length > 0 && (
            <Field label="Where" error={messageAt(issues, "storage_config_uid")}>
              <Select
                value={draft.storage_config_uid ?? ownStorage}
                onValueChange={(value) => change({ storage_config_uid: value === ownStorage ? null : value })}
                options={[
                  { value: ownStorage, label: "Muster's own storage" },
                  ...buckets.map((bucket) => ({
                    value: bucket.uid,
                    label: bucket.name,
                    hint: bucket.is_verified ? bucket.bucket : `${bucket.bucket}, not verified`,
                  })),
                ]}
              />
            </Field>
          )}
          <div className="max-sm:hidden">{exportButton}</div>
        </WizardStep>
      </PageBody>
      <WizardFoot
        step={step}
        steps={steps.length}
        onStep={setStep}
        nextReason={chosen ? undefined : "Choose a source first."}
        finish={exportButton}
      />
    </>
  );
}

"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { leave } from "@/components/kit/leaving";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { useShortcuts } from "@/components/kit/shortcuts";
import { accessOptions } from "@/components/members/access-choice";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { WizardFoot, WizardStep } from "@/components/product/wizard-step";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { issueLine, issuesBelow, messageAt, type Issue } from "@/domain/issues";
import { CreateProject } from "@/domain/projects/schema";
import { GuideBox } from "../guide/guide-box";
import { LabelEditor } from "../labels/label-editor";
import { findFaults, toLabels, toRows, type LabelRow } from "../labels/label-rows";
import { shapesOfTask } from "../labels/task-shapes";
import { membersInput, projectHref, projectList } from "../query";
import { ReviewChoice } from "../review-choice";
import { DatasetPicker, useChosenDatasets } from "./dataset-picker";
import { useProjectDraft, type Draft, type ProjectSource } from "./draft";
import { explainSource, TaskTypeCards, type Source } from "./task-types";
import { describeTasks, WhatItMakes } from "./what-it-makes";

const steps = ["Data", "Kind of task", "Labels", "Name, guide and people"] as const;
/** The fields that show what is wrong with them. */
const fields = ["datasets", "slices", "labels", "name", "short_description", "guide"];

/** The name that a project over datasets has until somebody types one. */
const nameAfter = (sources: readonly Source[]): string => {
  const [first, ...others] = sources;
  if (!first) return "";
  return [...(others.length === 0 ? first.name : `${first.name} and ${others.length} more`)].slice(0, 100).join("");
};

/** Whether nobody else could decide what the only person who may work here submits; false until that is known. */
function useAlone(): boolean {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.members.list.queryOptions(membersInput));
  return data !== undefined && data.next === null && data.results.filter((member) => !member.read_only).length <= 1;
}

/** Makes a project on one page; on a phone each of its steps is a screen. What is written is kept until it is made. */
export function ProjectWizard({ of }: { of: ProjectSource }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [at, setStep] = useQueryState("step", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  const step = Math.min(Math.max(at, 1), steps.length);
  const { draft, change, isRestored, discard, done } = useProjectDraft(of);
  const [isBroken, setBroken] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [hasTried, setTried] = useState(false);
  const [refused, setRefused] = useState<readonly Issue[]>([]);
  const chosen = [...draft.datasets, ...draft.slices];
  const sources = useChosenDatasets(chosen);
  const name = draft.name ?? nameAfter(sources ?? []);
  const isAlone = useAlone();
  const review = draft.review ?? (isAlone ? "none" : "all");

  const dataReason =
    chosen.length === 0
      ? "Choose a dataset or a slice first."
      : sources?.map(explainSource).find((reason) => reason !== undefined);
  const labelFaults = findFaults(draft.labels, []);
  const guideError = CreateProject.shape.guide.safeParse(draft.guide).error?.issues[0]?.message;
  const reason =
    usePermissions().refusal({ role: "admin" }) ??
    dataReason ??
    (isBroken ? "Correct the JSON of the labels first." : undefined) ??
    (name.trim() === "" ? "Give it a name." : guideError);
  const getIssue = (field: string) => messageAt(refused, field);
  const others = refused.filter(({ path: [field] }) => !fields.includes(String(field)));

  const edit = (next: Partial<Draft>) => {
    setRefused([]);
    change(next);
  };
  const make = async () => {
    if (reason !== undefined || isBusy) return;
    setTried(true);
    if (labelFaults.length > 0) return setStep(3);
    setBusy(true);
    try {
      const { datasets, slices, task_type, labels, short_description, guide, access, review_share } = draft;
      const { uid } = await client.projects.create.mutate({
        ...(datasets.length > 0 && { datasets }),
        ...(slices.length > 0 && { slices }),
        ...{ name, task_type, labels, short_description, guide, access, review, review_share },
      });
      done();
      if (draft.starts) await start(uid);
      await queryClient.invalidateQueries(trpc.projects.pathFilter());
      leave(() => router.push(projectHref(uid)));
    } catch (error) {
      const { issues } = readFailure(error);
      setRefused(issues);
      if (issues.length === 0) toast.failure(error, { title: "The project was not made" });
      setBusy(false);
    }
  };
  /** The project is there whatever becomes of this. */
  const start = async (uid: string) => {
    try {
      await client.projects.step.mutate({ uid, step: "approve" });
      toast.success(`${name} is made`, { description: sources && describeTasks(sources) });
    } catch (error) {
      toast.failure(error, { title: `${name} is made, but was not approved` });
    }
  };
  useShortcuts([
    { keys: "mod+enter", label: "Make project", group: "New project", everywhere: true, run: () => void make() },
  ]);
  const makeButton = (
    <Button variant="primary" busy={isBusy} disabledReason={reason} onClick={() => void make()}>
      Make project
    </Button>
  );

  return (
    <>
      <PageHeader
        title="New project"
        trail={[projectList]}
        meta={
          isRestored && (
            <>
              <span role="status">What you wrote before is back.</span>
              <Button variant="link" onClick={discard}>
                Begin anew
              </Button>
            </>
          )
        }
      />
      <PageBody className="gap-10 max-sm:pb-24">
        {others.length > 0 && <FormError>{others.map(issueLine).join(" ")}</FormError>}
        <WizardStep at={1} title={steps[0]} current={step} beside={<WhatItMakes sources={sources} />}>
          <DatasetPicker
            chosen={chosen}
            sources={sources}
            error={getIssue("datasets") ?? getIssue("slices") ?? (chosen.length > 0 ? dataReason : undefined)}
            onAdd={({ kind, uid, dataset }) =>
              kind === "slice"
                ? edit({ slices: [...draft.slices, uid] })
                : edit({
                    datasets: [...draft.datasets, uid],
                    // Its slices are part of it.
                    slices: draft.slices.filter(
                      (slice) => !sources?.some((each) => each.uid === slice && each.dataset === dataset),
                    ),
                  })
            }
            onRemove={(uid) =>
              edit({
                datasets: draft.datasets.filter((each) => each !== uid),
                slices: draft.slices.filter((each) => each !== uid),
              })
            }
          />
        </WizardStep>
        <WizardStep at={2} title={steps[1]} current={step}>
          <TaskTypeCards value={draft.task_type} onChange={(task_type) => edit({ task_type })} />
        </WizardStep>
        <WizardStep at={3} title={steps[2]} current={step}>
          <NewLabels
            labels={draft.labels}
            issues={[...(hasTried ? labelFaults : named(labelFaults, draft.labels)), ...issuesBelow(refused, "labels")]}
            shapes={shapesOfTask[draft.task_type]}
            onChange={(labels) => edit({ labels })}
            onBroken={setBroken}
          />
        </WizardStep>
        <WizardStep
          at={4}
          title={steps[3]}
          current={step}
          beside={
            <GuideBox
              value={draft.guide}
              error={getIssue("guide") ?? guideError}
              onValueChange={(guide) => edit({ guide })}
            />
          }
        >
          <Field label="Name" {...withError(getIssue("name"))}>
            <Input value={name} maxLength={100} autoComplete="off" onValueChange={(text) => edit({ name: text })} />
          </Field>
          <Field label="Description" optional {...withError(getIssue("short_description"))}>
            <Input
              value={draft.short_description}
              maxLength={1_000}
              autoComplete="off"
              onValueChange={(short_description) => edit({ short_description })}
            />
          </Field>
          <Field label="Who sees it" group>
            <RadioGroup
              aria-label="Who sees it"
              options={accessOptions}
              value={draft.access}
              onValueChange={(access) => edit({ access })}
            />
          </Field>
          <Field label="Review" group>
            <ReviewChoice value={{ review, review_share: draft.review_share }} onChange={edit} />
            {isAlone && (
              <p className="text-table text-muted">
                You are the only one here who may review, and nobody decides about results of their own.
              </p>
            )}
          </Field>
          <Checkbox
            label="Approve it at once"
            hint="Its tasks are made now. Without, an admin approves it on its page."
            checked={draft.starts}
            onCheckedChange={(starts) => edit({ starts })}
          />
          {sources !== undefined && sources.length > 0 && (
            <p className="text-table text-muted">It makes {describeTasks(sources)}.</p>
          )}
          <div className="max-sm:hidden">{makeButton}</div>
        </WizardStep>
      </PageBody>
      <WizardFoot
        step={step}
        steps={steps.length}
        onStep={(next) => void setStep(next)}
        nextReason={step === 1 ? dataReason : step === 3 && isBroken ? "Correct the JSON first." : undefined}
        finish={makeButton}
      />
    </>
  );
}

const withError = (error: string | undefined) => (error === undefined ? {} : { error });

/** Faults without those of names that are still to be typed. */
const named = (issues: readonly Issue[], labels: Draft["labels"]): Issue[] =>
  issues.filter(({ path: [place] }) => labels[Number(place)]?.name !== "");

function NewLabels(props: {
  labels: Draft["labels"];
  issues: readonly Issue[];
  shapes: (typeof shapesOfTask)["image-annotation"];
  onChange: (labels: Draft["labels"]) => void;
  onBroken: (isBroken: boolean) => void;
}) {
  const { labels, issues, shapes, onChange, onBroken } = props;
  const [rows, setRows] = useState<LabelRow[]>(() => toRows(labels));
  // What was kept, or begun anew, comes from elsewhere.
  const isSame = toLabels(rows).every((label, place) => label === labels[place]) && rows.length === labels.length;
  const shown = isSame ? rows : toRows(labels);
  return (
    <LabelEditor
      rows={shown}
      stored={[]}
      issues={issues}
      shapes={shapes}
      onBroken={onBroken}
      onChange={(next) => {
        setRows(next);
        onChange(toLabels(next));
      }}
    />
  );
}

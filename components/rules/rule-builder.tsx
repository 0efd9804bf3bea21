"use client";

import { useSearchParams } from "next/navigation";
import { Suspense, useMemo, useState } from "react";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { lazyPart } from "@/components/kit/lazy-part";
import { useMediaQuery } from "@/components/kit/media-query";
import { PageHeader, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { Tabs } from "@/components/kit/tabs";
import { Textarea } from "@/components/kit/textarea";
import { FormError } from "@/components/product/form";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { type Issue, issueLine, issuesBelow, messageAt } from "@/domain/issues";
import { ActionsEditor } from "./actions-editor";
import { comparesOverTime, isComplete, isConditionDraft, isDrawnOnField, tidy } from "./conditions/condition-draft";
import { ConditionEditor } from "./conditions/condition-editor";
import { conditionErrors } from "./conditions/condition-errors";
import { NoiseFields } from "./conditions/noise-fields";
import { seenField } from "./conditions/topic-choices";
import { TypeCards } from "./conditions/type-cards";
import { draftFrom, toActionDrafts, toConditionDraft, type RuleDraft } from "./draft";
import { GuidanceFields } from "./guidance-fields";
import { PreviewPane } from "./preview-pane";
import { PreviewSliders } from "./preview-sliders";
import type { Found, RuleDetail } from "./query";
import { SaveBar } from "./save-bar";
import { ScopeEditor } from "./scope-editor";
import { LeaveDialog, RestoredNote } from "./unsaved-rule";
import { useRuleDraft } from "./use-rule-draft";
import { useTopics } from "./use-topics";

// Loaded on demand: it brings an editor and its grammar, which few visits need.
const JsonEditor = lazyPart(async () => (await import("@/components/product/json-editor")).default);

const toDraft = (
  rule: Pick<RuleDetail, "name" | "description" | "runbook" | "owner" | "condition" | "actions" | "scope">,
): RuleDraft => ({
  name: rule.name,
  description: rule.description,
  runbook: rule.runbook,
  owner: rule.owner,
  condition: toConditionDraft(rule.condition),
  actions: toActionDrafts(rule.actions),
  scope: rule.scope,
});

function firstDraft(
  saved: RuleDetail | undefined,
  original: RuleDetail | undefined,
  parameters: URLSearchParams,
): RuleDraft {
  if (original) return { ...toDraft(original), name: `${original.name} (copy)` };
  if (!saved) return draftFrom(parameters);
  const draft = toDraft(saved);
  const value = Number(parameters.get("value") ?? Number.NaN);
  return Number.isFinite(value) && comparesOverTime(draft.condition)
    ? { ...draft, condition: { ...draft.condition, value } }
    : draft;
}

/** A preview checks the condition and the scope; the rest is validated on save. */
const isTried = ({ path: [field] }: Issue): boolean => field === "condition" || field === "scope";
const isNotTried = (issue: Issue): boolean => !isTried(issue);

export interface RuleBuilderProps {
  /** The rule to edit; without it a new one is created. */
  saved?: RuleDetail;
  /** The rule to copy. */
  original?: RuleDetail;
}

/** The editor of a rule, with a preview of where it would have triggered. */
export function RuleBuilder({ saved, original }: RuleBuilderProps) {
  const parameters = useSearchParams();
  const narrow = useMediaQuery("(max-width: 767px)");
  const [start] = useState(() => firstDraft(saved, original, parameters));
  const { draft, setDraft, changed, done, restored, discard, leaving } = useRuleDraft(start, saved);
  const [preview, setPreview] = useState<Found | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const topics = useTopics(draft.scope);
  const conditionIssues = useMemo(() => issues.filter(({ path: [field] }) => field === "condition"), [issues]);
  const marks = useMemo(() => conditionErrors(issuesBelow(conditionIssues, "condition")), [conditionIssues]);
  const set = (change: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...change }));
  const setCondition = (condition: ConditionDraft) => set({ condition });
  const { topic = "", field = "" } = draft.condition;
  const trail = [
    { label: "Rules", href: "/rules" },
    ...(saved ? [{ label: saved.name, href: `/rules/${saved.uid}` }] : []),
  ];
  const title = saved ? `Edit ${saved.name}` : "New rule";

  if (narrow) {
    return (
      <>
        <PageHeader title={title} trail={trail} />
        <p className="px-4 pb-3 text-table text-muted">
          {saved ? "Rules are edited on a wider screen." : "Rules are created on a wider screen."}
          {isComplete(draft.condition) && " Here you can see where this one would have triggered."}
        </p>
        {isComplete(draft.condition) && (
          <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-8">
            <PreviewPane
              condition={draft.condition}
              scope={draft.scope}
              ruleId={saved?.uid}
              recording={parameters.get("recording") ?? undefined}
            />
          </div>
        )}
      </>
    );
  }

  const form = (
    <div className="flex flex-col gap-8 pt-4">
      <Section title="About">
        <div className="flex flex-col gap-4">
          <Field label="Name" error={messageAt(issues, "name")}>
            <Input
              value={draft.name}
              placeholder="Motor too hot"
              autoComplete="off"
              onValueChange={(name) => set({ name })}
            />
          </Field>
          <Field label="Description" optional error={messageAt(issues, "description")}>
            <Textarea
              value={draft.description}
              rows={2}
              onChange={(event) => set({ description: event.target.value })}
            />
          </Field>
        </div>
      </Section>
      <Section title="When">
        <div className="flex flex-col gap-4">
          <TypeCards condition={draft.condition} onChange={setCondition} />
          <ConditionEditor condition={draft.condition} onChange={setCondition} topics={topics} errors={marks} />
          {preview?.condition_text && isComplete(draft.condition) && (
            <p className="border-l-2 border-accent pl-3 text-body">{preview.condition_text}</p>
          )}
          <NoiseFields condition={draft.condition} onChange={setCondition} errors={marks} />
        </div>
      </Section>
      <Section title="Which devices">
        <ScopeEditor scope={draft.scope} onChange={(scope) => set({ scope })} error={messageAt(issues, "scope")} />
      </Section>
      <Section title="Then">
        <ActionsEditor
          actions={draft.actions}
          onChange={(actions) => set({ actions })}
          issues={issuesBelow(issues, "actions")}
          ruleName={draft.name}
          sentence={preview?.example_message ?? preview?.condition_text ?? ""}
        />
      </Section>
      <Section title="For whoever has its alerts">
        <GuidanceFields draft={draft} onChange={set} issues={issues} />
      </Section>
    </div>
  );
  const json = (
    <div className="flex flex-col gap-3 pt-4">
      <p className="text-table text-muted">
        The same rule as JSON for the API. Changes here appear in the form, and vice versa.
      </p>
      <Suspense fallback={<SkeletonText lines={10} />}>
        <JsonEditor
          label="Rule as JSON"
          value={{ condition: tidy(draft.condition), actions: draft.actions, scope: draft.scope }}
          issues={conditionIssues}
          onChange={(value) => {
            const next = readJson(value);
            if (next) set(next);
          }}
        />
      </Suspense>
    </div>
  );
  const shown = ["condition", "actions", "scope", "name", "description", "runbook", "owner"];
  const others = issues.filter(({ path: [field] }) => !shown.includes(String(field)));

  return (
    <>
      <PageHeader title={title} trail={trail} />
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(22rem,5fr)_minmax(0,7fr)] border-t">
        <div className="flex min-h-0 flex-col border-r">
          <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-8 sm:px-6">
            {others.length > 0 && <FormError>{others.map(issueLine).join(" ")}</FormError>}
            <RestoredNote restored={restored} discard={discard} version={saved?.version} />
            <Tabs
              label="How to write it"
              tabs={[
                { value: "form", label: "Form", content: form },
                { value: "json", label: "JSON", content: json },
              ]}
            />
          </div>
          <SaveBar
            saved={saved}
            draft={draft}
            preview={preview}
            changed={changed}
            onIssues={setIssues}
            onSaved={done}
          />
        </div>
        <div className="min-h-0 overflow-y-auto px-4 py-4 sm:px-6">
          <PreviewPane
            condition={draft.condition}
            scope={draft.scope}
            ruleId={saved?.uid}
            recording={parameters.get("recording") ?? undefined}
            onThresholdChange={(value) => setCondition({ ...draft.condition, value })}
            onChange={setCondition}
            unit={isDrawnOnField(draft.condition) ? seenField(topics, topic, field)?.unit : undefined}
            onPreview={setPreview}
            onIssues={(found) => setIssues((before) => [...before.filter(isNotTried), ...found.filter(isTried)])}
          >
            <PreviewSliders condition={draft.condition} onChange={setCondition} topics={topics} />
          </PreviewPane>
        </div>
      </div>
      <LeaveDialog leaving={leaving} />
    </>
  );
}

/** The members of a rule in the JSON that was written. */
function readJson(value: unknown): Partial<RuleDraft> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { condition, actions, scope } = value as Record<string, unknown>;
  return {
    ...(isConditionDraft(condition) && { condition }),
    ...(Array.isArray(actions) && { actions: actions as RuleDraft["actions"] }),
    ...((scope === null || (typeof scope === "object" && !Array.isArray(scope))) && {
      scope: scope as RuleDraft["scope"],
    }),
  };
}

"use client";

import {
  parseAsArrayOf,
  parseAsBoolean,
  parseAsFloat,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
  type inferParserType,
} from "nuqs";
import type { Inputs, Outputs } from "@/components/trpc/client";
import { exportFormats, hasBackgrounds, hasParts } from "@/domain/exports/formats";
import { defaultResults, defaultSplit, exportedResults, type SplitShares } from "@/domain/exports/schema";

export type Source = Outputs["exports"]["sources"][number];

const uids = parseAsArrayOf(parseAsString).withDefault([]);

const parsers = {
  datasets: uids,
  slices: uids,
  projects: uids,
  filter_query_string: parseAsString.withDefault(""),
  results: parseAsStringLiteral(exportedResults).withDefault(defaultResults),
  format: parseAsStringLiteral(exportFormats).withDefault("avala-json-external"),
  /** Null until it is typed: then it is that of the sources. */
  name: parseAsString,
  storage_config_uid: parseAsString,
  /** The parts of a training set in percent; training has the rest. */
  val: parseAsFloat.withDefault(defaultSplit.val * 100),
  test: parseAsFloat.withDefault(defaultSplit.test * 100),
  background: parseAsBoolean.withDefault(false),
};
export type Draft = inferParserType<typeof parsers>;

/** What is to be exported. It is kept in the address, so that it survives leaving the page and a reload. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useQueryStates(parsers, {
    history: "replace",
    throttleMs: 200,
  });
  return [draft, (change) => void setDraft(change)];
}

export const steps = ["Sources", "Items", "Format", "Name"] as const;

/** The step that a phone shows, from 1; each is a step in the history, so Back goes to the one before. */
export function useStep(): [number, (step: number) => void] {
  const [{ step }, setStep] = useQueryStates({ step: parseAsInteger.withDefault(1) }, { history: "push" });
  return [Math.min(Math.max(step, 1), steps.length), (next) => void setStep({ step: next })];
}

const members = { dataset: "datasets", slice: "slices", project: "projects" } as const;

export const hasSources = ({ datasets, slices, projects }: Draft): boolean =>
  datasets.length + slices.length + projects.length > 0;

export const withSource = (draft: Draft, { kind, uid }: Pick<Source, "kind" | "uid">): Partial<Draft> => ({
  [members[kind]]: [...new Set([...draft[members[kind]], uid])],
});

export const withoutSource = (draft: Draft, { kind, uid }: Pick<Source, "kind" | "uid">): Partial<Draft> => ({
  [members[kind]]: draft[members[kind]].filter((each) => each !== uid),
});

/** The chosen sources in the order of their kinds, with what is known of them. */
export const listChosen = (
  draft: Draft,
  known: readonly Source[],
): { kind: Source["kind"]; uid: string; source: Source | undefined }[] =>
  (["dataset", "slice", "project"] as const).flatMap((kind) =>
    draft[members[kind]].map((uid) => ({ kind, uid, source: known.find((each) => each.uid === uid) })),
  );

/** The selection as the count of its items takes it. */
export const toCounting = ({
  datasets,
  slices,
  projects,
  filter_query_string: filter,
}: Draft): Inputs["items"]["count"] => ({ datasets, slices, projects, filter });

/** What is wrong with the parts of the training set; null for nothing. */
export function findSplitFault({ val, test }: Pick<Draft, "val" | "test">): string | null {
  if (val < 0 || test < 0) return "A part has at least 0 %.";
  return val + test >= 100 ? "Nothing would be left for training." : null;
}

const toShare = (percent: number): number => Number((percent / 100).toFixed(4));

export const toSplit = ({ val, test }: Pick<Draft, "val" | "test">): SplitShares => ({
  train: toShare(100 - val - test),
  val: toShare(val),
  test: toShare(test),
});

/** The selection as the preview takes it. */
export const toSelection = (draft: Draft): Inputs["exports"]["preview"] => {
  const { datasets, slices, projects, filter_query_string, results, background, format } = draft;
  const split = findSplitFault(draft) === null ? toSplit(draft) : defaultSplit;
  const selection = { datasets, slices, projects, filter_query_string, results, split, background };
  // Others are not divided, so that what is known of them does not depend on which one is chosen.
  return hasParts(format) ? { ...selection, format } : selection;
};

/** The export as it is ordered. */
export const toOrder = (draft: Draft, name: string): Inputs["exports"]["create"] => {
  const { split, background, ...selection } = toSelection(draft);
  const { format, storage_config_uid } = draft;
  return {
    ...selection,
    name,
    format,
    storage_config_uid,
    ...(hasParts(format) && { split }),
    ...(hasBackgrounds(format) && { background }),
  };
};

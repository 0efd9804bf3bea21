"use client";

import { useEffect, useState } from "react";
import { z } from "zod";
import { readDraft, removeDraft, writeDraft } from "@/components/kit/draft-storage";
import { useLatest } from "@/components/kit/latest";
import { CreateProject, reviewModes } from "@/domain/projects/schema";
import { UnfinishedLabels } from "../labels/label-rows";

/** A project as it is written, before it is complete. */
const Draft = z.object({
  datasets: z.array(z.string()),
  slices: z.array(z.string()).default([]),
  task_type: CreateProject.shape.task_type,
  labels: UnfinishedLabels,
  /** Null until it is typed: then it is that of the datasets. */
  name: z.string().nullable(),
  short_description: z.string(),
  guide: z.string(),
  access: z.enum(["organization", "assigned"]),
  /** Null until it is chosen: then it depends on who is there. */
  review: z.enum(reviewModes).nullable(),
  review_share: z.number().default(100),
  /** Whether its tasks are made at once. */
  starts: z.boolean(),
});
export type Draft = z.output<typeof Draft>;

const key = "new-project";

const empty: Draft = {
  datasets: [],
  slices: [],
  task_type: "image-annotation",
  labels: [],
  name: null,
  short_description: "",
  guide: "",
  access: "organization",
  review: null,
  review_share: 100,
  starts: true,
};

/** What a page to make a project of a dataset or a slice begins with. */
export type ProjectSource = { dataset: string } | { slice: string } | null;

const withSource = (draft: Draft, of: ProjectSource): Draft => ({
  ...draft,
  ...(of && "dataset" in of && { datasets: [...new Set([...draft.datasets, of.dataset])] }),
  ...(of && "slice" in of && { slices: [...new Set([...draft.slices, of.slice])] }),
});

/** What is to be made; kept in the tab until it is. What the page is opened of is added to the chosen ones. */
export function useProjectDraft(of: ProjectSource) {
  const [draft, setDraft] = useState<Draft>(() => withSource(empty, of));
  const [isRestored, setRestored] = useState(false);

  const restore = useLatest(() => {
    const kept = Draft.safeParse(readDraft(key)?.value);
    if (!kept.success) return;
    setDraft(withSource(kept.data, of));
    setRestored(true);
  });
  useEffect(() => restore(), [restore]);

  return {
    draft,
    /** Whether this visit began with what was written before. */
    isRestored,
    change: (next: Partial<Draft>) =>
      setDraft((before) => {
        const after = { ...before, ...next };
        writeDraft(key, after);
        return after;
      }),
    /** Begins anew. */
    discard: () => {
      removeDraft(key);
      setDraft(empty);
      setRestored(false);
    },
    /** Forgets it once it was made. */
    done: () => removeDraft(key),
  };
}

"use client";

import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import { readDraft, removeDraft, writeDraft } from "@/components/kit/draft-storage";
import { useLatest } from "@/components/kit/latest";
import type { Label, LabelInput } from "@/domain/projects/label-schema";
import { toInput, toLabels, toRows, UnfinishedLabels, type LabelRow } from "./label-rows";

const Kept = z.object({ base: z.string(), labels: UnfinishedLabels });

const describe = (labels: readonly LabelInput[]): string => JSON.stringify(labels);

/**
 * The labels of a project while they are edited. What is not saved is kept in the tab, also while another part of the
 * page is open. `isOutdated`: somebody else saved other labels since.
 */
export function useLabelDraft(uid: string, stored: readonly Label[]) {
  const key = `labels:${uid}`;
  const now = describe(stored.map(toInput));
  const [base, setBase] = useState(now);
  const [rows, setRows] = useState<LabelRow[]>(() => toRows(stored.map(toInput)));
  const [restoredAt, setRestoredAt] = useState<number | null>(null);
  const isChanged = describe(toLabels(rows)) !== base;

  /** Begins anew with labels that the server has. */
  const start = (labels: readonly Label[]) => {
    removeDraft(key);
    setBase(describe(labels.map(toInput)));
    setRows(toRows(labels.map(toInput)));
    setRestoredAt(null);
  };
  const follow = useLatest(() => {
    if (!isChanged && base !== now) start(stored);
  });
  useEffect(() => follow(), [follow, now]);

  const restore = useLatest(() => {
    const draft = readDraft(key);
    const kept = Kept.safeParse(draft?.value);
    if (!draft || !kept.success) return;
    setBase(kept.data.base);
    setRows(toRows(kept.data.labels));
    setRestoredAt(draft.at);
  });
  useEffect(() => restore(), [restore]);

  const wasChanged = useRef(false);
  useEffect(() => {
    if (isChanged) writeDraft(key, { base, labels: toLabels(rows) });
    else if (wasChanged.current) removeDraft(key);
    wasChanged.current = isChanged;
  }, [isChanged, base, rows, key]);

  return { rows, setRows, isChanged, isOutdated: isChanged && base !== now, restoredAt, start };
}

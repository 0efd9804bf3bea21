"use client";

import { useEffect, type ReactNode } from "react";
import { useLatest } from "@/components/kit/latest";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Issue } from "@/domain/issues";
import type { ScopeDraft } from "./draft";
import type { Found } from "./query";

export interface PreviewPaneProps {
  condition: ConditionDraft;
  scope: ScopeDraft | null;
  /** A saved rule to compare with. */
  ruleId?: string;
  /** The rule of whose alerts people decided something; the one that is compared with unless another is given. */
  outcomesOf?: string;
  /** A recording to look at first. */
  recording?: string;
  /** Takes a threshold that was dragged on a plot. */
  onThresholdChange?: (value: number) => void;
  /** Takes another value and time of a condition together. */
  onChange?: (condition: ConditionDraft) => void;
  /** The unit of the field that it compares. */
  unit?: string | undefined;
  /** Called with every new preview, */
  onPreview?: (preview: Found | null) => void;
  /** and with the issues that the server reports; empty when there are none. */
  onIssues?: (issues: readonly Issue[]) => void;
  /** Controls between the choice of recordings and what was found. */
  children?: ReactNode;
}

const noIssues: readonly Issue[] = [];

/** Reports what a preview found, and what is wrong with the condition, to the form beside it. */
export function useReports(
  props: Pick<PreviewPaneProps, "onPreview" | "onIssues">,
  found: Found | null,
  issues: readonly Issue[] = noIssues,
): void {
  const reportPreview = useLatest((preview: Found | null) => props.onPreview?.(preview));
  const reportIssues = useLatest((reported: readonly Issue[]) => props.onIssues?.(reported));
  // In braces: what a form returns would be taken for what ends the effect.
  useEffect(() => {
    reportPreview(found);
  }, [reportPreview, found]);
  useEffect(() => {
    reportIssues(issues);
  }, [reportIssues, issues]);
}

"use client";

import { useEffect } from "react";
import { useLatest } from "@/components/kit/latest";
import type { Issue } from "@/domain/issues";
import type { PreviewPaneProps } from "./preview-pane";
import type { Found } from "./query";

const noIssues: readonly Issue[] = [];

/** Reports what a preview found, and what is wrong with the condition, to the form beside it. */
export function useReports(
  props: Pick<PreviewPaneProps, "onPreview" | "onIssues">,
  found: Found | null,
  issues: readonly Issue[] = noIssues,
): void {
  const reportPreview = useLatest((preview: Found | null) => props.onPreview?.(preview));
  const reportIssues = useLatest((reported: readonly Issue[]) => props.onIssues?.(reported));
  useEffect(() => void reportPreview(found), [reportPreview, found]);
  useEffect(() => void reportIssues(issues), [reportIssues, issues]);
}

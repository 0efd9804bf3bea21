import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the rule list. */
export type Rule = Outputs["rules"]["list"]["results"][number];
/** A rule with what its author should know of it. */
export type RuleDetail = Outputs["rules"]["get"];
export type RuleVersion = Outputs["rules"]["versions"]["results"][number];
export type Preview = Extract<Outputs["rules"]["preview"], { hit_count: number }>;
export type PreviewedRecording = Preview["recordings"][number];

export const filterKeys = ["enabled", "condition_type", "search"] as const;

/** Rows fetched at once. */
const pageSize = 100;

/** The list's query for what stands in the address; the server's prefetch and the browser must ask the very same. */
export function listInput(
  values: Readonly<Record<string, string | string[] | null | undefined>>,
): Inputs["rules"]["list"] {
  const input: Record<string, string> = {};
  for (const key of filterKeys) {
    const value = values[key];
    const text = Array.isArray(value) ? value[0] : value;
    if (text) input[key] = text;
  }
  return { ...input, limit: pageSize };
}

/** The cursor of the page after this one. */
export const nextPage = (page: { next: string | null }): string | undefined => page.next ?? undefined;

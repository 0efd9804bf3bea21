import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import type { HitRate } from "./hit-summary";

/** A row of the rule list. */
export type Rule = Outputs["rules"]["list"]["results"][number];
/** A rule with details for its author. */
export type RuleDetail = Outputs["rules"]["get"];
export type RuleVersion = Outputs["rules"]["versions"]["results"][number];
export type Preview = Extract<Outputs["rules"]["preview"], { hit_count: number }>;
/** What any preview says of a condition, over recordings or heartbeats. */
export interface Found extends Pick<Preview, "hit_count" | "condition_text" | "example_message"> {
  /** What it looked at: `recordings`; null where that was nothing. */
  among: "recordings" | "devices" | null;
  rate: HitRate;
}
export type LivePreview = Outputs["rules"]["previewLive"];
export type PreviewColumns = NonNullable<Outputs["rules"]["previewColumns"]>;
export type PreviewedRecording = Preview["recordings"][number];

const filterKeys = [
  "enabled",
  "condition_type",
  "demo",
  "search",
] as const satisfies readonly (keyof Inputs["rules"]["list"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for the filters in the address; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["rules"]["list"] => ({
  ...filterInput(filterKeys, values),
  limit: pageSize,
});

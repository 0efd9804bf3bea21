import { describeNothing } from "@/domain/exports/nothing";
import { findSplitFault, hasParts, type Draft } from "./draft";
import type { Preview } from "./use-export-preview";

/** Why the draft cannot be exported, as far as its preview knows; null where it can. */
export function findFault(draft: Draft, preview: Preview | undefined): string | null {
  const fault = hasParts(draft.format) ? findSplitFault(draft) : null;
  if (fault !== null) return fault;
  const counted = preview?.formats.find(({ format }) => format === draft.format);
  const isWhole = preview !== undefined && preview.examined === preview.count;
  return counted && isWhole && counted.items === 0 ? describeNothing(counted.losses) : null;
}

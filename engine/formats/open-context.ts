import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { SharedSets, Warnings } from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";

/** What the files of one recording are opened with: the caller's codecs, and what is counted over all of them. */
export interface OpenContext {
  codecs: Codecs;
  allowance: Allowance;
  warnings: Warnings;
  sets: SharedSets;
}

import { z } from "zod";
import { DatasetPath } from "@/domain/datasets/schema";
import { list, longPage, text, uid } from "@/domain/fields";

/** Files of an upload that are looked up together. */
export const maxLookUp = 1_000;

/** Files of one upload of the dashboard, which chains sessions. */
export const maxDatasetFiles = 100_000;

/** The upload sessions of a dataset, newest first. */
export const DatasetUploadFilters = z.object({ ...DatasetPath.shape, ...longPage() });
export type DatasetUploadFilters = z.output<typeof DatasetUploadFilters>;

/** Which of these names a dataset knows. `sessions`: uploads of the caller, of which unfinished files count too. */
export const LookUpNames = z.object({
  ...DatasetPath.shape,
  paths: list(text(), maxLookUp, 1),
  sessions: list(uid(), maxLookUp).default([]),
});
export type LookUpNames = z.output<typeof LookUpNames>;

/** What a dataset knows of a name. */
export const nameStates = ["item", "confirmed", "open", "failed"] as const;
export type NameState = (typeof nameStates)[number];

export const DatasetSession = z.object({ ...DatasetPath.shape, session_uid: uid() });
/** Sessions of one upload, whose files are read together. */
export const DatasetSessions = z.object({ ...DatasetPath.shape, sessions: list(uid(), maxLookUp, 1) });
export type DatasetSessions = z.output<typeof DatasetSessions>;

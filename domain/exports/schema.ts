import { z } from "zod";
import { choice, choices, distinct, longPage, nonBlank, ordered, uid } from "@/domain/fields";
import { maxNamed } from "@/domain/limits";
import { filterText } from "@/domain/slices/schema";

export const exportFormats = ["avala-json-external", "YOLO"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportStatuses = ["requested", "exporting", "exported", "failed", "aborted"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

const uids = distinct(uid(), maxNamed);

/** What is exported: items of the datasets, the slices and the projects' tasks that match the filter. */
export const CreateExport = z.object({
  name: nonBlank(255),
  format: choice(exportFormats),
  datasets: uids,
  projects: uids,
  slices: uids,
  filter_query_string: filterText().optional(),
  /** Additive: keeps the result in the bucket of this storage configuration. */
  storage_config_uid: z.string().nullable().optional(),
});
export type CreateExport = z.output<typeof CreateExport>;

export const ExportFilters = z.object({
  ordering: ordered(["created_at", "name"]),
  /** Additive filter. */
  status: choices(exportStatuses).optional(),
  ...longPage(),
});
export type ExportFilters = z.output<typeof ExportFilters>;

export const ExportUid = z.object({ uid: uid() });

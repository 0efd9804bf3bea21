import { z } from "zod";
import { choice, choices, distinct, list, longPage, nonBlank, ordered, queryBoolean, text, uid } from "@/domain/fields";
import { maxNamed } from "@/domain/limits";
import { filterText } from "@/domain/slices/schema";

export const exportFormats = ["avala-json-external", "YOLO"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportStatuses = ["requested", "exporting", "exported", "failed", "aborted"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** How many exports of an organization run concurrently; others stay queued. */
export const concurrentExports = 5;
/** How long the file of an export can be downloaded. */
export const exportLifetimeDays = 7;

/** Which results an export holds: only accepted ones, or also those that nobody decided yet. */
export const exportedResults = ["accepted", "submitted"] as const;
export type ExportedResults = (typeof exportedResults)[number];

/** What a format cannot hold of the annotations and items that an export selects. */
export const exportLosses = [
  "polygon_to_box",
  "polyline_dropped",
  "keypoints_dropped",
  "cuboid_dropped",
  "classification_dropped",
  "outside_dropped",
  "attributes_dropped",
  "item_dropped",
] as const;
export type ExportLoss = (typeof exportLosses)[number];

/** The classes of an export in the order of its file, each with its number of annotations, and what it lacks. */
export const ExportContents = z.object({
  items: z.int().describe("The number of items in the file."),
  results: z.int().describe("The number of results in the file."),
  classes: z
    .array(z.object({ name: z.string(), count: z.int() }))
    .describe("The labels in the order that numbers the classes of the file, with their annotations."),
  losses: z
    .array(z.object({ what: z.enum(exportLosses), count: z.int() }))
    .describe("What the format could not hold, and how often."),
});
export type ExportContents = z.output<typeof ExportContents>;

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
  /** Additive. */
  results: choice(exportedResults)
    .describe("`accepted`: only accepted results; `submitted` (default): also those that nobody decided yet.")
    .optional(),
});
export type CreateExport = z.output<typeof CreateExport>;

/** An export before it is requested. */
export const PreviewExport = CreateExport.pick({
  datasets: true,
  projects: true,
  slices: true,
  filter_query_string: true,
  results: true,
});
export type PreviewExport = z.output<typeof PreviewExport>;

export const ExportFilters = z.object({
  ordering: ordered(["created_at", "name"]),
  /** Additive filter. */
  status: choices(exportStatuses).optional(),
  /** Additive filter: part of the name. */
  search: text(255).optional(),
  ...longPage(),
});
export type ExportFilters = z.output<typeof ExportFilters>;

/** What the list of the dashboard filters by. */
export const ExportListFilters = ExportFilters.extend({ demo: queryBoolean().optional() });
export type ExportListFilters = z.output<typeof ExportListFilters>;

export const ExportUid = z.object({ uid: uid() });

/** Part of the names of datasets, slices and projects. */
export const ExportSourceFilters = z.object({ search: text(255).optional() });
export type ExportSourceFilters = z.output<typeof ExportSourceFilters>;

/** Exports that somebody waits for, or sources that somebody chose. */
export const NamedUids = z.object({ uids: list(uid(), 100) });

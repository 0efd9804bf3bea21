import { z } from "zod";
import { exportFormats, hasBackgrounds, hasParts } from "@/domain/exports/formats";
import { choice, choices, distinct, list, longPage, nonBlank, ordered, queryBoolean, text, uid } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";
import { maxNamed } from "@/domain/limits";

export const exportStatuses = ["requested", "exporting", "exported", "failed", "aborted"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** How many exports of an organization run concurrently; others stay queued. */
export const concurrentExports = 5;
/** How long the file of an export can be downloaded. */
export const exportLifetimeDays = 7;

/** Which results an export holds: only accepted ones, or also those that nobody decided yet. */
export const exportedResults = ["accepted", "submitted"] as const;
export type ExportedResults = (typeof exportedResults)[number];
/** Everywhere where nothing else is chosen. */
export const defaultResults: ExportedResults = "submitted";

/** What a format cannot hold of the annotations and items that an export selects. */
export const exportLosses = [
  "polygon_to_box",
  "mask_to_box",
  "mask_to_polygon",
  "holes_to_mask",
  "rotated_to_polygon",
  "rotation_dropped",
  "corners_moved",
  "visibility_dropped",
  "keypoints_parted",
  "box_dropped",
  "polygon_dropped",
  "mask_dropped",
  "polyline_dropped",
  "keypoints_dropped",
  "cuboid_dropped",
  "classification_dropped",
  "outside_dropped",
  "covered_partly",
  "covered_dropped",
  "attributes_dropped",
  "item_dropped",
  "unlabelled_dropped",
  "undecided_dropped",
  "unboxed_dropped",
  "unlabelled_as_background",
  "unboxed_as_background",
  "item_repeated",
] as const;
export type ExportLoss = (typeof exportLosses)[number];

/** The parts of a training set. */
export const splitParts = ["train", "val", "test"] as const;
export type SplitPart = (typeof splitParts)[number];

/** Which share of its pictures each part of a training set holds. */
export type SplitShares = Readonly<Record<SplitPart, number>>;
export const defaultSplit: SplitShares = { train: 0.8, val: 0.2, test: 0 };

/** How far the sum of three rounded shares, such as 0.333, may be from 1. */
const shareTolerance = 0.0011;

const share = z.number().min(0).max(1);
const Shares = z.object({ train: z.number().gt(0).max(1), val: share.optional(), test: share.optional() });

/** What is missing is 0. */
export const toShares = ({ train, val = 0, test = 0 }: z.output<typeof Shares>): SplitShares => ({ train, val, test });

const sumShares = ({ train, val, test }: SplitShares): number => train + val + test;

export const ExportSplit = Shares.refine((given) => Math.abs(sumShares(toShares(given)) - 1) <= shareTolerance, {
  error: ({ input }) =>
    `The shares add up to ${Number(sumShares(toShares(Shares.parse(input))).toFixed(4))} instead of 1.`,
});

/** How many pictures each part of a training set holds, and what is never in two of them. */
export const SplitCounts = z.object({
  by: z.enum(["group", "item", "nothing"]).describe("What is whole; `nothing`: `val` is `train`."),
  train: z.int(),
  val: z.int(),
  test: z.int(),
});
export type SplitCounts = z.output<typeof SplitCounts>;

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
  split: SplitCounts.optional().describe("The pictures of each part."),
});
export type ExportContents = z.output<typeof ExportContents>;

const uids = distinct(uid(), maxNamed);

/** What is exported: items of the datasets, the slices and the projects' tasks that match the filter. */
const ExportOrder = z.object({
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
  /** Additive, both of training sets only. */
  split: ExportSplit.describe("YOLO: shares, 1 together. Default 0.8, 0.2 and 0.").optional(),
  background: z.boolean().describe("YOLO and COCO: also pictures without a shape that the format holds.").optional(),
});

/** What an export is ordered with. */
export const CreateExport = ExportOrder.superRefine(({ format, split, background }, issues) => {
  const refuse = (field: string, message: string) => issues.addIssue({ code: "custom", path: [field], message });
  if (split !== undefined && !hasParts(format))
    refuse("split", `${format} has no parts; ${exportFormats.filter(hasParts).join(", ")} have.`);
  if (background && !hasBackgrounds(format))
    refuse("background", `${format} has no backgrounds; ${exportFormats.filter(hasBackgrounds).join(", ")} have.`);
});
export type CreateExport = z.output<typeof CreateExport>;

/** An export before it is requested. Only of its format it is known how it will be divided. */
export const PreviewExport = ExportOrder.pick({
  format: true,
  datasets: true,
  projects: true,
  slices: true,
  filter_query_string: true,
  results: true,
  split: true,
  background: true,
}).partial({ format: true });
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

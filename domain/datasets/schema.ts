import { z } from "zod";
import {
  choice,
  choices,
  jsonObject,
  list,
  longPage,
  nonBlank,
  ordered,
  queryBoolean,
  slug,
  text,
  uid,
} from "@/domain/fields";
import { Access } from "@/domain/organizations/assignment";
import { FinalizeUpload } from "@/domain/uploads/schema";

export const dataTypes = ["image", "video", "lidar", "mcap", "splat", "image_3d"] as const;

/** Stored and shown only; nothing is visible outside the organization either way. */
export const visibilities = ["private", "public"] as const;

export const datasetStatuses = ["creating", "created", "failed"] as const;

export const sequenceStatuses = [
  "unattempted",
  "pending",
  "completed",
  "rework_required",
  "ready_for_annotation",
  "labeling_4d",
  "review_4d",
  "ready_for_2d",
  "labeling_2d",
  "review_2d",
  "final_review",
  "customer_approved",
] as const;
export type SequenceStatus = (typeof sequenceStatuses)[number];

const fields = { name: nonBlank(255), visibility: choice(visibilities) };

/** `slug` is derived from the name when absent. Default: images, private. */
export const CreateDataset = z.object({
  name: fields.name,
  slug: slug().optional(),
  data_type: choice(dataTypes).default("image"),
  is_sequence: z.boolean().default(false),
  visibility: fields.visibility.default("private"),
  /** Additive: who sees it in the organization. */
  access: Access.default("organization"),
  /** Additive: keeps its files in the bucket of this storage configuration. */
  storage_config_uid: z.string().nullable().optional(),
});
export type CreateDataset = z.output<typeof CreateDataset>;

/** The slug never changes, so that links stay valid. */
export const UpdateDataset = z.object({
  name: fields.name.optional(),
  visibility: fields.visibility.optional(),
  access: Access.optional(),
  /** Additive, for the files that come from now on. */
  storage_config_uid: z.string().nullable().optional(),
});
export type UpdateDataset = z.output<typeof UpdateDataset>;

export const DatasetFilters = z.object({
  ordering: ordered(["created_at", "name"]),
  /** Additive filters. `search`: part of the name. */
  data_type: choices(dataTypes).optional(),
  status: choices(datasetStatuses).optional(),
  search: text(255).optional(),
  ...longPage(),
});
export type DatasetFilters = z.output<typeof DatasetFilters>;

/** What the dashboard's list is narrowed by. */
export const DatasetListFilters = DatasetFilters.extend({ demo: queryBoolean().optional() });
export type DatasetListFilters = z.output<typeof DatasetListFilters>;

/** What uses one dataset, in pages: projects, runs of models. */
export const DatasetUses = z.object({ dataset: uid(), ...longPage() });
export type DatasetUses = z.output<typeof DatasetUses>;

/** A name or the slug that somebody would give a dataset. */
export const DatasetAddress = z.object({ name: text(255), slug: text(100).optional() });
export type DatasetAddress = z.output<typeof DatasetAddress>;

/** What an item's metadata says about its file, which nobody changes; all other keys are its users'. */
export const fileMetadataKeys = [
  "format",
  "width",
  "height",
  "channels",
  "codec",
  "duration_seconds",
  "frame_count",
  "point_count",
  "fields",
  "encoding",
  "splat",
  "topic_count",
  "message_count",
] as const;
export type FileMetadata = Partial<Record<(typeof fileMetadataKeys)[number], unknown>>;

/** What users add to the metadata of an item. */
export const itemMetadata = () =>
  jsonObject().refine((metadata) => !fileMetadataKeys.some((key) => Object.hasOwn(metadata, key)), {
    error: ({ input }) =>
      `"${fileMetadataKeys.find((key) => Object.hasOwn(input as object, key)) ?? ""}" is read from the file.`,
  });

/** Merges into the metadata, one level deep; a null removes its key. */
export const UpdateItem = z.object({ metadata: itemMetadata().optional() });
export type UpdateItem = z.output<typeof UpdateItem>;

export const SequenceFilters = z.object({
  ordering: ordered(["created_at", "key"]),
  /** Additive filter. */
  status: choices(sequenceStatuses).optional(),
  ...longPage(),
});
export type SequenceFilters = z.output<typeof SequenceFilters>;

/** Sets what is not derived from the items. */
export const UpdateSequence = z.object({ status: choice(sequenceStatuses).optional() });
export type UpdateSequence = z.output<typeof UpdateSequence>;

/** The dataset for the files of a recording: an existing one, or a new one of this name. */
export const RecordingToDataset = z.object({ dataset: uid().optional(), name: fields.name.optional() });
export type RecordingToDataset = z.output<typeof RecordingToDataset>;

export const DatasetOwner = z.object({ owner: z.string() });
export const DatasetPath = z.object({ owner: z.string(), slug: z.string() });
export type DatasetPath = z.output<typeof DatasetPath>;
export const ChangeDataset = DatasetPath.extend({ change: UpdateDataset });
export const DatasetMemberPath = DatasetPath.extend({ user_uid: uid() });
export const DatasetMemberFilters = z.object(longPage());
export const ItemPath = DatasetPath.extend({ uid: uid() });

/** Which upload; default: the newest. */
export const UploadSession = z.object({ session_uid: text().optional() });

/** What ends an upload to a dataset. */
export const FinalizeDatasetUpload = FinalizeUpload.extend({
  /** Additive: what the items of files are given beside what is read from them. */
  files: list(z.object({ path: z.string(), metadata: itemMetadata() }), 1_000)
    .describe("Metadata that items have from the beginning, by the path of their file.")
    .optional(),
});
export type FinalizeDatasetUpload = z.output<typeof FinalizeDatasetUpload>;

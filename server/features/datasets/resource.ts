import { z } from "zod";
import { itemStatuses } from "@/domain/datasets/item-status";
import { datasetStatuses, dataTypes, sequenceStatuses, visibilities } from "@/domain/datasets/schema";
import { accesses } from "@/domain/organizations/assignment";
import { wholeNumber } from "@/domain/wire-values";
import { UploadStatus } from "@/server/features/uploads/resource";

export const DatasetResource = z.object({
  uid: z.string(),
  name: z.string(),
  slug: z.string(),
  data_type: z.enum(dataTypes),
  is_sequence: z.boolean(),
  visibility: z.enum(visibilities),
  status: z.enum(datasetStatuses),
  owner_name: z.string(),
  item_count: z.int(),
  project_count: z.int(),
  annotations_count: z.int(),
  size_bytes: wholeNumber,
  created_at: z.string(),
  updated_at: z.string(),
  /** Additive: the storage configuration in whose bucket new files are stored; null for the installation's storage. */
  storage_config_uid: z.string().nullable(),
  /** Who sees it: every member, or only assigned members and admins. */
  access: z.enum(accesses),
});
export type DatasetResource = z.output<typeof DatasetResource>;

export const ItemResource = z.object({
  uid: z.string(),
  /** The name of its file. */
  key: z.string(),
  status: z.enum(itemStatuses),
  /** Signed, valid for an hour. */
  data_url: z.string(),
  /** Signed, valid for an hour; empty without a thumbnail. */
  thumbnail_url: z.string(),
  /** `format`, and `width`, `height` and the like as far as the file has them; beside them what users add. */
  metadata: z.record(z.string(), z.unknown()),
  annotations_count: z.int(),
  created_at: z.string(),
  /** Additive: the sequence it is a frame of, which view of it, and which frame. */
  sequence: z.string().nullable(),
  view: z.string(),
  frame: z.int().nullable(),
  size_bytes: wholeNumber,
  added_by_uid: z.string().nullable(),
});
export type ItemResource = z.output<typeof ItemResource>;

/** An item as slices list it. */
export const SliceItem = ItemResource.extend({ dataset: z.string() });
export type SliceItem = z.output<typeof SliceItem>;

const SequenceView = z.object({
  key: z.string(),
  /** The address that lists its frames. */
  load: z.string(),
  metrics: z.record(z.string(), z.unknown()).nullable(),
});

export const SequenceResource = z.object({
  uid: z.string(),
  key: z.string(),
  status: z.enum(sequenceStatuses),
  featured_image: z.string(),
  number_of_frames: z.int(),
  views: z.array(SequenceView),
  created_at: z.string(),
});
export type SequenceResource = z.output<typeof SequenceResource>;

/** The progress of an upload and of reading its files. */
export const DatasetUploadStatus = UploadStatus.extend({
  dataset_status: z.enum(datasetStatuses),
  /** The number of files of this upload that are not read yet. */
  pending_items: z.int(),
  /** Files that could not become items, with the reasons. */
  failed_files: z.array(z.object({ path: z.string(), error: z.string() })),
});
export type DatasetUploadStatus = z.output<typeof DatasetUploadStatus>;

/** A dataset and how many items were added to it from a recording. */
export const RecordingAdded = z.object({ dataset: DatasetResource, items_added: z.int() });
export type RecordingAdded = z.output<typeof RecordingAdded>;

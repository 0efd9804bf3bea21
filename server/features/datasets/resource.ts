import { z } from "zod";
import { datasetStatuses, dataTypes, itemStatuses, sequenceStatuses, visibilities } from "@/domain/datasets/schema";
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
  /**
   * Additive: the storage configuration whose bucket its new files are kept in; null for the installation's own
   * storage.
   */
  storage_config_uid: z.string().nullable(),
});
export type DatasetResource = z.output<typeof DatasetResource>;

export const ItemResource = z.object({
  uid: z.string(),
  /** The name of its file. */
  key: z.string(),
  status: z.enum(itemStatuses),
  /** Signed, good for an hour. */
  data_url: z.string(),
  /** Signed, good for an hour; empty for what has no picture. */
  thumbnail_url: z.string(),
  /** `format`, and `width`, `height` and whatever else its file says of itself. */
  metadata: z.record(z.string(), z.unknown()),
  annotations_count: z.int(),
  created_at: z.string(),
  /** Additive: the sequence it is a frame of, which view of it, and which frame. */
  sequence: z.string().nullable(),
  view: z.string(),
  frame: z.int().nullable(),
  size_bytes: wholeNumber,
});
export type ItemResource = z.output<typeof ItemResource>;

/** An item as slices list it. */
export const SliceItem = ItemResource.extend({ dataset: z.string() });
export type SliceItem = z.output<typeof SliceItem>;

const SequenceView = z.object({
  key: z.string(),
  /** Where its frames are listed. */
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

/** How far an upload, and then the reading of its files, got. */
export const DatasetUploadStatus = UploadStatus.extend({
  dataset_status: z.enum(datasetStatuses),
  /** Files of this upload that are still to be read. */
  pending_items: z.int(),
  /** Files that became no items, and why. */
  failed_files: z.array(z.object({ path: z.string(), error: z.string() })),
});
export type DatasetUploadStatus = z.output<typeof DatasetUploadStatus>;

/** What a recording brought to a dataset. */
export const RecordingAdded = z.object({ dataset: DatasetResource, items_added: z.int() });
export type RecordingAdded = z.output<typeof RecordingAdded>;

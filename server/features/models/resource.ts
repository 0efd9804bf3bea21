import { z } from "zod";
import { runStatuses } from "@/domain/models/schema";

export const ModelResource = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  model_type_name: z.string(),
  model_type_description: z.string(),
  is_public: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ModelResource = z.output<typeof ModelResource>;

export const IntegrationResource = z.object({
  uid: z.string(),
  provider_name: z.string(),
  provider_config_type: z.string(),
  provider_config_uid: z.string(),
  provider_config_name: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type IntegrationResource = z.output<typeof IntegrationResource>;

export const RunResource = z.object({
  uid: z.string(),
  run_status: z.enum(runStatuses),
  /** `full` for a whole dataset, `partial` for some of its items. */
  type: z.enum(["full", "partial"]),
  integration_uid: z.string(),
  dataset: z.array(z.object({ dataset_uid: z.string(), dataset_item_uids: z.array(z.string()) })),
  created_at: z.string(),
  updated_at: z.string(),
  /** Additive: items to process (null until the run starts), items processed, and why the run failed. */
  total_item_count: z.int().nullable(),
  done_item_count: z.int(),
  /** Additive: predictions that stuck out of their pictures. */
  clipped_prediction_count: z.int(),
  error_message: z.string().nullable(),
  created_by_uid: z.string().nullable(),
});
export type RunResource = z.output<typeof RunResource>;

/** One annotation of a model on an item, in the shape of task results. */
export const PredictionNode = z.object({
  uid: z.string(),
  annotation: z.object({ task_name: z.string(), object: z.string(), data: z.record(z.string(), z.unknown()) }),
  project_index: z.int(),
  status: z.string(),
  annotator: z.null(),
  reviewer: z.null(),
  get children(): z.ZodArray<typeof PredictionNode> {
    return z.array(PredictionNode);
  },
});
export type PredictionNode = z.output<typeof PredictionNode>;

export const PredictionGroup = z.object({
  dataset_uid: z.string(),
  dataset_item_uid: z.string(),
  predictions: z.object({ nodes: z.array(PredictionNode) }),
});
export type PredictionGroup = z.output<typeof PredictionGroup>;

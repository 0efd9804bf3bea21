import { z } from "zod";
import { promptKinds } from "@/domain/models/prompt";
import { runStatuses } from "@/domain/models/schema";
import { Annotation, StoredAnnotation } from "@/domain/tasks/schema";

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
  /** Additive: how it is set up. */
  url: z.string().describe("Where it is; empty for a `builtin` one."),
  is_active: z.boolean().describe("False while it is paused."),
  header_name: z.string().describe("The header that it is sent; empty for none."),
  label_map: z.record(z.string(), z.string()).describe("What each name of the model means here."),
  prompts: z.array(z.enum(promptKinds)).describe("What people can show it in a picture."),
});
export type IntegrationResource = z.output<typeof IntegrationResource>;

/** `secret`, which signs requests, is present where it was made just now. */
export const IntegrationWithSecret = IntegrationResource.extend({ secret: z.string().optional() });
export type IntegrationWithSecret = z.output<typeof IntegrationWithSecret>;

/** What was sent to a model for an item, and what came back. */
export const TryResult = z.object({
  request_headers: z.record(z.string(), z.string()).describe("Without the value of a secret header."),
  request_body: z.record(z.string(), z.unknown()).nullable().describe("Null for a `builtin` one."),
  status: z.int().nullable().describe("Of the answer; null without one."),
  answer: z.string().describe("The beginning of the answer."),
  duration_ms: z.int(),
  error: z.string().nullable().describe("What is wrong, with its place in the answer."),
  predictions: z.array(StoredAnnotation),
  left_out: z.record(z.string(), z.int()).describe("How many predictions the map of labels leaves out, by their name."),
  clipped_count: z.int().describe("Those that stuck out of the picture."),
});
export type TryResult = z.output<typeof TryResult>;

/** What a model answered to somebody who showed it something in a picture. */
export const PromptAnswer = z.object({
  request_id: z.string(),
  /** Why there is no answer; null where there is one. */
  error: z.string().nullable(),
  predictions: z.array(Annotation),
  duration_ms: z.int(),
});
export type PromptAnswer = z.output<typeof PromptAnswer>;

export const RunResource = z.object({
  uid: z.string(),
  run_status: z.enum(runStatuses),
  /** `full` for a whole dataset, `partial` for some of its items. */
  type: z.enum(["full", "partial"]),
  integration_uid: z.string(),
  dataset: z.array(
    z.object({
      dataset_uid: z.string(),
      dataset_item_uids: z.array(z.string()).describe("None for a whole dataset; the first 1,000 of more items."),
    }),
  ),
  created_at: z.string(),
  updated_at: z.string(),
  /** Additive: items to process (null until the run starts), items processed, and why the run failed. */
  total_item_count: z.int().nullable(),
  done_item_count: z.int(),
  failed_item_count: z.int().describe("Items for which the model gave no answer that can be read."),
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

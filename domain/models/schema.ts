import { z } from "zod";
import { choice, choices, list, longPage, nonBlank, text, uid } from "@/domain/fields";
import { maxNamed, maxUrlLength } from "@/domain/limits";

export const runStatuses = ["pending", "running", "completed", "failed"] as const;

const providers = ["http", "builtin"] as const;

const configTypes = ["real-time", "batch"] as const;

/** Created by staff. A public model is available to every organization. */
export const CreateModel = z.object({
  name: nonBlank(255),
  description: text().default(""),
  model_type_name: nonBlank(255),
  model_type_description: text().default(""),
  is_public: z.boolean().default(false),
});
export type CreateModel = z.output<typeof CreateModel>;

/** `url` is where an `http` integration sends requests; a `builtin` one has none. */
export const CreateIntegration = z
  .object({
    provider: choice(providers),
    name: nonBlank(255),
    config_type: choice(configTypes).default("batch"),
    url: text(maxUrlLength).default(""),
  })
  .meta({ example: { provider: "builtin", name: "Baseline", config_type: "batch" } });
export type CreateIntegration = z.output<typeof CreateIntegration>;

export const ModelFilters = z.object(longPage());
export type ModelFilters = z.output<typeof ModelFilters>;

/** Members inside the list have their wire names. No items: the whole dataset. */
export const Predict = z
  .array(
    z.object({
      dataset_uid: uid(),
      dataset_item_uids: list(uid(), maxNamed),
    }),
  )
  .min(1, { error: "This list may not be empty." })
  .max(100, { error: "Ensure this field has no more than 100 elements." })
  .describe("The runs to create.");
export type Predict = z.output<typeof Predict>;

export const RunFilters = z.object({
  integration_uid: text().optional(),
  run_status: choices(runStatuses).optional(),
  dataset_uid: text().optional(),
  dataset_item_uid: text().optional(),
  ...longPage(),
});
export type RunFilters = z.output<typeof RunFilters>;

export const PredictionFilters = z.object({ dataset_uid: text().optional(), dataset_item_uid: text().optional() });
export type PredictionFilters = z.output<typeof PredictionFilters>;

export const Invoke = z.object({ integration_uid: uid(), dataset_item_uid: uid() });
export type Invoke = z.output<typeof Invoke>;

/** A run over a dataset, or over some of its items, as the dashboard starts one. */
export const StartRun = z.object({ integration: uid(), dataset: uid(), uids: list(uid(), maxNamed).default([]) });
export type StartRun = z.output<typeof StartRun>;

export const ModelUid = z.object({ model_uid: uid() });
export const IntegrationUid = z.object({ integration_uid: uid() });
export const RunUid = z.object({ uid: uid() });

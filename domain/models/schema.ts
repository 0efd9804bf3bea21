import { z } from "zod";
import { atMost } from "@/domain/field-messages";
import { choice, choices, distinct, list, longPage, nonBlank, pageFields, text, uid } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";
import { maxNamed, maxUrlLength } from "@/domain/limits";
import { promptKinds, promptLimits, type ModelPrompt as Prompt } from "./prompt";

export const runStatuses = ["pending", "running", "completed", "failed"] as const;
export type RunStatus = (typeof runStatuses)[number];

const providers = ["http", "builtin"] as const;

const configTypes = ["real-time", "batch"] as const;

const modelFields = {
  name: nonBlank(255),
  description: text(),
  model_type_name: nonBlank(255),
  model_type_description: text(),
};

/** Of the caller's organization. A public model, which staff alone make, is available to every organization. */
export const CreateModel = z.object({
  ...modelFields,
  description: modelFields.description.default(""),
  model_type_description: modelFields.model_type_description.default(""),
  is_public: z.boolean().default(false),
});
export type CreateModel = z.output<typeof CreateModel>;

export const UpdateModel = z.object(modelFields).partial();
export type UpdateModel = z.output<typeof UpdateModel>;

/** Headers that a request has anyway, or that concern the connection. */
const ownHeaders =
  /^(content-|x-service-|webhook-|accept|host$|connection$|transfer-encoding$|te$|trailer$|upgrade$|expect$|keep-alive$|proxy-|user-agent$)/i;

/** The most labels that a map names, and the characters of each. */
export const labelMapLimits = { labels: 500, name: 100 } as const;

/** What each name of the model means here; "" leaves it out. Names that it does not have stay as they are. */
export const LabelMap = z
  .record(z.string().min(1).max(labelMapLimits.name), text(labelMapLimits.name))
  .refine((map) => Object.keys(map).length <= labelMapLimits.labels, {
    error: `A map has at most ${labelMapLimits.labels} labels.`,
  });
export type LabelMap = z.output<typeof LabelMap>;

const integrationFields = {
  name: nonBlank(255),
  config_type: choice(configTypes),
  url: text(maxUrlLength),
  header_name: z
    .string()
    .max(100, { error: atMost(100) })
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]*$/, { error: "This is no name of a header." })
    .refine((name) => !ownHeaders.test(name), { error: "Muster sets this header itself." })
    .describe("A header that the server wants, such as `Authorization`."),
  header_value: z
    .string()
    .max(4_096, { error: atMost(4_096) })
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, { error: "A header cannot hold these characters." })
    .describe("Its value, which no answer contains."),
  label_map: LabelMap.describe("What each name of the model means here; empty: leave it out."),
  prompts: distinct(choice(promptKinds), promptKinds.length).describe(
    "What people can show it in a picture; none: it is asked about whole items only.",
  ),
};

/** `url` is where an `http` integration sends requests; a `builtin` one has none. */
export const CreateIntegration = z
  .object({
    provider: choice(providers),
    name: integrationFields.name,
    config_type: integrationFields.config_type.default("batch"),
    url: integrationFields.url.default(""),
    header_name: integrationFields.header_name.default(""),
    header_value: integrationFields.header_value.default(""),
    label_map: integrationFields.label_map.default({}),
    prompts: integrationFields.prompts.default([]),
  })
  .meta({ example: { provider: "builtin", name: "Baseline", config_type: "batch" } });
export type CreateIntegration = z.output<typeof CreateIntegration>;

/** A model of the organization with the address where it is. */
export const ConnectModel = z.object({
  name: modelFields.name,
  model_type_name: modelFields.model_type_name,
  url: integrationFields.url,
  header_name: integrationFields.header_name.default(""),
  header_value: integrationFields.header_value.default(""),
  label_map: integrationFields.label_map.default({}),
  prompts: integrationFields.prompts.default([]),
});
export type ConnectModel = z.output<typeof ConnectModel>;

/** A header without a new value keeps the one that it has. */
export const UpdateIntegration = z
  .object({ ...integrationFields, is_active: z.boolean().describe("False pauses it: nothing is asked of it.") })
  .partial();
export type UpdateIntegration = z.output<typeof UpdateIntegration>;

/** An address that a model could have. */
export const CheckModelUrl = z.object({ url: text(maxUrlLength) });

/** One item, for which a model is asked while somebody waits. */
export const TryModel = z.object({ dataset_item_uid: uid() });
export type TryModel = z.output<typeof TryModel>;

const pixel = z.number().refine((value) => Math.abs(value) <= 1e7, {
  error: "Ensure this value is between -10,000,000 and 10,000,000.",
});
const side = pixel.refine((value) => value > 0, { error: "Ensure this value is greater than 0." });

/** What somebody shows a model in a picture. */
export const ModelPrompt: z.ZodType<Prompt, Prompt> = z
  .object({
    points: list(z.tuple([pixel, pixel, z.union([z.literal(0), z.literal(1)])]), promptLimits.points, 1)
      .describe("Of each point its place, and 1 where it is on what is meant, 0 where it is beside it.")
      .optional(),
    box: z.tuple([pixel, pixel, side, side]).describe("Left, top, width and height around what is meant.").optional(),
    text: nonBlank(promptLimits.text).describe("What is meant, in words.").optional(),
  })
  .refine(({ points, box, text: words }) => points !== undefined || box !== undefined || words !== undefined, {
    error: "Give points, a box or a text.",
  });

/** A question about one item while somebody draws on it. `request_id` is made up by the page, and comes back with the answer. */
export const PromptModel = z.object({
  integration_uid: uid(),
  dataset_item_uid: uid(),
  request_id: uid(),
  labels: list(nonBlank(labelMapLimits.name), labelMapLimits.labels).default([]),
  prompt: ModelPrompt,
});
export type PromptModel = z.output<typeof PromptModel>;

export const ModelFilters = z.object(longPage());
export type ModelFilters = z.output<typeof ModelFilters>;

/** Members inside the list have their wire names. No items: the whole dataset. */
export const Predict = z
  .array(
    z.object({
      dataset_uid: uid(),
      dataset_item_uids: list(uid(), maxNamed),
      slice_uid: uid().describe("What this slice holds now, in place of named items.").optional(),
      filter_query_string: filterText().optional(),
      expected: z
        .int()
        .min(0)
        .describe("How many items the slice or filter holds, as the caller knows; 409 with the code `count` if not.")
        .optional(),
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

/** A run over a dataset, or over some of its items, a slice or what a filter holds, as the dashboard starts one. */
export const StartRun = z.object({
  integration: uid(),
  over: z.object({
    dataset: uid(),
    uids: list(uid(), maxNamed, 1).optional(),
    slice: uid().optional(),
    filter: filterText().optional(),
    /** Of a slice or a filter. */
    expected: z.int().min(0).optional(),
  }),
});
export type StartRun = z.output<typeof StartRun>;

export const ModelUid = z.object({ model_uid: uid() });
export const IntegrationUid = z.object({ integration_uid: uid() });
export const RunUid = z.object({ uid: uid() });

/** The list of models: those whose name or kind has a text. */
export const ModelListFilters = z.object({
  search: text(255).optional(),
  ...pageFields({ default: 50, max: 200 }),
});
export type ModelListFilters = z.output<typeof ModelListFilters>;

/** The list of runs, as the dashboard narrows it. */
export const RunListFilters = z.object({
  model: uid().optional(),
  /** Over the data of this project. */
  project: uid().optional(),
  status: choices(runStatuses).optional(),
  ...pageFields({ default: 50, max: 200 }),
});
export type RunListFilters = z.output<typeof RunListFilters>;

/** Why items of a run failed. */
export const RunFailures = z.object({
  uid: uid(),
  error: text(2_000).optional(),
  ...pageFields({ default: 50, max: 200 }),
});
export type RunFailures = z.output<typeof RunFailures>;

/** What a run predicted, item by item: those with a label, or whose surest mark has a least score. */
export const PredictionPage = z.object({
  uid: uid(),
  label: text(labelMapLimits.name).optional(),
  min_score: z.number().min(0).max(1).optional(),
  ...pageFields({ default: 60, max: 200 }),
});
export type PredictionPage = z.output<typeof PredictionPage>;

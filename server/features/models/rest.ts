import { z } from "zod";
import {
  CreateIntegration,
  CreateModel,
  IntegrationUid,
  Invoke,
  ModelFilters,
  ModelUid,
  Predict,
  PredictionFilters,
  RunFilters,
  RunUid,
  TryModel,
  UpdateIntegration,
  UpdateModel,
} from "@/domain/models/schema";
import {
  createIntegration,
  deleteIntegration,
  findIntegration,
  listIntegrations,
  rotateIntegrationSecret,
  updateIntegration,
} from "@/server/features/models/integration-service";
import {
  IntegrationResource,
  IntegrationWithSecret,
  ModelResource,
  PredictionGroup,
  RunResource,
  TryResult,
} from "@/server/features/models/resource";
import { abortRun, deleteRun, retryRun } from "@/server/features/models/run-changes-service";
import {
  getRun,
  invoke as invokeModel,
  listPredictions,
  listRuns,
  startRuns,
} from "@/server/features/models/run-service";
import { createModel, deleteModel, getModel, listModels, updateModel } from "@/server/features/models/service";
import { tryModel } from "@/server/features/models/try-service";
import { notFound } from "@/server/platform/errors";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/models/",
  id: "models.list",
  summary: "List models",
  permission: ["full"],
  role: "member",
  query: ModelFilters,
  response: toPageSchema(ModelResource),
  handler: ({ ctx, query }) => listModels(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/models/",
  id: "models.create",
  summary: "Create a model",
  description:
    "A public one is there for every organization; only staff of the installation create it, who the operator names by " +
    "`muster users make-staff`.",
  permission: ["full"],
  role: "admin",
  body: CreateModel,
  response: ModelResource,
  status: 201,
  handler: ({ ctx, body }) => createModel(ctx, body),
});

export const update = endpoint({
  method: "PATCH",
  path: "/models/{model_uid}/",
  id: "models.update",
  summary: "Update a model",
  permission: ["full"],
  role: "admin",
  params: ModelUid,
  body: UpdateModel,
  response: ModelResource,
  exists: (ctx, params) => getModel(ctx, params.model_uid),
  handler: ({ ctx, params, body }) => updateModel(ctx, params.model_uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/models/{model_uid}/",
  id: "models.delete",
  summary: "Delete a model",
  description: "Its integrations go with it, and their runs with what they predicted.",
  permission: ["full"],
  role: "admin",
  params: ModelUid,
  status: 204,
  handler: ({ ctx, params }) => deleteModel(ctx, params.model_uid),
});

export const integrations = endpoint({
  method: "GET",
  path: "/models/{model_uid}/integrations/",
  id: "models.integrations",
  summary: "List a model's integrations",
  permission: ["full"],
  role: "member",
  params: ModelUid,
  query: ModelFilters,
  response: toPageSchema(IntegrationResource),
  handler: ({ ctx, params, query }) => listIntegrations(ctx, params.model_uid, query),
});

export const addIntegration = endpoint({
  method: "POST",
  path: "/models/{model_uid}/integrations/",
  id: "models.add-integration",
  summary: "Create a model integration",
  description:
    "`http` POSTs each item to `url` and reads `{predictions: […]}`; `builtin` is Muster's own baseline. The secret that signs is in this answer only.",
  permission: ["full"],
  role: "admin",
  params: ModelUid,
  body: CreateIntegration,
  response: IntegrationWithSecret,
  status: 201,
  exists: (ctx, params) => getModel(ctx, params.model_uid),
  handler: ({ ctx, params, body }) => createIntegration(ctx, params.model_uid, body),
});

const existsIntegration: ExistsCheck<typeof IntegrationUid> = async (ctx, params) => {
  if (!(await findIntegration(ctx, params.integration_uid, "paused"))) throw notFound();
};

export const updateOne = endpoint({
  method: "PATCH",
  path: "/models/integrations/{integration_uid}/",
  id: "models.update-integration",
  summary: "Update a model integration",
  permission: ["full"],
  role: "admin",
  params: IntegrationUid,
  body: UpdateIntegration,
  response: IntegrationResource,
  exists: existsIntegration,
  handler: ({ ctx, params, body }) => updateIntegration(ctx, params.integration_uid, body),
});

export const removeOne = endpoint({
  method: "DELETE",
  path: "/models/integrations/{integration_uid}/",
  id: "models.delete-integration",
  summary: "Delete a model integration",
  description: "Its runs go with it, and what they predicted.",
  permission: ["full"],
  role: "admin",
  params: IntegrationUid,
  status: 204,
  handler: ({ ctx, params }) => deleteIntegration(ctx, params.integration_uid),
});

export const rotate = endpoint({
  method: "POST",
  path: "/models/integrations/{integration_uid}/rotate-secret/",
  id: "models.rotate-secret",
  summary: "Rotate a model integration's secret",
  description: "The new secret is in this answer only. For 24 hours the old one signs beside it.",
  permission: ["full"],
  role: "admin",
  params: IntegrationUid,
  response: IntegrationWithSecret,
  handler: ({ ctx, params }) => rotateIntegrationSecret(ctx, params.integration_uid),
});

export const tryOut = endpoint({
  method: "POST",
  path: "/models/integrations/{integration_uid}/try/",
  id: "models.try",
  summary: "Try a model integration on an item",
  description: "What was sent and what came back, with what is wrong with it. 10 a minute and user; nothing is stored.",
  permission: ["full"],
  role: "admin",
  rateLimit: "inference",
  params: IntegrationUid,
  body: TryModel,
  response: TryResult,
  exists: existsIntegration,
  handler: ({ ctx, params, body }) => tryModel(ctx, params.integration_uid, body),
});

export const predict = endpoint({
  method: "POST",
  path: "/models/integrations/{integration_uid}/predict/",
  id: "models.predict",
  summary: "Create prediction runs",
  description: "A run for each entry; without items it is about the whole dataset.",
  permission: ["full"],
  role: "member",
  params: IntegrationUid,
  body: Predict,
  response: z.array(RunResource),
  status: 202,
  exists: async (ctx, params) => {
    if (!(await findIntegration(ctx, params.integration_uid))) throw notFound();
  },
  handler: ({ ctx, params, body }) => startRuns(ctx, params.integration_uid, body),
});

export const runs = endpoint({
  method: "GET",
  path: "/models/runs/",
  id: "runs.list",
  summary: "List prediction runs",
  permission: ["full"],
  role: "member",
  query: RunFilters,
  response: toPageSchema(RunResource),
  handler: ({ ctx, query }) => listRuns(ctx, query),
});

export const run = endpoint({
  method: "GET",
  path: "/models/runs/{uid}/",
  id: "runs.get",
  summary: "Get a prediction run",
  permission: ["full"],
  role: "member",
  params: RunUid,
  response: RunResource,
  handler: ({ ctx, params }) => getRun(ctx, params.uid),
});

export const abort = endpoint({
  method: "POST",
  path: "/models/runs/{uid}/abort/",
  id: "runs.abort",
  summary: "Abort a prediction run",
  description: "It is failed from then on, and keeps the predictions that it has.",
  permission: ["full"],
  role: "member",
  params: RunUid,
  response: RunResource,
  handler: ({ ctx, params }) => abortRun(ctx, params.uid),
});

export const retry = endpoint({
  method: "POST",
  path: "/models/runs/{uid}/retry/",
  id: "runs.retry",
  summary: "Retry a prediction run",
  description:
    "One that failed, was aborted, or has failed items. It continues with the items that have no predictions yet.",
  permission: ["full"],
  role: "member",
  params: RunUid,
  response: RunResource,
  handler: ({ ctx, params }) => retryRun(ctx, params.uid),
});

export const removeRun = endpoint({
  method: "DELETE",
  path: "/models/runs/{uid}/",
  id: "runs.delete",
  summary: "Delete a prediction run",
  description: "Its predictions go with it.",
  permission: ["full"],
  role: "member",
  params: RunUid,
  status: 204,
  handler: ({ ctx, params }) => deleteRun(ctx, params.uid),
});

export const predictions = endpoint({
  method: "GET",
  path: "/models/runs/{uid}/predictions/",
  id: "runs.predictions",
  summary: "List a run's predictions",
  permission: ["full"],
  role: "member",
  params: RunUid,
  query: PredictionFilters,
  response: z.array(PredictionGroup),
  handler: ({ ctx, params, query }) => listPredictions(ctx, params.uid, query),
});

export const invoke = endpoint({
  method: "POST",
  path: "/inference/invoke/",
  id: "inference.invoke",
  summary: "Run inference on one item",
  description: "10 a minute and user. 503 when the model does not answer.",
  permission: ["full"],
  role: "member",
  rateLimit: "inference",
  body: Invoke,
  response: PredictionGroup,
  handler: ({ ctx, body }) => invokeModel(ctx, body),
});

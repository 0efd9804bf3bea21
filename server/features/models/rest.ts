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
} from "@/domain/models/schema";
import { IntegrationResource, ModelResource, PredictionGroup, RunResource } from "@/server/features/models/resource";
import { abortRun, deleteRun, retryRun } from "@/server/features/models/run-changes-service";
import {
  getRun,
  invoke as invokeModel,
  listPredictions,
  listRuns,
  startRuns,
} from "@/server/features/models/run-service";
import {
  createIntegration,
  createModel,
  findIntegration,
  getModel,
  listIntegrations,
  listModels,
} from "@/server/features/models/service";
import { notFound } from "@/server/platform/errors";
import { endpoint } from "@/server/transport/rest/endpoint";
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
    "Only staff of the installation may, who the operator names by `muster users make-staff`. A public model is there for " +
    "every organization.",
  permission: ["staff"],
  role: "admin",
  body: CreateModel,
  response: ModelResource,
  status: 201,
  handler: ({ ctx, body }) => createModel(ctx, body),
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
  description: "`http` POSTs each item to `url` and reads `{predictions: […]}`; `builtin` is Muster's own baseline.",
  permission: ["staff"],
  role: "admin",
  params: ModelUid,
  body: CreateIntegration,
  response: IntegrationResource,
  status: 201,
  exists: (ctx, params) => getModel(ctx, params.model_uid),
  handler: ({ ctx, params, body }) => createIntegration(ctx, params.model_uid, body),
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
  description: "One that failed or was aborted. It continues with the items that have no predictions yet.",
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

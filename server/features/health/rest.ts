import { MeaningScope, MetricName, SaveMeaning } from "@/domain/health/schema";
import { deleteMeaning, requireMetric, saveMeaning } from "@/server/features/health/meaning-service";
import { MetricMeaning } from "@/server/features/health/resource";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";

const exists: ExistsCheck<typeof MetricName> = (ctx, { name }) => requireMetric(ctx, name);

export const save = endpoint({
  method: "PATCH",
  path: "/fleet/metrics/{name}/meaning/",
  id: "metrics.save-meaning",
  summary: "Say what a metric means",
  description: "For devices of a type, or of every type. What is left out stays as it is; null is the guess.",
  permission: ["fleet.write"],
  role: "admin",
  params: MetricName,
  body: SaveMeaning,
  response: MetricMeaning,
  exists,
  handler: ({ ctx, params, body }) => saveMeaning(ctx, params.name, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/metrics/{name}/meaning/",
  id: "metrics.delete-meaning",
  summary: "Go back to the guess of what a metric means",
  permission: ["fleet.write"],
  role: "admin",
  params: MetricName,
  query: MeaningScope,
  status: 204,
  exists,
  handler: ({ ctx, params, query }) => deleteMeaning(ctx, params.name, query.device_type),
});

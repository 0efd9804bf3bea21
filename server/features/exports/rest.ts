import { CreateExport, ExportFilters, ExportUid } from "@/domain/exports/schema";
import { ExportResource } from "@/server/features/exports/resource";
import {
  abortExport,
  createExport,
  deleteExport,
  getExport,
  listExports,
  retryExport,
} from "@/server/features/exports/service";
import { absoluteUrl } from "@/server/transport/rest/absolute-url";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const absoluteExport = (each: ExportResource, publicUrl: string): ExportResource => ({
  ...each,
  download_url: each.download_url === null ? null : absoluteUrl(each.download_url, publicUrl),
});

export const list = endpoint({
  method: "GET",
  path: "/exports/",
  id: "exports.list",
  summary: "List exports",
  description: "`ordering`: created_at or name; `-` before it descends (default `-created_at`).",
  permission: ["exports.create"],
  role: "member",
  query: ExportFilters,
  response: toPageSchema(ExportResource),
  handler: async ({ ctx, query, publicUrl }) => {
    const page = await listExports(ctx, query);
    return { ...page, results: page.results.map((each) => absoluteExport(each, publicUrl)) };
  },
});

export const create = endpoint({
  method: "POST",
  path: "/exports/",
  id: "exports.create",
  summary: "Create an export",
  description: "At most five of an organization run at once, the oldest first. Ask again until `download_url` is set.",
  permission: ["exports.create"],
  role: "member",
  body: CreateExport,
  response: ExportResource,
  status: 201,
  handler: async ({ ctx, body, publicUrl }) => absoluteExport(await createExport(ctx, body), publicUrl),
});

export const get = endpoint({
  method: "GET",
  path: "/exports/{uid}/",
  id: "exports.get",
  frequent: true,
  summary: "Get an export",
  permission: ["exports.create"],
  role: "member",
  params: ExportUid,
  response: ExportResource,
  handler: async ({ ctx, params, publicUrl }) => absoluteExport(await getExport(ctx, params.uid), publicUrl),
});

export const abort = endpoint({
  method: "POST",
  path: "/exports/{uid}/abort/",
  id: "exports.abort",
  summary: "Abort an export",
  permission: ["exports.create"],
  role: "member",
  params: ExportUid,
  response: ExportResource,
  handler: async ({ ctx, params, publicUrl }) => absoluteExport(await abortExport(ctx, params.uid), publicUrl),
});

export const retry = endpoint({
  method: "POST",
  path: "/exports/{uid}/retry/",
  id: "exports.retry",
  summary: "Retry an export",
  description: "One that failed or was aborted.",
  permission: ["exports.create"],
  role: "member",
  params: ExportUid,
  response: ExportResource,
  handler: async ({ ctx, params, publicUrl }) => absoluteExport(await retryExport(ctx, params.uid), publicUrl),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/exports/{uid}/",
  id: "exports.delete",
  summary: "Delete an export",
  description: "Its file goes with it. One that is under way is aborted.",
  permission: ["exports.create"],
  role: "member",
  params: ExportUid,
  status: 204,
  handler: ({ ctx, params }) => deleteExport(ctx, params.uid),
});

import { CheckImport, CreateImport, ImportFilters, ImportUid, StartImport } from "@/domain/annotation-imports/schema";
import { ImportReport, ImportResource, ImportUpload } from "@/server/features/imports/resource";
import {
  checkImport,
  createImport,
  getImport,
  getImportReport,
  listImports,
  stopImport,
} from "@/server/features/imports/service";
import { startImport } from "@/server/features/imports/start-service";
import { getProject } from "@/server/features/projects/service";
import { absoluteUrl } from "@/server/transport/rest/absolute-url";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof ImportUid> = (ctx, params) => getImport(ctx, params.uid);
const projectExists: ExistsCheck<typeof ImportUid> = (ctx, params) => getProject(ctx, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/projects/{uid}/imports/",
  id: "imports.list",
  summary: "List imports of annotations into a project",
  permission: ["projects.read"],
  role: "admin",
  leased: true,
  params: ImportUid,
  query: ImportFilters,
  response: toPageSchema(ImportResource),
  exists: projectExists,
  handler: ({ ctx, params, query }) => listImports(ctx, params.uid, query),
});

export const create = endpoint({
  method: "POST",
  path: "/projects/{uid}/imports/",
  id: "imports.create",
  summary: "Begin to import annotations",
  description: "PUT the file to `put_url`, then have it checked, and start the import.",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: ImportUid,
  body: CreateImport,
  response: ImportUpload,
  status: 201,
  exists: projectExists,
  handler: async ({ ctx, params, body, publicUrl }) => {
    const created = await createImport(ctx, params.uid, body);
    return { ...created, put_url: absoluteUrl(created.put_url, publicUrl) };
  },
});

export const get = endpoint({
  method: "GET",
  path: "/imports/{uid}/",
  id: "imports.get",
  summary: "Get an import of annotations",
  permission: ["projects.read"],
  role: "admin",
  leased: true,
  params: ImportUid,
  response: ImportResource,
  handler: ({ ctx, params }) => getImport(ctx, params.uid),
});

export const report = endpoint({
  method: "GET",
  path: "/imports/{uid}/report/",
  id: "imports.report",
  summary: "Get what an import left out",
  permission: ["projects.read"],
  role: "admin",
  leased: true,
  params: ImportUid,
  response: ImportReport,
  handler: ({ ctx, params }) => getImportReport(ctx, params.uid),
});

export const check = endpoint({
  method: "POST",
  path: "/imports/{uid}/check/",
  id: "imports.check",
  summary: "Look at a file of annotations",
  description:
    "Changes nothing in the project. Ask again until `status` is `ready`: `findings` say what is in the file.",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: ImportUid,
  body: CheckImport,
  response: ImportResource,
  exists,
  handler: ({ ctx, params, body }) => checkImport(ctx, params.uid, body),
});

export const start = endpoint({
  method: "POST",
  path: "/imports/{uid}/start/",
  id: "imports.start",
  summary: "Start an import of annotations",
  description: "The same file again changes nothing. Tasks that somebody has begun stay as they are.",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: ImportUid,
  body: StartImport,
  response: ImportResource,
  exists,
  handler: ({ ctx, params, body }) => startImport(ctx, params.uid, body),
});

export const stop = endpoint({
  method: "POST",
  path: "/imports/{uid}/stop/",
  id: "imports.stop",
  summary: "Stop an import of annotations",
  description: "What it put into the project before stays. Does nothing to one that has ended.",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: ImportUid,
  response: ImportResource,
  handler: ({ ctx, params }) => stopImport(ctx, params.uid),
});

import {
  CreateRecording,
  MessagesQuery,
  RecordingFilters,
  RecordingUid,
  SeriesQuery,
  UpdateRecording,
} from "@/domain/recordings/schema";
import { listAttachments } from "@/server/features/recordings/attachment-service";
import { listFiles } from "@/server/features/recordings/file-service";
import { readMessages } from "@/server/features/recordings/message-service";
import {
  MessagesAround,
  RecordingAttachment,
  RecordingDetail,
  RecordingFile,
  RecordingResource,
  SeriesWindow,
} from "@/server/features/recordings/resource";
import { readSeriesWindow } from "@/server/features/recordings/series-service";
import {
  createRecording,
  deleteRecording,
  findRecording,
  getRecording,
  listRecordings,
  reprocessRecording,
  updateRecording,
} from "@/server/features/recordings/service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof RecordingUid> = (ctx, params) => findRecording(ctx, params.uid);

const withAbsoluteLinks = <T extends { download_url: string | null }>(rows: readonly T[], publicUrl: string): T[] =>
  rows.map((row) => ({ ...row, download_url: row.download_url && new URL(row.download_url, publicUrl).href }));

export const list = endpoint({
  method: "GET",
  path: "/fleet/recordings/",
  id: "recordings.list",
  summary: "List recordings",
  description:
    "Newest first, or by `ordering`. `since` and `until` go by creation, those with `started_` by the data; `tags`: all of them; `status`: any of a list.",
  permission: ["fleet.read"],
  role: "member",
  query: RecordingFilters,
  renames: { device: "device_id" },
  response: toPageSchema(RecordingResource),
  handler: ({ ctx, query }) => listRecordings(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/recordings/",
  id: "recordings.create",
  summary: "Create a recording",
  description: "Its files follow through the upload session. With a device token, the device is the one that calls.",
  permission: ["fleet.write", "device"],
  role: "member",
  body: CreateRecording,
  renames: { device: "device_id" },
  response: RecordingResource,
  status: 201,
  handler: ({ ctx, body }) => createRecording(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/",
  id: "recordings.get",
  summary: "Get a recording with its topics",
  permission: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  response: RecordingDetail,
  handler: ({ ctx, params }) => getRecording(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/recordings/{uid}/",
  id: "recordings.update",
  summary: "Update a recording",
  description:
    "`tags` replaces all tags. `status`: `archived` from any state, `ready` from archived while its files exist.",
  permission: ["fleet.write"],
  role: "member",
  params: RecordingUid,
  body: UpdateRecording,
  response: RecordingResource,
  exists,
  handler: ({ ctx, params, body }) => updateRecording(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/recordings/{uid}/",
  id: "recordings.delete",
  summary: "Delete a recording",
  description: "For good, with its events, topics, series and files. Its alerts stay, without it.",
  permission: ["fleet.write"],
  role: "admin",
  params: RecordingUid,
  status: 204,
  handler: ({ ctx, params }) => deleteRecording(ctx, params.uid),
});

export const reprocess = endpoint({
  method: "POST",
  path: "/fleet/recordings/{uid}/reprocess/",
  id: "recordings.reprocess",
  summary: "Reprocess a recording",
  permission: ["fleet.write"],
  role: "member",
  params: RecordingUid,
  response: RecordingResource,
  handler: ({ ctx, params }) => reprocessRecording(ctx, params.uid),
});

export const files = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/files/",
  id: "recordings.files",
  summary: "List the files of a recording",
  description: "All of them at once, with links to download them that are good for an hour.",
  permission: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  response: toPageSchema(RecordingFile),
  handler: async ({ ctx, params, publicUrl }) => ({
    next: null,
    previous: null,
    results: withAbsoluteLinks(await listFiles(ctx, params.uid), publicUrl),
  }),
});

export const attachments = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/attachments/",
  id: "recordings.attachments",
  summary: "List the attachments of a recording",
  description: "Attachments and metadata records of its MCAP files, with links to download them, metadata as JSON.",
  permission: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  response: toPageSchema(RecordingAttachment),
  handler: async ({ ctx, params, publicUrl }) => ({
    next: null,
    previous: null,
    results: withAbsoluteLinks(await listAttachments(ctx, params.uid), publicUrl),
  }),
});

export const series = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/series/",
  id: "recordings.series",
  summary: "Get a field over time",
  description:
    "Numbers have `points`: `[t, min, max, first, last, count]`, at most two per point asked for. Enums, booleans and " +
    "strings answer with `states`: `[t, value, merged]`, each from its `t` to the next. Times are nanoseconds since 1970 as " +
    "decimal strings; `from` and `to` take these or ISO 8601.",
  permission: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  query: SeriesQuery,
  response: SeriesWindow,
  exists,
  handler: ({ ctx, params, query }) => readSeriesWindow(ctx, params.uid, query),
});

export const messages = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/messages/",
  id: "recordings.messages",
  summary: "List decoded messages around a time",
  description:
    "Half before `at`, half from it on. Integers beyond 2^53 are decimal strings, bytes `{$bytes, length, base64}` with at " +
    "most 1 KiB of them, long lists `{$list, length, items}`.",
  permission: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  query: MessagesQuery,
  response: MessagesAround,
  exists,
  handler: ({ ctx, params, query }) => readMessages(ctx, params.uid, query),
});

import { CreateSilence, PreviewSilence, SilenceFilters, SilenceUid, UpdateSilence } from "@/domain/silences/schema";
import { Mutes, SilenceResource } from "@/server/features/silences/resource";
import {
  createSilence,
  deleteSilence,
  expireSilence,
  getSilence,
  listSilences,
  previewSilence,
  requireSilenceAuthor,
  updateSilence,
} from "@/server/features/silences/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/fleet/silences/",
  id: "silences.list",
  summary: "List silences",
  permission: ["fleet.read"],
  role: "member",
  query: SilenceFilters,
  response: toPageSchema(SilenceResource),
  handler: ({ ctx, query }) => listSilences(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/silences/",
  id: "silences.create",
  summary: "Create a silence",
  description:
    "`matchers` holds `device_ids`, `rule_ids`, `severities` and `tags`; every list given must match, and a device must " +
    "carry all tags. Silenced alerts are recorded and not sent. `recurrence` limits it to hours of days, by the clocks of a time zone.",
  permission: ["fleet.write"],
  role: "member",
  body: CreateSilence,
  response: SilenceResource,
  status: 201,
  handler: ({ ctx, body }) => createSilence(ctx, body),
});

export const preview = endpoint({
  method: "POST",
  path: "/fleet/silences/preview/",
  id: "silences.preview",
  summary: "Preview a silence",
  permission: ["fleet.read"],
  role: "member",
  changes: "nothing",
  body: PreviewSilence,
  response: Mutes,
  handler: ({ ctx, body }) => previewSilence(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/silences/{uid}/",
  id: "silences.get",
  summary: "Get a silence",
  permission: ["fleet.read"],
  role: "member",
  params: SilenceUid,
  response: SilenceResource,
  handler: ({ ctx, params }) => getSilence(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/silences/{uid}/",
  id: "silences.update",
  summary: "Update a silence",
  description: "Members change only their own.",
  permission: ["fleet.write"],
  role: "member",
  params: SilenceUid,
  body: UpdateSilence,
  response: SilenceResource,
  exists: (ctx, params) => requireSilenceAuthor(ctx, params.uid),
  handler: ({ ctx, params, body }) => updateSilence(ctx, params.uid, body),
});

export const expire = endpoint({
  method: "POST",
  path: "/fleet/silences/{uid}/expire/",
  id: "silences.expire",
  summary: "Expire a silence",
  permission: ["fleet.write"],
  role: "member",
  params: SilenceUid,
  response: SilenceResource,
  handler: ({ ctx, params }) => expireSilence(ctx, params.uid),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/silences/{uid}/",
  id: "silences.delete",
  summary: "Delete a silence",
  permission: ["fleet.write"],
  role: "member",
  params: SilenceUid,
  status: 204,
  handler: ({ ctx, params }) => deleteSilence(ctx, params.uid),
});

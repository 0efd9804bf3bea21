import {
  MessageDefinitionFilters,
  MessageDefinitionUid,
  SaveMessageDefinitions,
} from "@/domain/message-definitions/schema";
import {
  MessageDefinitionDetail,
  MessageDefinitionResource,
  SavedMessageDefinitions,
} from "@/server/features/message-definitions/resource";
import {
  deleteDefinition,
  getDefinition,
  listDefinitions,
  saveDefinitions,
} from "@/server/features/message-definitions/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/fleet/message-definitions/",
  id: "message-definitions.list",
  summary: "List message definitions",
  permission: ["fleet.read"],
  role: "member",
  query: MessageDefinitionFilters,
  response: toPageSchema(MessageDefinitionResource),
  handler: ({ ctx, query }) => listDefinitions(ctx, query),
});

export const save = endpoint({
  method: "POST",
  path: "/fleet/message-definitions/",
  id: "message-definitions.save",
  summary: "Add message definitions",
  description: "For types that recordings do not define. Replaces those of the same type.",
  permission: ["fleet.write"],
  role: "member",
  body: SaveMessageDefinitions,
  maxBodyBytes: 8 * 1024 * 1024,
  response: SavedMessageDefinitions,
  handler: ({ ctx, body }) => saveDefinitions(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/message-definitions/{uid}/",
  id: "message-definitions.get",
  summary: "Get a message definition",
  permission: ["fleet.read"],
  role: "member",
  params: MessageDefinitionUid,
  response: MessageDefinitionDetail,
  handler: ({ ctx, params }) => getDefinition(ctx, params.uid),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/message-definitions/{uid}/",
  id: "message-definitions.delete",
  summary: "Delete a message definition",
  permission: ["fleet.write"],
  role: "member",
  params: MessageDefinitionUid,
  status: 204,
  handler: ({ ctx, params }) => deleteDefinition(ctx, params.uid),
});

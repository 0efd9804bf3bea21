import { areas } from "@/server/composition/api-areas";
import { callbacks } from "@/server/composition/api-callbacks";
import { identifierKinds } from "@/server/composition/identifiers";
import { registry } from "@/server/composition/rest-registry";
import { schemaNames } from "@/server/composition/schema-names";
import { openApiDocument } from "@/server/transport/rest/openapi";

let document: ReturnType<typeof openApiDocument> | undefined;

/** The OpenAPI document of the whole API, for callers that use it at this origin. */
export function describeApi(origin: string) {
  document ??= openApiDocument({ endpoints: registry, callbacks, names: schemaNames, identifierKinds, areas });
  const contact = { name: "The operator of this installation", url: origin };
  const { openapi, info, ...rest } = document;
  return { openapi, info: { ...(info as object), contact }, servers: [{ url: origin }], ...rest };
}

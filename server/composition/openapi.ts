import type { UidKind } from "@/domain/uid";
import { areas } from "@/server/composition/api-areas";
import { callbacks } from "@/server/composition/api-callbacks";
import { registry } from "@/server/composition/rest-registry";
import { schemaNames } from "@/server/composition/schema-names";
import { openApiDocument } from "@/server/transport/rest/openapi";

const byKind: Record<UidKind, readonly string[]> = {
  device: ["Device", "RegisteredDevice", "HeartbeatResponse"],
  recording: ["Recording", "RecordingDetail"],
  event: ["Event"],
  rule: ["Rule", "RuleDetail"],
  alert: ["Alert", "AlertDetail", "Acknowledgement"],
  channel: ["Channel", "CreatedChannel"],
  group: ["Group", "GroupDetail"],
  silence: ["Silence"],
};

/** The kind of `uid` that the named resources of the fleet have; those of all others are bare UUIDs. */
const identifierKinds: ReadonlyMap<string, UidKind> = new Map(
  Object.entries(byKind).flatMap(([kind, names]) => names.map((name) => [name, kind as UidKind] as const)),
);

let document: ReturnType<typeof openApiDocument> | undefined;

/** The OpenAPI document of the whole API, for callers that use it at this origin. */
export function describeApi(origin: string) {
  document ??= openApiDocument({ endpoints: registry, callbacks, names: schemaNames, identifierKinds, areas });
  const contact = { name: "The operator of this installation", url: origin };
  const { openapi, info, ...rest } = document;
  return { openapi, info: { ...(info as object), contact }, servers: [{ url: origin }], ...rest };
}

import { z } from "zod";
import { leaseToken, uploadedPath, type Fixture } from "@/server/testing/bad-input/fixture";
import { unique } from "@/server/testing/factories";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { jsonSchema } from "@/server/transport/rest/wire";

/** The members of a published JSON Schema that these tests read. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: Schema | false;
}

export interface Field {
  name: string;
  schema: Schema;
  required: boolean;
}

const nothing = z.object({});
const published = new Map<z.ZodType, Schema>();
/** The published schema of a body or a query; cached, because every request needs it. */
export function toJsonSchema(source: z.ZodType = nothing): Schema {
  let schema = published.get(source);
  if (!schema) published.set(source, (schema = jsonSchema(source, "input")));
  return schema;
}

/** The fields of a body or the parameters of a query, by their wire names. */
export function listFields(source: z.ZodType | undefined): Field[] {
  const { properties = {}, required = [] } = toJsonSchema(source);
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }));
}

/** The alternatives a schema consists of; itself when it has none, or members besides them. */
export const listVariants = (schema: Schema): Schema[] =>
  schema.properties ? [schema] : ((schema.anyOf ?? schema.oneOf)?.flatMap(listVariants) ?? [schema]);

export const listTypes = (schema: Schema): string[] => listVariants(schema).flatMap((variant) => variant.type ?? []);
export const isNullable = (schema: Schema): boolean => listTypes(schema).includes("null");
/** Whether the schema publishes a type at all; a field parsed by the domain itself (`condition`) does not. */
export const isTyped = (schema: Schema): boolean => listTypes(schema).length > 0;

/** The one alternative of this type, if the schema has it. */
export const ofType = (schema: Schema, type: string): Schema | undefined =>
  listVariants(schema).find((variant) => [variant.type].flat().includes(type));

/** The prefix of the identifiers that a pattern accepts; null for other patterns. */
export const uidPrefix = (schema: Schema): string | null =>
  /^\^(\w*)\[0-9a-f\]\{8\}/.exec(schema.pattern ?? "")?.[1] ?? null;

/** Free text: a string that is neither a choice, a time, an identifier, an address nor a secret. */
export function isFreeText({ name, schema }: Pick<Field, "name" | "schema">): boolean {
  const text = ofType(schema, "string");
  return (
    text !== undefined &&
    !text.enum &&
    !text.format &&
    !text.pattern &&
    text.const === undefined &&
    !structured.test(name)
  );
}
const structured =
  /url$|email|password|^secret$|^slug$|domain|_id$|_uid$|^assignee$|^owner$|^user$|auth_json|^method$|access_key|filter_query|^prefix$|_prefix$|time_zone|^invitation$|^setup_token$|^confirm_name$|^sql$/;

/** Values of fields whose meaning a schema cannot express, by name; `ids` are those of the fixture. */
export function named(name: string, ids: Fixture["ids"], org: Fixture["org"]): unknown {
  const values: Record<string, () => unknown> = {
    device: () => ids.device,
    device_id: () => ids.device,
    device_ids: () => [ids.device],
    recording_id: () => ids.recording,
    recordings: () => [ids.recording],
    alerts: () => [ids.alert],
    rule_id: () => ids.rule,
    dataset: () => ids.dataset,
    dataset_uid: () => ids.dataset,
    dataset_item_uid: () => ids.item,
    dataset_item_uids: () => [ids.item],
    datasets: () => [ids.dataset],
    project: () => ids.project,
    projects: () => [],
    slices: () => [],
    integration_uid: () => ids.integration,
    run: () => ids.run,
    session_uid: () => ids.session,
    execution: () => ids.execution,
    uids: () => [ids.alert],
    lease: () => leaseToken,
    assignee: () => ids.username,
    owner: () => ids.username,
    user: () => ids.username,
    invited_email: () => org.owner.email,
    email: () => `${unique("mail")}@example.com`,
    password: () => "a password for tests",
    target_url: () => `https://hooks.example.com/${unique("at")}`,
    callback_url: () => `https://hooks.example.com/${unique("at")}`,
    logo_url: () => "https://example.com/logo.png",
    ends_at: () => "2099-01-01T00:00:00Z",
    until: () => "2099-01-01T00:00:00Z",
    name: () => unique("name"),
    slug: () => unique("slug"),
    condition: () => ({ type: "threshold", topic: "/t", field: "x", operator: "gt", value: 1 }),
    actions: () => [{ type: "flag_for_review" }],
    matchers: () => ({ device_ids: [ids.device] }),
    events: () => undefined,
  };
  return values[name]?.();
}

/** The minimal value that a schema accepts. */
export function buildMinimal(schema: Schema, name: string, fixture: Pick<Fixture, "ids" | "org">): unknown {
  const known = named(name, fixture.ids, fixture.org);
  if (known !== undefined) return known;
  const variant = listVariants(schema)[0] ?? {};
  if (variant.const !== undefined) return variant.const;
  if (variant.enum) return variant.enum[0];
  switch ([variant.type].flat()[0]) {
    case "string":
      if (variant.format === "date-time") return "2026-01-01T00:00:00Z";
      return uidPrefix(variant) === null
        ? "x".repeat(Math.max(8, variant.minLength ?? 0))
        : `${uidPrefix(variant)}00000000-0000-7000-8000-000000000001`;
    case "integer":
    case "number":
      return Math.max(1, variant.minimum ?? 1) <= (variant.maximum ?? 1)
        ? Math.max(1, variant.minimum ?? 1)
        : variant.minimum;
    case "boolean":
      return true;
    case "array":
      return variant.minItems
        ? Array.from({ length: variant.minItems }, () => buildMinimal(variant.items ?? {}, "", fixture))
        : [];
    case "object":
      return Object.fromEntries(
        (variant.required ?? []).map((field) => [
          field,
          buildMinimal(variant.properties?.[field] ?? {}, field, fixture),
        ]),
      );
    default:
      return null;
  }
}

const momentRange = { from: "2026-01-01T00:00:00Z", to: "1767225601000000000" };

/** Members that an operation needs in addition to those its schema requires. */
export const completions: Readonly<Record<string, (fixture: Pick<Fixture, "ids" | "org">) => Record<string, unknown>>> =
  {
    // Its times may not be long ago.
    "devices.heartbeat-batch": () => ({ heartbeats: [{ timestamp: new Date().toISOString() }] }),
    "recordings.create": ({ ids }) => ({ device_id: ids.device }),
    "events.create-batch": () => ({ events: [{ type: "custom", label: "seen", timestamp: "2026-01-01T00:00:00Z" }] }),
    "recordings.upload-init": () => ({ files: [{ path: uploadedPath, size_bytes: 1 }] }),
    "recordings.upload-urls": ({ ids }) => ({ session_uid: ids.uploadSession, file_paths: [uploadedPath] }),
    "recordings.upload-confirm": ({ ids }) => ({ session_uid: ids.uploadSession }),
    "recordings.upload-finalize": ({ ids }) => ({ session_uid: ids.uploadSession }),
    "datasets.upload-init": () => ({ files: [{ path: "b.png", size_bytes: 1 }] }),
    "datasets.upload-urls": ({ ids }) => ({ session_uid: ids.datasetSession, file_paths: ["a.png"] }),
    "datasets.upload-confirm": ({ ids }) => ({ session_uid: ids.datasetSession }),
    "datasets.upload-finalize": ({ ids }) => ({ session_uid: ids.datasetSession }),
    "moments.preview": () => momentRange,
    "moments.add": () => momentRange,
    "moments.preview-many": ({ ids }) => ({ alerts: [ids.alert] }),
    "moments.add-many": ({ ids }) => ({ alerts: [ids.alert] }),
    "channels.create": () => ({ type: "slack", config: { webhook_url: "https://hooks.slack.com/services/T0/B0/abc" } }),
    "projects.create": ({ ids }) => ({ datasets: [ids.dataset], labels: [{ name: "car" }] }),
    "tasks.assign-many": ({ ids }) => ({ uids: [ids.task] }),
    "tasks.prioritise": ({ ids }) => ({ uids: [ids.task] }),
    "tasks.release-many": ({ ids }) => ({ uids: [ids.task] }),
    "tasks.unskip-many": ({ ids }) => ({ uids: [ids.task] }),
    "results.decide-many": ({ ids }) => ({ uids: [ids.result] }),
    "alerts.bulk": () => ({ action: "acknowledge" }),
    "storage-configs.create": () => ({
      provider: "aws_s3",
      s3_bucket_name: unique("bucket"),
      s3_bucket_region: "eu-west-1",
      s3_access_key_id: "AKIAIOSFODNN7EXAMPLE",
      s3_secret_access_key: "a secret that opens nothing",
      s3_endpoint_url: "https://127.0.0.1", // blocked before a packet is sent
    }),
    "mcp.message": () => ({ jsonrpc: "2.0", id: 1, method: "ping" }),
    "models.add-integration": () => ({ provider: "builtin" }),
    "signals.query": () => ({ sql: "select 1" }),
    "message-definitions.save": () => ({
      files: [{ path: `${unique("pkg").replaceAll("-", "_")}/msg/A.msg`, text: "int8 a" }],
    }),
  };

/** A body that its operation accepts, with required fields only. */
export function validBody(endpoint: Endpoint, fixture: Pick<Fixture, "ids" | "org">): unknown {
  const schema = toJsonSchema(endpoint.body);
  const minimal = buildMinimal(schema, "", fixture);
  if (Array.isArray(minimal)) return minimal;
  return { ...(minimal as Record<string, unknown>), ...completions[endpoint.id]?.(fixture) };
}

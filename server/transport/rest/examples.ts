import type { Json } from "@/server/transport/rest/schema-components";

const uuid = "0199c0de-7a11-7000-8000-000000000001";

/** Examples of members by name, where the type alone does not make a sensible one. */
const byName: Readonly<Record<string, unknown>> = {
  actions: [{ type: "flag_for_review" }],
  annotations: [{ label: "car", type: "bbox", coordinates: { x: 10, y: 20, width: 120, height: 60 } }],
  assignee: null,
  body: "The gripper was recalibrated.",
  condition: { type: "threshold", topic: "/motor/state", field: "temperature", operator: "gt", value: 80 },
  confirm_name: "Depot 7",
  description: "Second hall, night shift.",
  device_ids: [`dev_${uuid}`],
  email: "anna@example.com",
  ends_at: "2099-01-31T12:00:00Z",
  etag: '"9b2cf535f27731c974343645a3985328"',
  file_paths: ["run-1.mcap"],
  firmware_version: "2.4.1",
  first_name: "Anna",
  gc_storage_bucket_name: "my-recordings",
  invited_email: "anna@example.com",
  is_active: true,
  label: "gripper slipped",
  labels: [{ name: "car", color: "#0891b2" }],
  last_name: "Meier",
  matchers: { severities: ["warning"] },
  metadata: { site: "Zurich" },
  metrics: { battery_percent: 82 },
  model_type_name: "detector",
  name: "Picker 7",
  note: "Fixed on site.",
  organization_name: "Example Robotics",
  password: "a long password of your own",
  path: "run-1.mcap",
  quality_target: { metric: "acceptance_rate", threshold: 0.9 },
  reason: "Maintenance of the hall.",
  s3_access_key_id: "AKIAIOSFODNN7EXAMPLE",
  s3_bucket_name: "my-recordings",
  s3_bucket_region: "eu-central-1",
  s3_secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  scope: { tags: ["night-shift"] },
  since: "2026-01-31T12:00:00Z",
  size_bytes: 1_048_576,
  storage_config_uid: null,
  tags: ["night-shift"],
  timestamp: "2026-01-31T12:00:00Z",
  uids: [`alt_${uuid}`],
  until: "2099-01-31T12:00:00Z",
  value: 80,

  callback_url: "https://agents.example.com/events",
  logo_url: "https://example.com/logo.png",
  s3_endpoint_url: "https://s3.example.com",
  target_url: "https://hooks.example.com/muster",
  url: "https://hooks.example.com/muster",
  webhook_url: "https://hooks.slack.com/services/T000/B000/XXXX",
};

const identifier = (pattern: unknown): string | null => {
  const match = /^\^(\w*)\[0-9a-f\]\{8\}/.exec(String(pattern));
  return match ? `${match[1]}${uuid}` : null;
};

/** How many members an example has at least, as far as the schema has that many with a sensible value. */
const minMembers = 2;

/** A value that a schema accepts, with all required members; `named` are the component schemas. */
export function exampleFor(schema: Json, named: Readonly<Record<string, Json>>, name = ""): unknown {
  if (typeof schema.$ref === "string") return exampleFor(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named, name);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (name in byName) return byName[name];
  if (schema.properties) return exampleOfObject(schema, named);
  const [variant] = (schema.oneOf ?? schema.anyOf ?? []) as Json[];
  if (variant) return exampleFor(variant, named, name);
  if (schema.default !== undefined) return schema.default;
  switch ([schema.type].flat()[0]) {
    case "string":
      if (schema.format === "date-time") return "2026-01-31T12:00:00Z";
      if (schema.format === "email") return "anna@example.com";
      return identifier(schema.pattern) ?? "example text";
    case "integer":
    case "number":
      return Math.max(1, Number(schema.minimum ?? 1));
    case "boolean":
      return true;
    case "array":
      return [exampleFor((schema.items ?? {}) as Json, named)];
    default:
      return {};
  }
}

function exampleOfObject(schema: Json, named: Readonly<Record<string, Json>>): Json {
  const [variant] = (schema.oneOf ?? []) as Json[];
  const properties = schema.properties as Record<string, Json>;
  const required = (schema.required ?? []) as string[];
  const members = Object.entries(properties).filter(([name]) => required.includes(name));
  for (const [name, member] of Object.entries(properties)) {
    if (members.length >= minMembers || variant) break;
    if (!required.includes(name) && (name in byName || member.enum)) members.push([name, member]);
  }
  const own = Object.fromEntries(members.map(([name, member]) => [name, exampleFor(member, named, name)]));
  return variant ? { ...own, ...(exampleFor(variant, named) as Json) } : own;
}

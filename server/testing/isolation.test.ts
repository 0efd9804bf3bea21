import { beforeAll, describe, expect, test } from "vitest";
import { scopes } from "@/domain/permissions";
import { app } from "@/server/composition/rest-app";
import { appRouter } from "@/server/composition/trpc-root";
import { pool, prisma } from "@/server/platform/db";
import { nullable, queryRows, text } from "@/server/platform/rows";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  unique,
  type TestOrganization,
} from "@/server/testing/factories";
import { operations, procedures } from "@/server/testing/operations";
import { createTrpcCaller } from "@/server/testing/requests";
import { slugOfMark } from "@/server/testing/seed-data-loop";
import { seedOrganization, type Seeded } from "@/server/testing/seed-organization";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/**
 * No caller reads or changes another organization's data. The rows of organization B have a mark in every field that
 * can hold text; every kind of caller of A requests every operation with every identifier of B, and no response may
 * contain the mark.
 */

let a: TestOrganization;
let b: TestOrganization;
let seeded: Seeded;
let callers: { name: string; headers: Record<string, string> }[];
const mark = unique("B-ONLY");
/** The dataset of B. */
const mainSlug = slugOfMark(mark);

beforeAll(async () => {
  [a, b] = await Promise.all([makeOrganization(), makeOrganization({ name: `${mark} organization` })]);
  seeded = await seedOrganization(b, mark);
  const [member, staff, device] = await Promise.all([
    addMember(a),
    addMember(a, "owner", { staff: true }),
    makeDevice(a),
  ]);
  const scoped = await makeKey(a, a.owner, { scopes: [...scopes] });
  callers = [
    { name: "an anonymous caller", headers: {} },
    { name: "an owner", headers: { "x-service-api-key": a.key } },
    { name: "a member", headers: { "x-service-api-key": member.key } },
    { name: "a member of staff", headers: { "x-service-api-key": staff.key } },
    { name: "a key with every scope", headers: { "x-service-api-key": scoped } },
    { name: "a device", headers: { "x-service-device-token": device.device_token } },
  ];
});

/** A digest of the organization's rows for each table. */
async function readState(organization: TestOrganization): Promise<Record<string, string>> {
  const tables = await queryRows(
    pool,
    { name: text },
    `select table_name::text as name from information_schema.columns
     where table_schema = 'public' and column_name = 'organization_id' order by 1`,
  );
  const state: Record<string, string> = {};
  for (const { name: table } of tables) {
    const [rows] = await queryRows(
      pool,
      { digest: nullable(text) },
      `select md5(string_agg(t::text, ' ' order by t::text)) as digest from "${table}" t where organization_id = $1`,
      [organization.uid],
    );
    state[table] = rows?.digest ?? "";
  }
  return state;
}

/**
 * Lists an endpoint's paths for B's objects: each parameter takes every identifier of B that its schema accepts, while
 * those of a path that names a project, a dataset or an organization beside them are the ones that belong there.
 */
function listPaths(endpoint: Endpoint): string[] {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  let choices: Record<string, string>[] = [{}];
  const fits = (name: string) => {
    // Objects of B are requested under the organization of A as well.
    if (name === "org_slug") return names.length > 1 ? [...seeded.slugs, a.slug] : seeded.slugs;
    return name === "owner" || name === "slug" ? seeded.slugs : seeded.ids;
  };
  for (const name of names) choices = choices.flatMap((choice) => fits(name).map((id) => ({ ...choice, [name]: id })));
  const isOfProject = (choice: Record<string, string>) =>
    !(names.includes("uid") && names.includes("user_uid")) ||
    choice.uid === seeded.by.project ||
    choice.user_uid === seeded.by.user;
  // What names of nothing refuse does not depend on the identifier: they are requested with the first one only.
  const requested = new Set<string>();
  const isNeeded = ({ owner = b.slug, slug = mainSlug, org_slug: org = b.slug }: Record<string, string>) => {
    const place = `${owner}/${slug}/${org}`;
    const isFirst = !requested.has(place);
    requested.add(place);
    return isFirst || (owner === b.slug && slug === mainSlug && org !== mainSlug);
  };
  const paths = choices
    .filter((choice) => isOfProject(choice) && (endpoint.params?.safeParse(choice).success ?? true))
    .filter(isNeeded)
    .map((choice) =>
      Object.entries(choice).reduce((at, [name, id]) => at.replace(`{${name}}`, id), endpoint.path as string),
    );
  if (names.length > 0) expect(paths, `${endpoint.id}: no identifier of B fits its path`).not.toEqual([]);
  if (!endpoint.query || endpoint.method !== "GET" || names.length > 0) return paths;
  const { device, recording, rule, channel, group, user } = seeded.by;
  const filters = [
    `device_id=${device}`,
    `recording_id=${recording}`,
    `rule_id=${rule}`,
    `channel_id=${channel}`,
    `group_id=${group}`,
  ];
  filters.push(
    `project=${seeded.by.project}`,
    `work_batch=${seeded.by.workBatch}`,
    `dataset_uid=${seeded.by.dataset}`,
    `integration_uid=${seeded.by.integration}`,
    `subscription=${seeded.by.dataset}`,
  );
  return [
    ...paths,
    ...[...filters, `actor_id=${user}`, `target_id=${device}`, `organization=${b.slug}`].map(
      (q) => `${endpoint.path}?${q}`,
    ),
  ];
}

/** Bodies that name B's objects in every field that can name one and that most operations otherwise accept. */
function buildBodies(): Record<string, unknown>[] {
  const { device, recording, group, channel, rule, user, alert } = seeded.by;
  return [
    {
      name: "from A",
      type: "custom",
      label: "from A",
      timestamp: "2026-01-01T00:00:00Z",
      recording_id: recording,
      device_id: device,
      device_ids: [device],
      recordings: [recording],
      events: [{ type: "custom", label: "from A", timestamp: "2026-01-01T00:00:00Z" }],
      condition: { type: "threshold", topic: "/t", field: "x", operator: "gt", value: 1 },
      actions: [{ type: "notify", channel_id: channel }],
      scope: { device_ids: [device], group_ids: [group] },
      matchers: { device_ids: [device], rule_ids: [rule] },
      alerts: [alert],
      alert_ids: [alert],
      action: "acknowledge",
      assignee_id: user,
      assignee: user,
      reason: "from A",
      ends_at: "2099-01-01T00:00:00Z",
      body: "from A",
      files: [{ path: "a.mcap", size_bytes: 1 }],
      session_uid: seeded.by.session,
      file_paths: ["a.mcap"],
      tags: ["from-a"],
      until: "2099-01-01T00:00:00Z",
      dataset: seeded.by.dataset,
      datasets: [seeded.by.dataset],
      project: seeded.by.project,
      task_type: "image-annotation",
      annotations: [],
      format: "YOLO",
      integration_uid: seeded.by.integration,
      dataset_item_uid: seeded.by.item,
      projects: [seeded.by.project],
      slices: [seeded.by.slice],
      execution: seeded.by.execution,
    },
    { actions: [{ type: "flag_for_review" }], name: "from A", scope: { group_ids: [group] } },
  ];
}

/** The second body matters to rules only. */
function bodiesFor(endpoint: Endpoint): (Record<string, unknown> | undefined)[] {
  if (!endpoint.body) return [undefined];
  return endpoint.path.startsWith("/fleet/rules/") ? buildBodies() : buildBodies().slice(0, 1);
}

describe("another organization's data", () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    before = await readState(b);
  });

  const titled = operations.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);
  test.each(titled)("is in no response of %s", async (_, endpoint) => {
    const leaks: string[] = [];
    const wrong: string[] = [];
    for (const at of listPaths(endpoint)) {
      for (const body of bodiesFor(endpoint)) {
        const sent = body && JSON.stringify(body);
        const declared = sent && {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(sent)),
        };
        await Promise.all(
          callers.map(async (caller) => {
            const response = await app.request(`/api/v1${at}`, {
              method: endpoint.method,
              headers: { ...caller.headers, ...declared },
              ...(sent && { body: sent }),
            });
            const text = await response.text();
            const where = `${caller.name}: ${endpoint.method} ${at} → ${response.status}`;
            if (text.includes(mark)) leaks.push(where);
            if (response.status >= 500) wrong.push(where);
            if (endpoint.path.includes("{uid}") && response.status < 300 && !caller.headers["x-service-device-token"])
              wrong.push(where);
          }),
        );
      }
    }
    expect(leaks).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test("is unchanged afterwards", async () => {
    expect(await readState(b)).toEqual(before);
  });

  describe("and the dashboard's procedures:", () => {
    let before: Record<string, string>;
    let trpcCallers: ReturnType<typeof createTrpcCaller>[];
    beforeAll(async () => {
      before = await readState(b);
      trpcCallers = [createTrpcCaller(a), createTrpcCaller(a, await addMember(a))];
    });

    test.each(procedures)("it is in no response of %s", async (name) => {
      const { inputs } = (appRouter._def.procedures as unknown as Record<string, Procedure>)[name]?._def ?? {
        inputs: [],
      };
      const inputFor = (id: string) => ({
        ...buildBodies()[0],
        ...everyId(id),
        change: {},
        limit: 50,
      });
      // Only identifiers that the input reads: without a field for them, the requests would be equal.
      const reads = (id: string) => {
        const parsed = inputs.map((input) => input.safeParse(inputFor(id)));
        return parsed.every(({ success }) => success) && parsed.some(({ data }) => toText(data).includes(id));
      };
      const fitting = seeded.ids.filter(reads);
      const leaks: string[] = [];
      for (const caller of trpcCallers) {
        const procedure = name.split(".").reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], caller);
        for (const id of fitting.length > 0 ? fitting : seeded.ids.slice(0, 1)) {
          const response = await (procedure as (input: unknown) => Promise<unknown>)(inputFor(id)).then(
            toText,
            (error: unknown) => String(error),
          );
          if (response.includes(mark)) leaks.push(`with ${id}: ${response.slice(0, 200)}`);
        }
      }
      expect(leaks).toEqual([]);
    });

    test("it is unchanged afterwards", async () => {
      expect(await readState(b)).toEqual(before);
    });
  });

  test("exists: its owner sees the mark in every list", async () => {
    for (const at of seeded.lists) {
      const response = await app.request(`/api/v1${at}`, { headers: { "x-service-api-key": b.key } });
      expect([at, response.status, (await response.text()).includes(mark)]).toEqual([at, 200, true]);
    }
    expect(await prisma.device.count({ where: { organizationId: b.uid } })).toBeGreaterThan(0);
  });
});

const toText = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member)) ?? "";

interface Procedure {
  _def: { inputs: { safeParse: (input: unknown) => { success: boolean; data?: unknown } }[] };
}

/** The identifier under every name by which an input may refer to an object. */
const everyId = (id: string): Record<string, unknown> => ({
  uid: id,
  id,
  slug: id,
  device_id: id,
  recording_id: id,
  rule_id: id,
  alert_uid: id,
  alert_id: id,
  channel_id: id,
  user_id: id,
  member_uid: id,
  session_uid: id,
  run_uid: id,
  uids: [id],
  a: id,
  b: id,
});

import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { makeFixture, operationNamed, buildPath, withBody, type Fixture } from "@/server/testing/bad-input/fixture";
import { listFields, ofType, uidPrefix, validBody } from "@/server/testing/bad-input/samples";
import { changingNothing } from "@/server/testing/bad-input/unchanged";
import { addMember, makeOrganization, makeRecording, unique } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

/** Rows of one operation that no test of its feature covers, and row 33 for identifiers in bodies. */

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

type Fields = Record<string, string[]>;
interface Created {
  uid: string;
}
const post = <T = Fields>(path: string, body: unknown, key = fixture.key) => request<T>("POST", path, { key, body });
const event = { type: "custom", label: "seen", timestamp: "2026-01-01T00:00:00Z" };

describe("row 33: naming another organization's object in a body is refused like naming none", () => {
  /** Fields whose identifiers clients make up. */
  const ofClients = new Set(["client", "key", "shape"]);
  /** Fields that hold identifiers. */
  const naming = withBody.flatMap(([name, endpoint]) =>
    listFields(endpoint.body).flatMap((field) => {
      const list = ofType(field.schema, "array");
      const prefix = uidPrefix(ofType(field.schema, "string") ?? {}) ?? uidPrefix(list?.items ?? {});
      return prefix === null || ofClients.has(field.name)
        ? []
        : [[`${name} ${field.name}`, endpoint, field.name, list !== undefined] as const];
    }),
  );
  const kinds: Record<string, keyof Fixture["ids"]> = {
    device_id: "device",
    device_ids: "device",
    group_ids: "group",
    parent_id: "group",
    uids: "delivery",
    recording_id: "recording",
    recordings: "recording",
    alert_id: "alert",
    alerts: "alert",
    event_id: "event",
    events: "event",
    rule_id: "rule",
    dataset: "dataset",
    datasets: "dataset",
    project: "project",
    projects: "project",
    slices: "slice",
    session_uid: "uploadSession",
    execution: "execution",
    integration_uid: "integration",
    run: "run",
    dataset_item_uid: "item",
    storage_config_uid: "storageConfig",
  };

  test.each(naming)("%s", async (_, endpoint, field, isList) => {
    const kind = kinds[field];
    if (kind === undefined) throw new Error(`the kind of object that ${field} names is not listed`);
    const foreignUid = fixture.foreign[kind];
    const unknownUid = `${foreignUid.slice(0, -12)}0123456789ab`;
    const send = (uid: string) =>
      request(endpoint.method, buildPath(endpoint, fixture.ids), {
        key: fixture.key,
        body: { ...(validBody(endpoint, fixture) as object), [field]: isList ? [uid] : uid },
      });
    await changingNothing(async () => {
      const [foreign, unknown] = [await send(foreignUid), await send(unknownUid)];
      expect([400, 404], JSON.stringify(foreign.body)).toContain(foreign.status);
      expect([foreign.status, JSON.stringify(foreign.body).replaceAll(foreignUid, unknownUid)]).toEqual([
        unknown.status,
        JSON.stringify(unknown.body),
      ]);
    });
  });
});

test("row 54: empty entries of a comma list are dropped", async () => {
  const named = await post<Created>("/fleet/devices/", { name: unique(), tags: ["row-54", "b"] });
  const { body } = await request("GET", "/fleet/devices/?tags=row-54,,b,%20,", { key: fixture.key });
  expect(body.results.map(({ uid }) => uid)).toEqual([named.body.uid]);
});

test("row 43: an event beyond the range of nanoseconds is refused, one at its end is stored", async () => {
  const at = (timestamp: string) =>
    post<Created & { timestamp: string }>("/fleet/events/", {
      ...event,
      recording_id: fixture.ids.recording,
      timestamp,
    });
  await changingNothing(async () => {
    for (const timestamp of ["2262-04-11T23:47:16.854775808Z", "2500-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]) {
      const response = await at(timestamp);
      expect([response.status, response.body], timestamp).toEqual([
        400,
        { timestamp: ["Ensure this time is no later than 2262-04-11."] },
      ]);
    }
  });
  const last = await at("2262-04-11T23:47:16.854775807Z");
  expect([last.status, last.body.timestamp]).toEqual([201, "2262-04-11T23:47:16.854Z"]);
  const read = await request<{ timestamp: string }>("GET", `/fleet/events/${last.body.uid}/`, { key: fixture.key });
  expect(read.body.timestamp).toBe(last.body.timestamp);
});

test("rows 59 and 60: a batch on a foreign, archived or deleted recording creates nothing", async () => {
  const archived = await makeRecording(fixture.org, fixture.ids.device, { status: "archived" });
  const deleted = await makeRecording(fixture.org, fixture.ids.device);
  await request("DELETE", `/fleet/recordings/${deleted.uid}/`, { key: fixture.key });
  const events = Array.from({ length: 1_000 }, () => event);
  await changingNothing(async () => {
    for (const recordingId of [fixture.foreign.recording, archived.uid, deleted.uid]) {
      for (const [path, body] of [
        ["/fleet/events/batch/", { events }],
        ["/fleet/events/", event],
      ] as const) {
        const response = await post(path, { ...body, recording_id: recordingId });
        expect([response.status, response.body]).toEqual([400, { recording_id: [expect.any(String)] }]);
      }
    }
  });
});

describe("rows 70 and 71: a forbidden address", () => {
  const addresses = [
    "http://example.com/",
    "ftp://example.com/",
    "//x",
    "javascript:alert(1)",
    "https://user:word@example.com/",
    "https://example.com/#f",
    "https://example.com:22/",
    `https://example.com/${"a".repeat(2_029)}`,
    "https://example.com/a b",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://①②⑦.⓪.⓪.①/",
    "https://%31%32%37.0.0.1/",
    "https://localhost./",
    "https://169.254.169.254/",
  ];
  const withAddress = withBody.flatMap(([name, endpoint]) =>
    listFields(endpoint.body)
      .filter(({ name: field }) => /^(target_url|callback_url)$/.test(field))
      .map(({ name: field }) => [name, field, endpoint] as const),
  );
  test.each(withAddress)("is refused by %s as its %s", async (_, field, endpoint) => {
    await changingNothing(async () => {
      for (const address of addresses) {
        const body = { ...(validBody(endpoint, fixture) as object), [field]: address };
        const response = await request(endpoint.method, buildPath(endpoint, fixture.ids), { key: fixture.key, body });
        expect([response.status, response.body], address.slice(0, 60)).toEqual([
          400,
          { [field]: [expect.any(String)] },
        ]);
      }
    });
  });
});

test("rows 73 and 74: an organization subscribes an address, in any spelling, and an event only once", async () => {
  const at = unique("at");
  const subscribe = (url: string, key = fixture.key) =>
    post<Fields & { events: string[] }>(
      "/webhooks/",
      { target_url: url, events: ["dataset.created", "dataset.created"] },
      key,
    );
  const first = await subscribe(`https://hooks.example.com/${at}`);
  expect([first.status, first.body.events]).toEqual([201, ["dataset.created"]]);
  await changingNothing(async () => {
    for (const origin of [
      "https://HOOKS.example.com",
      "https://hooks.example.com:443",
      "https://hooks.example.com/.",
      "https://hooks.example.com.",
    ]) {
      const url = `${origin}/${at}`;
      const again = await subscribe(url);
      expect([again.status, again.body], url).toEqual([
        400,
        { target_url: ["A webhook with this target URL already exists."] },
      ]);
    }
  });
  expect((await subscribe(`https://hooks.example.com/${at}`, (await makeOrganization()).key)).status).toBe(201);
});

describe("rows 76 and 77: an agent's action", () => {
  const execution = (status: string) =>
    prisma.agentExecution.create({
      data: {
        uid: uuidv7(),
        organizationId: fixture.org.uid,
        agentId: fixture.ids.agent,
        eventType: "test.ping",
        eventPayload: {},
        status,
        deadline: new Date("2099-01-01"),
      },
    });

  test.each(["completed", "timed_out", "failed"])("on an execution that is %s is refused", async (status) => {
    const { uid } = await execution(status);
    const response = await changingNothing(() => post("/agent-actions/", { execution: uid, action: "approve" }));
    expect([response.status, response.body]).toEqual([400, { execution: [expect.any(String)] }]);
  });

  test("is accepted once among several concurrent ones", async () => {
    const { uid } = await execution("pending");
    const responses = await Promise.all(
      ["approve", "reject", "flag", "skip"].map((action) => post("/agent-actions/", { execution: uid, action })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });
});

test("row 82: a password that is refused is refused before it is hashed", async () => {
  // Argon2id dominates the work, so a refused password, which is not hashed, costs less than an accepted one.
  const times = async (password: string, expected: number) => {
    const started = process.cpuUsage();
    expect((await post("/signup/", { email: `${unique()}@example.com`, password })).status).toBe(expected);
    return process.cpuUsage(started).user;
  };
  await times("a".repeat(10_000), 400);
  const hashed = await times("a".repeat(128), 201);
  const refused = [
    await times("a".repeat(10_000), 400),
    await times("a".repeat(10_000), 400),
    await times("a".repeat(10_000), 400),
  ];
  expect(Math.min(...refused)).toBeLessThan(hashed);
});

describe("row 95: the Model Context Protocol", () => {
  const send = (raw: string, key = fixture.key) => request<{ error?: { code: number } }>("POST", "/mcp/", { key, raw });
  const one = { jsonrpc: "2.0", id: 1, method: "ping" };

  test("responds to an unknown method with the protocol's error", async () => {
    const response = await send(JSON.stringify({ ...one, method: "no/such" }));
    expect([response.status, response.body.error?.code]).toEqual([200, -32_601]);
  });

  test.each([
    [
      "a batch",
      [one, one],
      400,
      { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid Request: send one message at a time." } },
    ],
    [
      "an id of null",
      { ...one, id: null },
      400,
      { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid Request: an id may not be null." } },
    ],
    ["2 MB", { ...one, params: { text: "x".repeat(2_000_000) } }, 413, { detail: expect.any(String) }],
  ])("refuses %s", async (_, document, status, body) => {
    const response = await changingNothing(() => send(JSON.stringify(document)));
    expect([response.status, response.body]).toEqual([status, body]);
  });

  test("refuses a key of a user who is not on the staff", async () => {
    const { key } = await addMember(fixture.org, "owner");
    expect((await send(JSON.stringify(one), key)).status).toBe(403);
  });
});

test("row 15: the last value of a repeated key counts, at any depth", async () => {
  const endpoint = operationNamed("devices.create");
  const raw = `{"name":"${unique()}","metadata":{"a":1,"a":{"b":1,"b":2}}}`;
  const response = await request<{ metadata: unknown }>(endpoint.method, endpoint.path, { key: fixture.key, raw });
  expect([response.status, response.body.metadata]).toEqual([201, { a: { b: 2 } }]);
});

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registry } from "@/server/composition/rest-registry";
import { prisma } from "@/server/platform/db";
import { flushAccesses } from "@/server/platform/observability/access-log";
import { getValue, sharedFixture } from "@/server/testing/bad-input/fixture";
import { buildMinimal, listFields, validBody } from "@/server/testing/bad-input/samples";
import { addMember, makeDevice, makeOrganization, unique } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { callTool, connectModel } from "@/server/testing/model-host";
import { request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { configureWrites } from "@/server/transport/mcp/tools";

/** What the host of a model can do, with the protocol's own client over HTTP. */

const org = await makeOrganization();
const { key: staffKey } = await addMember(org, "admin", { staff: true });

let server: Loopback;
beforeAll(async () => {
  server = await startLoopback();
});
afterAll(() => server.close());

const connect = (key: string, query = "") => connectModel(`${server.url}/api/v1/mcp/${query}`, key);

/** Calls `act` while the operator allows writes. */
async function withWrites(act: () => Promise<void>): Promise<void> {
  const restore = configureWrites(true);
  await act().finally(restore);
}

interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  $defs?: Record<string, unknown>;
  [keyword: string]: unknown;
}

describe("the list of tools", () => {
  test("has every read of the API but those of an editor, and no write", async () => {
    const { tools } = await (await connect(staffKey)).listTools();
    const names = tools.map(({ name }) => name);
    const reads = registry.filter(
      ({ method, access, leased }) => method === "GET" && !leased && !access?.permission.includes("staff"),
    );
    expect(names).toEqual(expect.arrayContaining(reads.map(({ id }) => id.replaceAll(/[.-]/g, "_"))));
    expect(names).toContain("rules_preview");
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  });

  test("describes every argument, and a result for each tool that has one", () =>
    withWrites(async () => {
      const { tools } = await (await connect(staffKey)).listTools();
      const undescribed = tools.flatMap(({ name, inputSchema }) =>
        Object.entries((inputSchema as Schema).properties ?? {}).flatMap(([argument, { description }]) =>
          description ? [] : [`${name}.${argument}`],
        ),
      );
      expect(undescribed).toEqual([]);
      const named = new Map(registry.map((endpoint) => [endpoint.id.replaceAll(/[.-]/g, "_"), endpoint]));
      const withoutOutput = tools
        .filter(({ outputSchema }) => !outputSchema)
        .map(({ name }) => named.get(name))
        .filter((endpoint) => endpoint?.status !== 204 && !endpoint?.alternatives?.includes(204));
      expect(withoutOutput).toEqual([]);
    }));

  test("names the values of enumerations, the types of conditions, and how to go on in a list", async () => {
    const { tools } = await (await connect(staffKey)).listTools();
    const getArguments = (wanted: string) => tools.find(({ name }) => name === wanted)?.inputSchema as Schema;
    expect(getArguments("alerts_list").properties).toMatchObject({
      status: { type: "array", items: { enum: ["open", "acknowledged", "resolved"] } },
      silenced: { type: "boolean" },
      limit: { type: "integer", minimum: 1, maximum: 200, default: 20 },
      cursor: { type: "string", description: expect.stringContaining("`next`") },
    });
    expect(getArguments("recordings_series").required).toEqual(expect.arrayContaining(["uid", "topic", "field"]));
    const preview = getArguments("rules_preview");
    const condition = preview.properties?.condition?.$ref as string;
    expect(JSON.stringify(preview.$defs?.[condition.split("/").at(-1) ?? ""])).toContain('"const":"threshold"');
    const paged = tools.filter(({ inputSchema }) => (inputSchema as Schema).properties?.cursor);
    expect(paged.length).toBeGreaterThan(20);
    for (const { name, outputSchema } of paged) expect(outputSchema?.properties, name).toHaveProperty("next");
  });

  test("names tools, not addresses, in descriptions", () =>
    withWrites(async () => {
      const { tools } = await (await connect(staffKey)).listTools();
      expect(tools.filter(({ description }) => /`\//.test(description ?? "")).map(({ name }) => name)).toEqual([]);
      expect(tools.find(({ name }) => name === "rules_preview")?.description).toContain("`rules_preview_run`");
    }));

  test("says of writes what they do to what exists", () =>
    withWrites(async () => {
      const { tools } = await (await connect(staffKey)).listTools();
      const hints = (wanted: string) => tools.find(({ name }) => name === wanted)?.annotations;
      const write = { readOnlyHint: false, openWorldHint: false };
      expect(hints("devices_create")).toEqual({ ...write, destructiveHint: false, idempotentHint: false });
      expect(hints("devices_update")).toEqual({ ...write, destructiveHint: true, idempotentHint: true });
      expect(hints("devices_delete")).toEqual({ ...write, destructiveHint: true, idempotentHint: true });
      expect(hints("devices_rotate_token")).toEqual({ ...write, destructiveHint: true, idempotentHint: false });
    }));

  test("is small enough to be read before the first question, and can be limited to some areas", async () => {
    const { tools } = await (await connect(staffKey)).listTools();
    const readByModels = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(readByModels).length).toBeLessThan(60_000);
    // With what programs check results by, which grows with the number of tools alone.
    expect(JSON.stringify(tools).length / tools.length).toBeLessThan(1_450);
    const few = await (await connect(staffKey, "?areas=fleet,topics")).listTools();
    expect(few.tools.map(({ name }) => name)).toEqual([
      "fleet_health",
      "fleet_open_alerts",
      "fleet_device_activity",
      "topics_list",
    ]);
    expect((await request("POST", "/mcp/?areas=flet", { key: staffKey, body: ping })).body).toEqual({
      areas: [expect.stringContaining("flet")],
    });
  });
});

/** Eighty calls, one after the other. */
const callAllMs = 90_000;

describe("a tool", () => {
  test(
    "returns its result as text and as data that matches its schema, whichever it is",
    { timeout: callAllMs },
    async () => {
      const fixture = await sharedFixture();
      const client = await connect(fixture.key);
      // The client compares results with the schemas of the list.
      const { tools } = await client.listTools();
      const refused: string[] = [];
      for (const { name } of tools) {
        const endpoint = registry.find(({ id }) => id.replaceAll(/[.-]/g, "_") === name)!;
        const paths = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter);
        const required = listFields(endpoint.query).filter((field) => field.required);
        const { isError, output, data } = await callTool(client, name, {
          ...Object.fromEntries(paths.map((parameter) => [parameter, getValue(endpoint, parameter, fixture.ids)])),
          ...Object.fromEntries(required.map((field) => [field.name, buildMinimal(field.schema, field.name, fixture)])),
          ...(endpoint.body && (validBody(endpoint, fixture) as object)),
        });
        if (isError) refused.push(`${name} ${JSON.stringify(output)}`);
        else expect(data, name).toEqual(output);
      }
      // The fixture's recording has no files or messages, and its rows of a bucket no real one.
      expect(refused.map((line) => line.split(" ")[0])).toEqual([
        "recordings_series",
        "recordings_messages",
        "recordings_cut",
        "moments_preview",
      ]);
    },
  );

  test("reads data of its key's organization, page by page", async () => {
    const client = await connect(staffKey);
    const devices = await Promise.all([1, 2, 3].map(() => makeDevice(org, { name: unique("arm") })));
    const first = await callTool(client, "devices_list", { limit: 2, type: null });
    const second = await callTool(client, "devices_list", { limit: 2, type: null, cursor: first.output.next });
    const seen = [first, second].flatMap(({ output }) => (output.results as { uid: string }[]).map(({ uid }) => uid));
    expect(seen).toEqual(
      devices
        .map(({ uid }) => uid)
        .sort()
        .reverse(),
    );
    expect(second.output.next).toBeNull();
    expect((await callTool(client, "devices_get", { uid: devices[0]?.uid })).output.uid).toBe(devices[0]?.uid);
  });

  test("receives the errors of its input, and no data of another organization", async () => {
    const client = await connect(staffKey);
    const foreign = await makeDevice(await makeOrganization());
    const error = async (name: string, args: Record<string, unknown>) => {
      const { isError, output } = await callTool(client, name, args);
      return isError ? output : "no error";
    };
    expect(await error("devices_get", { uid: foreign.uid })).toEqual({ detail: "Not found." });
    expect(await error("devices_list", { limit: 0 })).toEqual({ limit: [expect.any(String)] });
    expect(await error("devices_get", {})).toEqual({ uid: ["This field is required."] });
    expect(await error("devices_create", { name: "an arm" })).toEqual({ detail: "There is no tool devices_create." });
  });

  test("refuses an argument that it does not have, rather than to answer another question", async () => {
    const { isError, output } = await callTool(await connect(staffKey), "devices_list", { state: "offline" });
    expect([isError, output]).toEqual([
      true,
      { state: [expect.stringMatching(/no such argument\. Arguments: status, /)] },
    ]);
  });

  test("refuses a page that is too large to read, and says how to get less", async () => {
    const place = await makeOrganization();
    const { key } = await addMember(place, "admin", { staff: true });
    const client = await connect(key);
    for (const name of ["a", "b"]) await makeDevice(place, { name, metadata: { text: "x".repeat(40_000) } });
    const { isError, output } = await callTool(client, "devices_list", {});
    expect([isError, output.detail]).toEqual([true, expect.stringMatching(/80\d{3} characters.*`limit`/)]);
    expect((await callTool(client, "devices_list", { limit: 1 })).isError).toBe(false);
  });

  test("counts against the limit of its operation", async () => {
    await withWrites(() =>
      underSettings({ RATE_LIMITS: { inference_minute: 1 } }, async () => {
        // The requests of the other tests count against their own caller.
        const client = await connect((await addMember(org, "admin", { staff: true })).key);
        const invoke = () => callTool(client, "inference_invoke", {});
        expect((await invoke()).output).not.toHaveProperty("detail");
        expect((await invoke()).output.detail).toMatch(/^Request was throttled/);
      }),
    );
  });
});

describe("writes", () => {
  test("are made as the owner of the key if the operator allows it", () =>
    withWrites(async () => {
      const client = await connect(staffKey);
      const name = unique("made by a model");
      const { isError, output } = await callTool(client, "devices_create", { name, tags: ["lab"] });
      expect([isError, output.name]).toEqual([false, name]);
      expect((await request("GET", `/fleet/devices/${String(output.uid)}/`, { key: org.key })).status).toBe(200);
      expect((await callTool(client, "devices_delete", { uid: output.uid })).output).toEqual({ detail: "Done." });
      expect((await request("GET", `/fleet/devices/${String(output.uid)}/`, { key: org.key })).status).toBe(404);
    }));

  test("are offered as far as the caller's role goes, and never to those who can only view", () =>
    withWrites(async () => {
      const member = await addMember(org, "member", { staff: true });
      const viewer = await addMember(org, "member", { staff: true, readOnly: true });
      const list = async (key: string) => (await (await connect(key)).listTools()).tools;
      const names = (await list(member.key)).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["alerts_resolve", "rules_create"]));
      expect(names).not.toContain("devices_create");
      expect((await list(viewer.key)).filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    }));

  test("that a person confirms by typing a password or a name are never offered", () =>
    withWrites(async () => {
      const names = (await (await connect(staffKey)).listTools()).tools.map(({ name }) => name);
      expect(names).toContain("organizations_restore");
      expect(names.filter((name) => /^(account|organizations)_delete$/.test(name))).toEqual([]);
    }));

  test("that a service refuses are in the audit log", () =>
    withWrites(async () => {
      const member = await addMember(org, "member", { staff: true });
      const [rule] = await prisma.rule.findMany({ where: { organizationId: org.uid }, take: 1 });
      const result = await callTool(await connect(member.key), "rules_update", { uid: rule?.uid, enabled: false });
      expect([result.isError, result.output.detail]).toEqual([true, expect.stringContaining("permission")]);
      const refusal = { organizationId: org.uid, action: "access.refused", targetId: "rules.update" };
      await flushAccesses();
      expect(await prisma.auditEntry.findFirst({ where: refusal })).not.toBeNull();
    }));
});

const ping = { jsonrpc: "2.0", id: 7, method: "ping" };

describe("the endpoint", () => {
  test("accepts a key as a bearer token, here alone", async () => {
    const headers = { authorization: `Bearer ${staffKey}` };
    expect((await request("POST", "/mcp/", { headers, body: ping })).body).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {},
    });
    expect((await request("GET", "/fleet/devices/", { headers })).status).toBe(401);
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/api/v1/mcp/`), {
      requestInit: { headers },
    });
    const client = new Client({ name: "a host with bearer tokens", version: "1" });
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(50);
    await client.close();
  });

  test("says how to authenticate, and that a token is invalid", async () => {
    const send = async (headers: Record<string, string>) => {
      const response = await request("POST", "/mcp/", { headers, body: ping });
      return [response.status, response.headers.get("www-authenticate")];
    };
    const key = 'ApiKey header="X-Service-Api-Key"';
    expect(await send({})).toEqual([401, `Bearer realm="Muster", ${key}`]);
    const invalid = `Bearer realm="Muster", error="invalid_token", ${key}`;
    expect(await send({ authorization: "Bearer svk_wrong" })).toEqual([401, invalid]);
    await expect(connect("svk_wrong")).rejects.toThrow("Invalid API key.");
  });

  test("accepts the token of a device as a device, which may not use it", async () => {
    const { device_token } = await makeDevice(org);
    const headers = { authorization: `Bearer ${device_token}` };
    expect((await request("POST", "/mcp/", { headers, body: ping })).status).toBe(403);
  });

  test("who is no member of staff is refused", async () => {
    expect((await request("POST", "/mcp/", { key: org.key, body: ping })).status).toBe(403);
    expect((await request("POST", "/mcp/", { body: ping })).status).toBe(401);
  });

  test("serves a client that accepts only JSON, and responds to a notification with nothing", async () => {
    const headers = { accept: "application/json" };
    const pong = await request("POST", "/mcp/", { key: staffKey, headers, body: ping });
    expect([pong.status, pong.body]).toEqual([200, { jsonrpc: "2.0", id: 7, result: {} }]);
    const body = { jsonrpc: "2.0", method: "notifications/initialized" };
    const notification = await request("POST", "/mcp/", { key: staffKey, headers, body });
    expect([notification.status, notification.body]).toEqual([202, {}]);
  });
});

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { app } from "@/server/composition/rest-app";
import { registry } from "@/server/composition/rest-registry";
import { addMember, makeDevice, makeOrganization, request, unique } from "@/server/testing/factories";
import { configureWrites } from "@/server/transport/mcp/tools";

const org = await makeOrganization();
const { key: staffKey } = await addMember(org, "admin", { staff: true });

/** The SDK's own client, connected to the real app without a socket. */
async function connect(key: string): Promise<Client> {
  const client = new Client({ name: "a model's host", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1:3000/api/v1/mcp/"), {
    fetch: async (url, init) => app.request(String(url), init),
    requestInit: { headers: { "x-service-api-key": key } },
  });
  await client.connect(transport);
  return client;
}
const call = async (client: Client, name: string, args: Record<string, unknown>) => {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [first] = result.content;
  return {
    isError: result.isError ?? false,
    output: JSON.parse(first?.type === "text" ? first.text : "null") as Record<string, unknown>,
  };
};

describe("an MCP client", () => {
  test("lists every read of the API as a tool, and no write", async () => {
    const { tools } = await (await connect(staffKey)).listTools();
    const names = tools.map(({ name }) => name);
    const reads = registry.filter(({ method, access }) => method === "GET" && !access?.permission.includes("staff"));
    expect(names).toEqual(expect.arrayContaining(reads.map(({ id }) => id.replaceAll(/[.-]/g, "_"))));
    expect(names).toContain("rules_preview");
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    const series = tools.find(({ name }) => name === "recordings_series");
    expect(series?.inputSchema.required).toEqual(expect.arrayContaining(["uid", "topic", "field"]));
    const preview = tools.find(({ name }) => name === "rules_preview")?.inputSchema as Record<string, unknown>;
    const { $ref } = (preview.properties as Record<string, { $ref: string }>).condition ?? {};
    expect(preview.$defs).toHaveProperty([String($ref).split("/").at(-1) ?? ""]);
  });

  test("reads data of its key's organization, page by page", async () => {
    const client = await connect(staffKey);
    const devices = await Promise.all([1, 2, 3].map(() => makeDevice(org, { name: unique("arm") })));
    const first = await call(client, "devices_list", { limit: 2 });
    const second = await call(client, "devices_list", { limit: 2, cursor: first.output.next });
    const seen = [first, second].flatMap(({ output }) => (output.results as { uid: string }[]).map(({ uid }) => uid));
    expect(seen).toEqual(
      devices
        .map(({ uid }) => uid)
        .sort()
        .reverse(),
    );
    expect((await call(client, "devices_get", { uid: devices[0]?.uid })).output.uid).toBe(devices[0]?.uid);
  });

  test("receives the errors of its input, and no data of another organization", async () => {
    const client = await connect(staffKey);
    const foreign = await makeDevice(await makeOrganization());
    expect(await call(client, "devices_get", { uid: foreign.uid })).toEqual({
      isError: true,
      output: { detail: "Not found." },
    });
    expect(await call(client, "devices_list", { limit: 0 })).toMatchObject({
      isError: true,
      output: { limit: [expect.any(String)] },
    });
    expect(await call(client, "devices_get", {})).toEqual({
      isError: true,
      output: { uid: ["This field is required."] },
    });
    expect(await call(client, "devices_create", { name: "an arm" })).toMatchObject({ isError: true });
  });

  test("writes as the owner of its key if the operator allows it", async () => {
    const restore = configureWrites(true);
    try {
      const client = await connect(staffKey);
      const name = unique("made by a model");
      const { isError, output } = await call(client, "devices_create", { name, tags: ["lab"] });
      expect([isError, output.name]).toEqual([false, name]);
      expect((await request("GET", `/fleet/devices/${String(output.uid)}/`, { key: org.key })).status).toBe(200);
      expect((await call(client, "devices_delete", { uid: output.uid })).isError).toBe(false);
      expect((await request("GET", `/fleet/devices/${String(output.uid)}/`, { key: org.key })).status).toBe(404);
    } finally {
      restore();
    }
  });
});

test("who is no member of staff is refused", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await request("POST", "/mcp/", { key: org.key, body })).status).toBe(403);
  expect((await request("POST", "/mcp/", { body })).status).toBe(401);
});

test("a client that accepts only JSON is served, and the response to a notification is empty", async () => {
  const headers = { accept: "application/json" };
  const ping = await request<{ id: number }>("POST", "/mcp/", {
    key: staffKey,
    headers,
    body: { jsonrpc: "2.0", id: 7, method: "ping" },
  });
  expect([ping.status, ping.body]).toEqual([200, { jsonrpc: "2.0", id: 7, result: {} }]);
  const notification = await request("POST", "/mcp/", {
    key: staffKey,
    headers,
    body: { jsonrpc: "2.0", method: "notifications/initialized" },
  });
  expect([notification.status, notification.body]).toEqual([202, {}]);
});

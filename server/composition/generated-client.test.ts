import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { ts as typescript5 } from "@ts-morph/common";
import { build } from "esbuild";
import createClient from "openapi-fetch";
import type * as openapiTypescript from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeApi } from "@/server/composition/openapi";
import { testFolder } from "@/server/testing/database";
import { makeOrganization } from "@/server/testing/factories";
import { startLoopback } from "@/server/testing/loopback";

/** What an integrator does: generate types from the document, write a client with them, compile it and run it. */

type Generator = Pick<typeof openapiTypescript, "astToString" | "default">;
const run = promisify(execFile);

/** Twelve calls; each `expect-error` line has to be an error, or compiling fails. */
const program = `
import type createClient from "openapi-fetch";
import type { components, paths } from "./muster.js";

const condition: components["schemas"]["Condition"] = {
  type: "composite",
  operator: "and",
  conditions: [
    { type: "threshold", topic: "/motor/state", field: "temperature", operator: ">", value: 80, window: "10s" },
    { type: "absence", topic: "/cooling/state", timeout: "5s" },
  ],
};

export async function callApi(create: typeof createClient, baseUrl: string, key: string) {
  const client = create<paths>({
    baseUrl,
    headers: { "X-Service-Api-Key": key },
    querySerializer: { array: { style: "form", explode: false } },
  });
  const statuses: number[] = [];
  async function call<T>(request: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
    const { data, error, response } = await request;
    statuses.push(response.status);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return data as T;
  }

  const device = await call(client.POST("/api/v1/fleet/devices/", { body: { name: "Picker 7", tags: ["hall-2"] } }));
  await call(client.POST("/api/v1/fleet/devices/{uid}/heartbeat/", {
    params: { path: { uid: device.uid } },
    body: { status: "online", firmware_version: "2.4.1" },
  }));
  const devices = await call(client.GET("/api/v1/fleet/devices/", {
    params: { query: { status: ["online", "maintenance"], tags: ["hall-2"], limit: 10 } },
  }));
  const recording = await call(client.POST("/api/v1/fleet/recordings/", { body: { device_id: device.uid } }));
  const batch = await call(client.POST("/api/v1/fleet/events/batch/", {
    body: {
      recording_id: recording.uid,
      events: [{ type: "anomaly", label: "gripper slipped", timestamp: "2026-01-31T12:00:00Z" }],
    },
  }));
  const channel = await call(client.POST("/api/v1/fleet/alerts/channels/", {
    body: { name: "Shift", type: "email", config: { recipients: ["anna@example.com"] } },
  }));
  const rule = await call(client.POST("/api/v1/fleet/rules/", {
    body: { name: "Hot", condition, actions: [{ type: "notify", channel_id: channel.uid, severity: "error" }] },
  }));
  const enabled = await call(client.GET("/api/v1/fleet/rules/", { params: { query: { enabled: true } } }));
  const alerts = await call(client.GET("/api/v1/fleet/alerts/", {
    params: { query: { status: ["open"], severity: ["error", "critical"], silenced: false } },
  }));
  const dataset = await call(client.POST("/api/v1/datasets/", {
    body: { name: "Grips", data_type: "image", is_sequence: false, visibility: "private", access: "organization" },
  }));
  const name = await call(client.POST("/api/v1/slice/validate/name", { body: { name: "Night grips" } }));
  const refused = await client.GET("/api/v1/fleet/devices/{uid}/", {
    params: { path: { uid: "dev_0199c0de-7a11-7000-8000-000000000001" } },
  });
  statuses.push(refused.response.status);
  const reason: string | undefined = refused.error?.detail;
  const seen: string | null = devices.results[0]?.last_seen_at ?? null;
  const first = rule.condition;
  const parts = first.type === "composite" ? first.conditions.length : 0;
  return {
    statuses,
    devices: devices.results.map(({ name }) => name),
    seen,
    events: batch.length,
    parts,
    rules: enabled.results.map(({ name }) => name),
    alerts: alerts.results.length,
    slug: dataset.slug,
    valid: name.valid,
    reason,
  };
}

export async function mistakes(create: typeof createClient) {
  const client = create<paths>({ baseUrl: "" });
  // @ts-expect-error a body is required
  await client.POST("/api/v1/fleet/devices/");
  // @ts-expect-error a condition is not a number
  await client.POST("/api/v1/fleet/rules/", { body: { name: "x", condition: 42, actions: [{ type: "flag_for_review" }] } });
  // @ts-expect-error no such status
  await client.GET("/api/v1/fleet/alerts/", { params: { query: { status: ["opne"] } } });
  // @ts-expect-error a boolean, not a text
  await client.GET("/api/v1/fleet/rules/", { params: { query: { enabled: "1" } } });
  // @ts-expect-error a Slack channel has no recipients
  await client.POST("/api/v1/fleet/alerts/channels/", { body: { name: "x", type: "slack", config: { recipients: [] } } });
}
`;

const folder = fs.mkdtempSync(path.join(testFolder, "client-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => path.join(folder, name);

/** Generates the types as openapi-typescript does; it needs TypeScript 5, which @ts-morph/common contains. */
async function generateTypes(): Promise<string> {
  expect(typescript5.versionMajorMinor).toMatch(/^5\./);
  fs.writeFileSync(at("typescript.mjs"), `export { ts as default } from "@ts-morph/common";\n`);
  await build({
    entryPoints: [path.resolve("node_modules/openapi-typescript/dist/index.mjs")],
    outfile: at("generator.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    alias: { typescript: at("typescript.mjs") },
    external: ["@ts-morph/common"],
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
    logLevel: "error",
  });
  const generator = (await import(at("generator.mjs"))) as Generator;
  return generator.astToString(await generator.default(JSON.stringify(describeApi("http://127.0.0.1"))));
}

beforeAll(async () => {
  fs.writeFileSync(at("muster.d.ts"), await generateTypes());
  fs.writeFileSync(at("program.ts"), program);
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2022", types: ["node"] };
  fs.writeFileSync(at("tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  await build({ entryPoints: [at("program.ts")], outfile: at("program.mjs"), format: "esm", logLevel: "error" });
}, 60_000);

test("the types generated from the document compile with a client that uses them, and refuse its mistakes", async () => {
  const compiler = path.resolve("node_modules/.bin/tsc");
  const { stdout } = await run(compiler, ["-p", folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
}, 60_000);

test("a generated client makes twelve calls", async () => {
  const { key } = await makeOrganization();
  const { url, close } = await startLoopback();
  const { callApi } = (await import(at("program.mjs"))) as {
    callApi: (create: typeof createClient, baseUrl: string, key: string) => Promise<unknown>;
  };
  expect(await callApi(createClient, url, key)).toEqual({
    statuses: [201, 200, 200, 201, 201, 201, 201, 200, 200, 201, 200, 404],
    devices: ["Picker 7"],
    seen: expect.stringMatching(/Z$/),
    events: 1,
    parts: 2,
    rules: ["Hot", "Device offline"],
    alerts: 0,
    slug: "grips",
    valid: true,
    reason: "Not found.",
  });
  await close();
});

import { spawn } from "node:child_process";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "@playwright/test";

/** Runs the code blocks of the curl tours as printed, with only the addresses replaced. */

const root = path.dirname(import.meta.dirname);
const listBlocks = (document: string) =>
  [...fs.readFileSync(path.join(root, document), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, block]) => block ?? "",
  );
const blocks = listBlocks("docs/quick-start.md");
const dataLoop = listBlocks("docs/data-loop.md");

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a script in `folder`; resolves to what it printed. `-eu`: the first command that fails ends it. */
function runScript(
  script: string,
  folder: string,
  environment: Record<string, string> = {},
): Promise<{ code: number | null; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-eu"], {
      cwd: folder,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.stderr.on("data", (chunk) => (errors += String(chunk)));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, errors }));
    child.stdin.end(script);
  });
}

test("the quick start by curl works as it is printed", async ({ request, baseURL }, info) => {
  const folder = info.outputPath("checkout");
  fs.mkdirSync(folder, { recursive: true });
  fs.symlinkSync(path.join(root, "scripts"), path.join(folder, "scripts"));
  expect(blocks.length).toBeGreaterThanOrEqual(12);

  const port = await freePort();
  const script = blocks
    .join("\n")
    .replaceAll("http://127.0.0.1:3000", baseURL ?? "")
    .replaceAll("4000", String(port));
  const { code, output, errors } = await runScript(
    `${script}\necho "left: $KEY $DEVICE $RECORDING $RULE $ALERT"\n`,
    folder,
  );
  expect(code, `${errors}\n${output}`).toBe(0);

  const [key = "", device, recording, rule, alert] = /^left: (.*)$/m.exec(output)?.[1]?.split(" ") ?? [];
  const read = async (at: string) => {
    const response = await request.get(`/api/v1${at}`, { headers: { "X-Service-Api-Key": key } });
    expect(response.status()).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  };
  expect(await read(`/fleet/devices/${device}/`)).toMatchObject({ status: "online", firmware_version: "5.14.2" });
  expect(await read(`/fleet/recordings/${recording}/`)).toMatchObject({
    status: "ready",
    topic_count: 5,
    warnings: [],
  });
  expect(output).toContain("/motor/state");
  const found = await read(`/fleet/alerts/${alert}/`);
  expect(found).toMatchObject({
    rule_id: rule,
    device_id: device,
    recording_id: recording,
    severity: "critical",
    status: "resolved",
    note: "Fan replaced.",
    resolution_reason: "fixed",
    acknowledged_by: "you",
    occurrence_count: 1,
  });
  expect(found.evidence).toMatchObject({ rule_version: 1 });
  expect(JSON.stringify(found.evidence)).toContain("/motor/state");

  const received = fs.readFileSync(path.join(folder, "webhooks.log"), "utf8").trim().split("\n");
  expect(
    received.map((line) => /^POST \/muster (\S+) \[critical\] (\S+) .* · signature valid$/.exec(line)?.slice(1)),
  ).toEqual([
    ["alert.triggered", alert],
    ["alert.acknowledged", alert],
    ["alert.resolved", alert],
  ]);
});

test("the tour of the data loop works as it is printed", async ({ baseURL }, info) => {
  const folder = info.outputPath("tour");
  fs.mkdirSync(folder, { recursive: true });
  expect(dataLoop.length).toBeGreaterThanOrEqual(8);
  fs.symlinkSync(path.join(root, "scripts"), path.join(folder, "scripts"));
  // The tour uses the shell functions and the key of the quick start.
  const exchanged = {
    "http://127.0.0.1:3000": baseURL ?? "",
    "you@example.com": "tour@example.com",
    "4001": String(await freePort()),
  };
  let script = [...blocks.slice(0, 2), ...dataLoop].join("\n");
  for (const [printed, actual] of Object.entries(exchanged)) script = script.replaceAll(printed, actual);
  const { code, output, errors } = await runScript(script, folder, { DATA_DIR: process.env.E2E_DATA_DIR ?? "" });
  expect(code, `${errors}\n${output}`).toBe(0);
  const exported = JSON.parse(fs.readFileSync(path.join(folder, "crossings.json"), "utf8")) as Record<
    string,
    { items?: unknown[] }[]
  >;
  expect(exported.datasets?.[0]?.items).toHaveLength(2);
  expect(exported.results).toMatchObject([{ annotations: [{ label: "robot", type: "bbox" }] }]);
  expect(fs.readFileSync(path.join(folder, "crossings.zip")).subarray(0, 2).toString()).toBe("PK");
  expect(output).toContain('"status":"accepted"');
  const received = fs.readFileSync(path.join(folder, "loop.log"), "utf8").trim().split("\n");
  expect(received.map((line) => /^POST \/loop (\S+) · signature valid$/.exec(line)?.[1]).sort()).toEqual([
    "export.completed",
    "export.completed",
    "result.accepted",
    "result.submitted",
  ]);
  expect(output).toContain('"name":"Yard crossings"');
  // The model finds only the robot in each of the two pictures.
  expect(output.match(/"object":"object"/g)).toHaveLength(2);
});

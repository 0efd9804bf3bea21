import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http, { type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RegisteredDevice } from "@/server/features/devices/resource";
import { prisma } from "@/server/platform/db";
import { compose } from "@/server/testing/composition";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { readPoints, readStates } from "@/server/testing/metric-rows";
import { createWebServer } from "@/server/transport/http/http-server";

/** The script for robots that `docs/health.md` offers, where there is a Python. */

const script = path.resolve("public/samples/heartbeats.py");
const hasPython = spawnSync("python3", ["--version"]).status === 0;

let server: Server;
let origin: string;
let org: TestOrganization;
let folder: string;
beforeAll(async () => {
  ({ server } = createWebServer(await compose("rest-app"), async (_request, response) => void response.end()));
  await listenOnLoopback(server);
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  org = await makeOrganization();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "heartbeats-"));
});
afterAll(() => {
  server.close();
  fs.rmSync(folder, { recursive: true });
});

/** Sends one heartbeat from `folder`. Resolves to the exit code and what was said. */
async function beatOnce(device: RegisteredDevice, url: string, ...options: string[]): Promise<[unknown, string]> {
  const child = spawn("python3", [script, "--once", ...options], {
    cwd: folder,
    env: { ...process.env, MUSTER_URL: url, MUSTER_DEVICE_TOKEN: device.device_token },
  });
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const [code] = (await once(child, "close")) as unknown[];
  return [code, said];
}

/** Refuses every connection. */
const nowhere = "http://127.0.0.1:9";
const spool = () => fs.readFileSync(path.join(folder, "heartbeats.spool"), "utf8").trim().split("\n");
const isGone = () => !fs.existsSync(path.join(folder, "heartbeats.spool"));

test.runIf(hasPython)(
  "sends what the machine, files and commands say, and leaves out what cannot be read",
  async () => {
    const device = await makeDevice(org);
    fs.writeFileSync(path.join(folder, "battery"), "0.83\n");
    const [code, said] = await beatOnce(
      device,
      origin,
      ...["--file", "battery=battery", "--file", "lamp=no-such-file", "--firmware", "4.2"],
      ...["--command", "mode=echo auto", "--command", "charging=echo False", "--command", "broken=exit 3"],
    );
    expect([code, said.split("\n").filter(Boolean).length]).toEqual([0, 2]);
    expect(said).toMatch(/lamp is left out.*\n.*broken is left out/);
    const [point] = await readPoints(device.uid);
    expect(point?.[1]).toMatchObject({
      battery: 0.83,
      memory_used_percent: expect.any(Number),
      disk_free_gb: expect.any(Number),
      uptime_s: expect.any(Number),
    });
    const states = await readStates(device.uid);
    expect(states.map(([, name, value]) => [name, value])).toEqual(
      expect.arrayContaining([
        ["mode", "auto"],
        ["charging", false],
      ]),
    );
    const row = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
    expect([row.status, row.firmwareVersion]).toEqual(["online", "4.2"]);
  },
);

test.runIf(hasPython)("keeps what it cannot send, over its own end, and sends it in order of time later", async () => {
  const device = await makeDevice(org);
  for (const level of ["0.9", "0.8"]) {
    fs.writeFileSync(path.join(folder, "battery"), level);
    const [code, said] = await beatOnce(device, nowhere, "--file", "battery=battery");
    expect([code, said]).toEqual([0, expect.stringContaining("kept until there is a connection")]);
  }
  expect(spool()).toHaveLength(2);
  // One was cut when the power was lost, one has the time of a wrong clock: neither costs the others.
  const wrong = JSON.stringify({ timestamp: "2031-01-01T00:00:00.000Z", metrics: { battery: 5 } });
  fs.appendFileSync(path.join(folder, "heartbeats.spool"), `${wrong}\n{"timestamp": "2026-`);
  fs.writeFileSync(path.join(folder, "battery"), "0.7");
  const [code, said] = await beatOnce(device, origin, "--file", "battery=battery");
  expect([code, isGone()]).toEqual([0, true]);
  expect(said).toContain("the heartbeat of 2031-01-01T00:00:00.000Z is dropped");
  const points = await readPoints(device.uid);
  expect(points.map(([, { battery }]) => battery)).toEqual([0.9, 0.8, 0.7]);
});

test.runIf(hasPython)("goes on where it can neither send nor keep a heartbeat, and says that it is lost", async () => {
  const device = await makeDevice(org);
  const [code, said] = await beatOnce(device, nowhere, "--spool", "no-such-folder/heartbeats.spool");
  expect([code, said]).toEqual([0, expect.stringContaining("a heartbeat is lost")]);
});

test.runIf(hasPython).each([
  ["no HTTP", "220 mail.example.com\r\n"],
  ["cut short", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"],
  ["an error that is cut short", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 500\r\n\r\nBad"],
  ["not Muster's", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
])("keeps a heartbeat where the response is %s", async (_, response) => {
  const device = await makeDevice(org);
  const broken = net.createServer(
    (socket) => void socket.on("error", () => {}).once("data", () => socket.end(response)),
  );
  await once(broken.listen(0, "127.0.0.1"), "listening");
  try {
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const [code, said] = await beatOnce(device, url);
    expect([code, said]).toEqual([0, expect.stringContaining("kept until there is a connection")]);
    expect(spool()).toHaveLength(1);
  } finally {
    broken.close();
    fs.rmSync(path.join(folder, "heartbeats.spool"), { force: true });
  }
});

test.runIf(hasPython)("says what Muster does not keep, and ends when its token is refused", async () => {
  const device = await makeDevice(org);
  const [, said] = await beatOnce(device, origin, "--command", "a name=echo 3");
  expect(said).toContain("a name is not kept: A name has");
  const [code, refused] = await beatOnce({ ...device, device_token: "svd_nonsense" }, origin);
  expect([code, refused]).toEqual([1, expect.stringContaining("does not accept this device's token")]);
  expect(isGone()).toBe(true);
});

test.runIf(hasPython)(
  "does not ask a busy server again before the time it named, and goes on with its heartbeats",
  async () => {
    const device = await makeDevice(org);
    await beatOnce(device, nowhere);
    const asked = { single: 0, batch: 0 };
    const busy = http.createServer((request, response) => {
      const isBatch = request.url?.endsWith("/batch/") === true;
      asked[isBatch ? "batch" : "single"]++;
      const body = isBatch ? { detail: "The service is not ready." } : { ignored: [] };
      request.resume().once("end", () => {
        response.writeHead(isBatch ? 503 : 200, isBatch ? { "retry-after": "500" } : {}).end(JSON.stringify(body));
      });
    });
    await listenOnLoopback(busy);
    const child = spawn("python3", [script, "--every", "0.01"], {
      cwd: folder,
      env: {
        ...process.env,
        MUSTER_URL: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`,
        MUSTER_DEVICE_TOKEN: device.device_token,
      },
    });
    try {
      await expect.poll(() => asked.single).toBeGreaterThan(5);
      expect([asked.batch, spool().length]).toEqual([1, 1]);
    } finally {
      child.kill();
      await once(child, "close");
      busy.close();
      fs.rmSync(path.join(folder, "heartbeats.spool"));
    }
  },
);

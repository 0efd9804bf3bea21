import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { highLimits, startProduct, until, type Product } from "@/bench/product";
import { runUpload } from "@/cli/upload-run";
import { startBucket } from "@/faults/bucket";
import { makeFleet, type Fleet } from "@/faults/fleet";
import type { Ledger } from "@/faults/load";
import { startProcess, type RunningProcess } from "@/faults/processes";
import { quiet } from "@/faults/quiet";
import { startAlertReceiver } from "@/faults/receiver";
import { makeRecordings, type MadeRecording } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { signIn } from "@/faults/sign-in";
import { makeLongRecording } from "@/faults/takeover";
import { promise, verdict } from "@/faults/verdict";
import { verify } from "@/faults/verify";
import { int4, queryRows } from "@/server/platform/rows";

const recordings = 60;
const lanes = 4;
const deviceLimit = 40;
const measured = 8;

/** Passes each request to the next process that accepts it, as a load balancer does. Resolves to its address. */
async function startBalancer(targets: readonly RunningProcess[]): Promise<{ url: string; close: () => Promise<void> }> {
  let next = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const first = next++;
      const pass = (attempt: number) => {
        const { url } = targets[(first + attempt) % targets.length]!;
        const { method, headers } = request;
        const onward = http.request(`${url}${request.url}`, { method, headers, agent: false });
        onward.on("response", (reply) => {
          response.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(response);
          reply.on("error", () => response.destroy());
        });
        onward.on("error", (error: NodeJS.ErrnoException) => {
          if (response.headersSent) response.destroy();
          else if (error.code === "ECONNREFUSED" && attempt + 1 < targets.length) pass(attempt + 1);
          else response.writeHead(502).end();
        });
        onward.end(body);
      };
      pass(0);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Two web and three worker processes that share PostgreSQL and a bucket; one of each is killed. */
export async function proveHosts(run: FaultRun): Promise<void> {
  const bucket = await startBucket().catch((error: unknown) => String(error));
  if (typeof bucket === "string") return promise("several hosts on a bucket", [`this part was not run: ${bucket}`]);
  const secret = { AUTH_SECRET: randomBytes(24).toString("hex") };
  const settings = { ...bucket.environment, ...secret };
  const running: RunningProcess[] = [];
  const failedBefore = verdict().failed;
  const log = path.join(run.folder, "hosts.log");
  // Has the database and one of the workers; its own web process gets no requests.
  const product = await startProduct(settings);
  try {
    const cookie = await signIn(product);
    const start = async (role: "web" | "worker", more: Record<string, string> = {}) => {
      const own = fs.mkdtempSync(path.join(run.folder, `${role}-`));
      const limits = {
        RATE_LIMITS: JSON.stringify({ ...(JSON.parse(highLimits) as object), device_minute: deviceLimit }),
      };
      const environment = { ...settings, ...limits, ...more, DATABASE_URL: product.databaseUrl, DATA_DIR: own };
      const started = await startProcess(role, environment, log);
      running.push(started);
      return started;
    };
    await proveProcesses(run, product, cookie, start);
  } finally {
    if (verdict().failed > failedBefore && fs.existsSync(log))
      fs.copyFileSync(log, path.join(os.tmpdir(), "muster-faults-hosts.log"));
    await Promise.all(running.map((each) => each.end("SIGTERM")));
    await product.stop();
    await bucket.close();
  }
}

type Start = (role: "web" | "worker") => Promise<RunningProcess>;

async function proveProcesses(run: FaultRun, given: Product, cookie: string, start: Start): Promise<void> {
  const { folder, at } = run;
  const isIdle = os.loadavg()[0]! < 1;
  const webs = await Promise.all([start("web"), start("web")]);
  const balancer = await startBalancer(webs);
  const receiver = await startAlertReceiver();
  const call: Product["call"] = async <T>(method: string, where: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${balancer.url}/api/v1${where}`, {
      method,
      headers: { "content-type": "application/json", "x-service-api-key": given.key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${where} responded ${response.status}: ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  const product: Product = { ...given, url: balancer.url, call };
  try {
    const fleet = await makeFleet(product, receiver.url, 4);
    const ledger = emptyLedger();
    const long = await makeLongRecording(folder, 30);
    const single = await uploadAll(product, fleet, [long], measured, ledger, "single");
    // The product's own worker is the only one so far.
    const alone = await untilReady(product, single);
    const workers = await Promise.all([start("worker"), start("worker")]);
    const together = await untilReady(product, await uploadAll(product, fleet, [long], measured, ledger, "together"));
    const ratio = alone / together;
    const asserted = isIdle && os.cpus().length >= 2;
    promise(
      `${measured} recordings took one worker ${alone.toFixed(1)} s, and three ${together.toFixed(1)} s: ${ratio.toFixed(2)} times as fast` +
        (asserted ? "" : " (not asserted: the machine did other things)"),
      asserted && ratio < 1.3 ? ["less than 1.3 times"] : [],
    );

    await proveChange(webs, { cookie, key: given.key }, fleet.devices[0]!.uid);
    await proveLimit(webs, fleet.devices[0]!.token);

    const made = await makeRecordings(folder, 12);
    const uploading = uploadMade(product, fleet, made, ledger);
    await until("half of the uploads", 240, () => Promise.resolve(ledger.uploaded.size >= recordings / 2));
    await Promise.all([workers[0]!.end("SIGKILL"), webs[0]!.end("SIGKILL")]);
    console.log(`${at()}  one web and one worker process were killed`);
    await uploading;
    promise("no upload was given up", ledger.complaints);
    promise("all jobs, recordings and messages are finished", await quiet(product, 300));
    await verify({ product, fleet, ledger, receiver, cuts: 1, cutOff: 0 });
    await proveExport(product, [...ledger.uploaded.keys()][0]!);
  } finally {
    await balancer.close();
    await receiver.close();
  }
}

const emptyLedger = (): Ledger => ({
  uploaded: new Map(),
  created: new Set(),
  acknowledged: new Map(),
  unknown: new Map(),
  caused: { certain: new Set(), possible: new Set() },
  complaints: [],
});

const silent = { line: () => {}, begin: () => {}, progress: () => {}, end: () => {} };

/** Uploads a file by the command line's code. Resolves to the recording. */
async function uploadOne(product: Product, fleet: Fleet, n: number, location: string, state: string): Promise<string> {
  const plan = {
    origin: product.url,
    credential: fleet.key,
    device: fleet.devices[n % fleet.devices.length]!.uid,
    files: [{ location, path: path.basename(location), size: fs.statSync(location).size }],
    name: undefined,
    tags: [],
    wait: false,
    stateFolder: path.join(product.dataDir, "uploaders", state),
    backoffMs: 300,
  };
  return (await runUpload(plan, silent)).recording;
}

async function uploadAll(
  product: Product,
  fleet: Fleet,
  places: readonly string[],
  count: number,
  ledger: Ledger,
  name: string,
): Promise<string[]> {
  const uids: string[] = [];
  for (let n = 0; n < count; n++)
    uids.push(await uploadOne(product, fleet, n, places[n % places.length]!, `${name}-${n}`));
  if (ledger.complaints.length > 0) throw new Error(ledger.complaints.join());
  return uids;
}

/** Seconds until all are ready, from their second processing: uploading is not measured. */
async function untilReady({ call, database }: Product, uids: readonly string[]): Promise<number> {
  // Not by requests, which would take the time of the processes that are measured.
  const allReady = () =>
    until("the processing", 300, async () => {
      const statement = "select count(*)::int as count from recordings where uid = any($1) and status = 'ready'";
      const [row] = await queryRows(database, { count: int4 }, statement, [uids]);
      return row?.count === uids.length;
    });
  await allReady();
  const began = performance.now();
  await Promise.all(uids.map((uid) => call("POST", `/fleet/recordings/${uid}/reprocess/`)));
  await allReady();
  return (performance.now() - began) / 1_000;
}

async function uploadMade(product: Product, fleet: Fleet, made: MadeRecording[], ledger: Ledger): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < recordings; n = next++) {
      const each = made[n % made.length]!;
      for (let left = 4; left > 0; left--) {
        try {
          const uid = await uploadOne(product, fleet, n, each.file.location, `made-${n}`);
          ledger.uploaded.set(uid, { made: each, device: fleet.devices[n % fleet.devices.length]!.uid });
          break;
        } catch (error) {
          if (left === 1) ledger.complaints.push(`an upload was given up: ${String(error)}`);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** A change made through one process reaches a stream of the other. */
async function proveChange(
  webs: readonly RunningProcess[],
  { cookie, key }: { cookie: string; key: string },
  device: string,
): Promise<void> {
  const ended = new AbortController();
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const stream = await fetch(`${webs[1]!.url}/api/changes`, { headers, signal: ended.signal });
  let received = "";
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) received += Buffer.from(chunk).toString();
  })().catch(() => {});
  const began = performance.now();
  const response = await fetch(`${webs[0]!.url}/api/v1/fleet/devices/${device}/`, {
    method: "PATCH",
    headers: { "x-service-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ name: "renamed" }),
  });
  await until("the change", 30, () => Promise.resolve(received.includes(device))).catch(() => {});
  promise(
    `a change through one web process reaches a stream of the other, after ${(performance.now() - began).toFixed(0)} ms`,
    received.includes(device) ? [] : [`${stream.status}, ${response.status}: ${received.slice(0, 200)}`],
  );
  ended.abort();
  await reading;
}

/** A device's limit is counted over both processes. */
async function proveLimit(webs: readonly RunningProcess[], token: string): Promise<void> {
  const statuses: number[] = [];
  for (let n = 0; n < deviceLimit + 20; n++) {
    const response = await fetch(`${webs[n % 2]!.url}/api/v1/fleet/devices/me/heartbeat/`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-device-token": token },
      body: "{}",
    });
    await response.body?.cancel();
    statuses.push(response.status);
  }
  const passed = statuses.filter((status) => status === 200).length;
  promise(
    `two web processes let ${passed} of ${statuses.length} heartbeats pass, the limit is ${deviceLimit} a minute`,
    passed <= deviceLimit && statuses.includes(429) ? [] : [statuses.join()],
  );
}

/** Exports a dataset whose only item is a recording. */
async function proveExport({ call }: Product, recording: string): Promise<void> {
  interface Made {
    uid: string;
    owner_name: string;
    slug: string;
  }
  const at = `/fleet/recordings/${recording}/to-dataset/`;
  const { dataset } = await call<{ dataset: Made }>("POST", at, { name: "exported" });
  const items = `/datasets/${dataset.owner_name}/${dataset.slug}/items/`;
  const list = () => call<{ results: { status: string }[] }>("GET", items);
  await until("the item", 120, async () => (await list()).results[0]?.status === "unattempted").catch(() => {});
  const body = { name: "all", format: "avala-json-external", datasets: [dataset.uid], projects: [], slices: [] };
  const { uid } = await call<{ uid: string }>("POST", "/exports/", body);
  const read = () => call<{ status: string; download_url: string | null }>("GET", `/exports/${uid}/`);
  await until("the export", 120, async () => (await read()).status === "exported").catch(() => {});
  const { status, download_url: link } = await read();
  const response = link === null ? null : await fetch(link);
  promise(
    "an export is made and can be fetched from the bucket",
    status === "exported" && response?.status === 200 ? [] : [`${status}, ${response?.status}`],
  );
}

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { locateCluster } from "@/server/platform/database/cluster";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { findServer } from "@/server/platform/database/server-process";
import { logFor } from "@/server/platform/log";
import { queryRows, text } from "@/server/platform/rows";
import { checkRows } from "@/server/testing/rows/row-check";

/** The built product, started as by `npm start`, with its own folder and port. */
export interface Product {
  url: string;
  databaseUrl: string;
  dataDir: string;
  key: string;
  organizationId: string;
  database: pg.Pool;
  /** The log file of all processes. */
  log: string;
  /** Process ids of the supervisor, its web and worker process and the database's server; null while one is not up. */
  pids: () => Record<"supervisor" | "web" | "worker" | "database", number | null>;
  /** Starts one more worker on the same database and files; `environment` is added to the product's. */
  addWorker: (environment?: Record<string, string>) => ChildProcess;
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  /** Stops its processes; what it stored stays. */
  halt: () => Promise<void>;
  /** Stops it and removes what it stored. */
  stop: () => Promise<void>;
}

/** Who has signed up and owns the organization. */
export const person = { email: "bench@example.com", password: "a long enough password" };

const root = path.resolve(import.meta.dirname, "..");
const plenty = 1_000_000_000;
/** Rate limits are enforced, but too high to be reached. */
export const highLimits = JSON.stringify({
  user_minute: plenty,
  user_second: plenty,
  anonymous_minute: plenty,
  signup_minute: plenty,
  device_minute: plenty,
  device_second: plenty,
  page_minute: plenty,
  page_second: plenty,
  concurrent_streams: plenty,
});

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function until(label: string, seconds: number, check: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
    if (await check().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${label} did not happen within ${seconds} s`);
}

/** The child processes of a process, read from /proc. */
export function listChildren(pid: number): { pid: number; command: string }[] {
  return fs.readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const stat = fs.readFileSync(`/proc/${entry}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      if (parent !== pid) return [];
      return [{ pid: Number(entry), command: fs.readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ") }];
    } catch {
      return [];
    }
  });
}

/**
 * Starts the product and resolves once it is ready and has an organization. `environment` overrides the defaults; its
 * data is below `parent`.
 */
export async function startProduct(
  environment: Record<string, string> = {},
  parent: string = os.tmpdir(),
): Promise<Product> {
  const dataDir = fs.mkdtempSync(path.join(parent, "muster-bench-"));
  fs.chmodSync(dataDir, 0o711); // else the database, run as another user, would have to be put elsewhere
  const port = await freePort();
  const log = path.join(dataDir, "product.log");
  const output = fs.openSync(log, "a");
  const launch = (args: string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, ["dist/main.mjs", ...args], {
      cwd: root,
      stdio: ["ignore", output, output],
      env: {
        ...process.env,
        NODE_ENV: "production",
        PORT: String(port),
        DATA_DIR: dataDir,
        DATABASE_URL: "",
        RATE_LIMITS: highLimits,
        LOG_LEVEL: "warn",
        EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
        ...environment,
        ...more,
      },
    });
  const child = launch([]);
  const endWithUs = () => child.kill("SIGTERM");
  process.once("exit", endWithUs);
  const url = `http://127.0.0.1:${port}`;
  await until(
    "the product's start",
    120,
    async () => child.exitCode !== null || (await fetch(`${url}/readyz`)).status === 200,
  );
  if (child.exitCode !== null) throw new Error(`The product ended with ${child.exitCode}. Its log is ${log}.`);

  // The product is running, so this connects to its server.
  const { url: databaseUrl } = await openEmbeddedDatabase({ dataDir, log: logFor("bench") });
  const signup = await fetch(`${url}/api/v1/signup/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(person),
  });
  if (signup.status !== 201) throw new Error(`sign-up responded ${signup.status}: ${await signup.text()}`);
  const { api_key: key } = (await signup.json()) as { api_key: string };
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  // The fault tests kill the database.
  database.on("error", () => {});
  database.on("connect", (client) => client.on("error", () => {}));
  // Compares the rows that benchmarks and fault runs read themselves with their declarations.
  await checkRows(databaseUrl);
  const [organization] = await queryRows(database, { uid: text }, "select uid from organizations limit 1");

  const call = async <T>(method: string, at: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/api/v1${at}`, {
      method,
      headers: { "content-type": "application/json", "x-service-api-key": key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${at} responded ${response.status}: ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  // `--role web` while it starts, `muster web` from then on.
  const getRole = (role: string) =>
    listChildren(child.pid ?? 0).find(({ command }) => new RegExp(`(--role|muster) ${role}\\b`).test(command))?.pid ??
    null;
  let halted: Promise<void> | undefined;
  const halt = () =>
    (halted ??= (async () => {
      await database.end();
      process.off("exit", endWithUs);
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      fs.closeSync(output);
    })());

  return {
    url,
    databaseUrl,
    dataDir,
    key,
    organizationId: organization?.uid ?? "",
    database,
    call,
    log,
    pids: () => ({
      supervisor: child.pid ?? null,
      web: getRole("web"),
      worker: getRole("worker"),
      database: findServer(locateCluster(dataDir))?.pid ?? null,
    }),
    addWorker: (more = {}) => launch(["--role", "worker"], { DATABASE_URL: databaseUrl, ...more }),
    halt,
    stop: async () => {
      await halt();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

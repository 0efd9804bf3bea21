import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { startMonitoring } from "@/server/composition/monitoring";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { lockJob, queueJobs, releaseAllJobs } from "@/server/platform/jobs/graphile";
import { logFor } from "@/server/platform/log";
import { FatalError } from "@/server/platform/process/fatal-error";
import { queryRows, text } from "@/server/platform/rows";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { onServer, scratchDatabase } from "@/server/testing/database";
import { type DatabaseProxy, startDatabaseProxy } from "@/server/testing/database-proxy";
import { underSettings } from "@/server/testing/settings";
import { startTraceReceiver, type TraceReceiver } from "@/server/testing/trace-receiver";

const read = async (port: number | null, address: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}${address}`, { headers });
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, text: await response.text(), ...(retryAfter !== null && { retryAfter }) };
};

/** The values of a metric by its labels, as they are written. */
const parseValues = (lines: string, name: string): Map<string, number> =>
  new Map(
    lines
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => [line.slice(name.length, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );

describe("a worker with METRICS_PORT", () => {
  let program: Awaited<ReturnType<typeof bundleProgram>>;
  let url: string;
  let proxy: DatabaseProxy;
  let receiver: TraceReceiver;
  let child: ChildProcess;
  let port: number;
  const metrics = async () => (await read(port, "/metrics")).text;

  beforeAll(async () => {
    url = await scratchDatabase(inject("testRun"));
    await migrateDatabase(url, logFor("test"));
    // Three jobs that nobody runs: one that is due, one for later, and one without attempts left.
    await onServer(url, async (client) => {
      let id = "";
      for (const runAt of ["1 minute", "-1 hour", "1 minute"]) {
        const [job] = await queryRows(
          client,
          { id: text },
          `select id::text from graphile_worker.add_job('retired.task', run_at := now() - $1::interval,
            max_attempts := 1)`,
          [runAt],
        );
        id = job?.id ?? "";
      }
      await lockJob(client, id, "ended");
      await releaseAllJobs(client);
    });
    proxy = await startDatabaseProxy(url);
    program = await bundleProgram("worker-process");
    receiver = await startTraceReceiver();
    const settings = {
      DATABASE_URL: proxy.url,
      METRICS_PORT: "0",
      ROLE: "worker",
      LOG_LEVEL: "silent",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    };
    const [started, message] = await startProgram<{ metricsPort: number }>(program.file, settings);
    [child, port] = [started, message.metricsPort];
  }, 120_000);
  afterAll(async () => {
    await killNow(child);
    program.remove();
    receiver.close();
    await proxy.close();
  });

  test("serves its probes and nothing else there", async () => {
    expect(await read(port, "/healthz")).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect((await read(port, "/readyz")).status).toBe(200);
    for (const page of ["/", "/api/v1/fleet/devices/", "/devices"]) expect((await read(port, page)).status).toBe(404);
  });

  test("counts the jobs of the queue by state, and says how long the oldest has been due", async () => {
    const lines = await metrics();
    const jobs = parseValues(lines, "muster_jobs");
    const states = ["waiting", "scheduled", "running", "exhausted"].map((state) =>
      jobs.get(`{task="retired.task",state="${state}"}`),
    );
    expect(states).toEqual([1, 1, 0, 1]);
    const oldest = parseValues(lines, "muster_job_oldest_seconds").get('{task="retired.task"}') ?? 0;
    expect(oldest).toBeGreaterThanOrEqual(60);
    expect(oldest).toBeLessThan(3_600);
    // Of a job that has none, there are zeros.
    expect(jobs.get('{task="recordings.process",state="waiting"}')).toBe(0);
  });

  test("measures the jobs that it runs, its deliveries, its database and its disk", async () => {
    const succeeded = 'task="devices.offline-sweep",outcome="succeeded"';
    const count = async () => parseValues(await metrics(), "muster_job_duration_seconds_count").get(`{${succeeded}}`);
    await vi.waitFor(async () => expect(await count()).toBeGreaterThan(0), { timeout: 60_000, interval: 200 });
    const lines = await metrics();
    expect([...parseValues(lines, "muster_deliveries_pending").keys()].sort()).toEqual([
      '{outbox="agents"}',
      '{outbox="channels"}',
      '{outbox="webhooks"}',
    ]);
    expect(parseValues(lines, "muster_database_up").get("")).toBe(1);
    expect(parseValues(lines, "muster_database_statement_duration_seconds_count").get("")).toBeGreaterThan(0);
    const [free = 0, size = 0] = ["free", "size"].map((name) =>
      parseValues(lines, `muster_disk_${name}_bytes`).get(""),
    );
    expect(free).toBeGreaterThan(0);
    expect(size).toBeGreaterThan(free);
    expect([...parseValues(lines, "muster_build_info").keys()]).toEqual([
      expect.stringMatching(/^\{version="\d+\.\d+\.\d+[^"]*",commit="[0-9a-f]{12}(-dirty)?",role="worker"\}$/),
    ]);
  });

  test("says what the tables take by kind, how far its clock is off, and what retention and signals are at", async () => {
    const lines = await metrics();
    const bytes = parseValues(lines, "muster_table_bytes");
    expect([...bytes.keys()].map((labels) => /kind="(\w+)"/.exec(labels)?.[1]).sort()).toEqual([
      "alerts",
      "annotation",
      "audit",
      "deliveries",
      "devices",
      "evaluations",
      "events",
      "items",
      "jobs",
      "metrics",
      "other",
      "recordings",
      "series",
      "signals",
    ]);
    for (const value of bytes.values()) expect(value).toBeGreaterThan(8_000);
    expect(parseValues(lines, "muster_table_xid_age").get('{kind="jobs"}')).toBeGreaterThan(0);
    expect(Math.abs(parseValues(lines, "muster_clock_ahead_seconds").get("") ?? Infinity)).toBeLessThan(5);
    expect(parseValues(lines, "muster_signals_backlog_bytes").get("")).toBe(0);
    expect(parseValues(lines, "muster_retention_failing").size).toBe(2);
  });

  test("sends a trace of a job, linked to the request that caused it, and none of its sweeps", async () => {
    const cause = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
    await onServer(url, (client) =>
      client.query(
        "select graphile_worker.add_job('storage.delete', '{\"prefix\": \"nothing/here/\"}'::json, flags := array[$1])",
        [`traceparent:00-${cause.traceId}-${cause.spanId}-01`],
      ),
    );
    const find = () => receiver.spans.find(({ name }) => name === "storage.delete");
    await vi.waitFor(() => expect(find()).toBeDefined(), { timeout: 60_000, interval: 100 });
    expect(find()).toMatchObject({ links: [cause], attributes: { "muster.attempt": 1 } });
    expect(find()?.traceId).not.toBe(cause.traceId);
    expect(receiver.spans.filter(({ name }) => /wake|sweep/.test(name))).toEqual([]);
  }, 100_000);

  test("runs a job that it took over a connection that was lost before the response", async () => {
    const id = await onServer(url, async (client) => {
      const [own] = await queryRows(client, { pool_id: text }, "select pool_id from worker_heartbeats limit 1");
      await client.query("begin");
      const [job] = await queryRows(
        client,
        { id: text },
        `select id::text from graphile_worker.add_job('storage.delete', '{"prefix": "recordings/none/none/"}', 'lost')`,
      );
      await lockJob(client, job?.id ?? "", own?.pool_id ?? "", 60);
      await client.query("commit");
      return job?.id ?? "";
    });
    const left = () =>
      onServer(url, (client) =>
        queryRows(client, { id: text }, `select id::text from ${queueJobs} j where id = $1`, [id]),
      );
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 60_000, interval: 200 });
  }, 60_000);

  test("still serves them while the database does not respond, and says so", async () => {
    proxy.silence();
    try {
      const isUp = async () => {
        const lines = await metrics();
        return [parseValues(lines, "muster_database_up").get(""), parseValues(lines, "muster_queue_up").get("")];
      };
      await vi.waitFor(async () => expect(await isUp()).toEqual([0, 0]), { timeout: 60_000, interval: 500 });
      expect(parseValues(await metrics(), "muster_jobs").size).toBe(0);
      expect((await read(port, "/healthz")).status).toBe(200);
      expect(await read(port, "/readyz")).toMatchObject({ status: 503, retryAfter: "1" });
    } finally {
      await proxy.restore();
    }
  }, 60_000);
});

describe("METRICS_PORT", () => {
  test("needs METRICS_TOKEN where that is set", async () => {
    await underSettings({ METRICS_PORT: 0, METRICS_TOKEN: "a-token-of-enough-length" }, async () => {
      const { port, stop } = await startMonitoring("web");
      try {
        const tokens = [undefined, "another-token-of-length", "a-token-of-enough-length"];
        const responses = tokens.map((token) =>
          read(port, "/metrics", token === undefined ? {} : { authorization: `Bearer ${token}` }),
        );
        expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([404, 404, 200]);
        expect((await read(port, "/healthz")).status).toBe(200);
      } finally {
        stop();
      }
    });
  });

  test("that another program uses is refused by name", async () => {
    await underSettings({ METRICS_PORT: 0 }, async () => {
      const { port, stop } = await startMonitoring("web");
      try {
        await underSettings({ METRICS_PORT: port ?? 0 }, async () => {
          await expect(startMonitoring("web")).rejects.toThrow(FatalError);
        });
      } finally {
        stop();
      }
    });
  });

  test("of the worker is the next one under one supervisor, and the same on its own", async () => {
    await underSettings({ METRICS_PORT: 0 }, async () => {
      const { port, stop } = await startMonitoring("web");
      stop();
      for (const role of ["all", "worker"] as const) {
        await underSettings({ METRICS_PORT: (port ?? 0) - (role === "all" ? 1 : 0), ROLE: role }, async () => {
          const worker = await startMonitoring("worker");
          worker.stop();
          expect(worker.port).toBe(port);
        });
      }
    });
  });
});

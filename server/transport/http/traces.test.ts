import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { pool } from "@/server/platform/db";
import { jsonObject, queryRows } from "@/server/platform/rows";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jobIds, removeJobs } from "@/server/testing/queued-jobs";
import { startTraceReceiver, type TraceReceiver } from "@/server/testing/trace-receiver";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";

describe("a web process with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  let receiver: TraceReceiver;
  let processes: WebProcesses;
  let url: string;
  let org: TestOrganization;
  beforeAll(async () => {
    receiver = await startTraceReceiver();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
    processes = await startWebProcesses(1, settings);
    url = processes.urls[0] ?? "";
    org = await makeOrganization();
  });
  afterAll(async () => {
    await processes.close();
    receiver.close();
  });
  const ofTrace = () => receiver.spans.filter((span) => span.traceId === traceId);
  const awaitSpans = (isComplete: () => boolean) =>
    vi.waitFor(() => expect(isComplete()).toBe(true), { timeout: 60_000, interval: 100 });

  test("sends a span for a request, in the client's trace, and one for each of its statements", async () => {
    const headers = { "x-service-api-key": org.key, traceparent };
    const response = await fetch(`${url}/api/v1/fleet/devices/?search=secret-of-a-query`, { headers });
    expect(response.status).toBe(200);
    await fetch(`${url}/healthz`, { headers });
    await awaitSpans(() => ofTrace().some(({ name }) => name === "GET devices.list"));
    const request = ofTrace().find(({ name }) => name === "GET devices.list");
    expect(request).toMatchObject({
      parentSpanId: "b7ad6b7169203331",
      attributes: {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "url.path": "/api/v1/fleet/devices/",
        "muster.request_id": response.headers.get("x-request-id"),
      },
    });
    const statements = ofTrace().filter(({ attributes }) => attributes["db.system.name"] === "postgresql");
    expect(statements.length).toBeGreaterThanOrEqual(2);
    expect(new Set(statements.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request?.spanId]));
    expect(statements.some(({ attributes }) => /from devices/.test(String(attributes["db.query.text"])))).toBe(true);
    expect(ofTrace().some(({ name }) => name.includes("liveness"))).toBe(false);
    for (const secret of ["secret-of-a-query", org.key]) expect(receiver.bodies.join("")).not.toContain(secret);
  });

  test("has loaded what makes and sends spans", async () => {
    expect(await (await fetch(`${url}/loaded`)).json()).not.toEqual([]);
  });

  test("marks a request that fails", async () => {
    await fetch(`${url}/broken`, { headers: { traceparent } });
    await awaitSpans(() => ofTrace().some(({ name }) => name === "GET pages"));
    expect(ofTrace().find(({ name }) => name === "GET pages")).toMatchObject({
      status: { code: 2 },
      attributes: { "http.response.status_code": 500 },
    });
  });

  test("names the request in the jobs that it causes", async () => {
    const headers = { "x-service-api-key": org.key, traceparent };
    expect((await fetch(`${url}/api/v1/fleet/demo/`, { method: "POST", headers })).status).toBe(202);
    const ids = await jobIds({ organizationId: org.uid });
    try {
      await awaitSpans(() => ofTrace().some(({ name }) => name.startsWith("POST demo.")));
      const span = ofTrace().find(({ name }) => name.startsWith("POST demo."));
      const flags = await queryRows(
        pool,
        { flags: jsonObject },
        "select flags::json as flags from graphile_worker.jobs where id = any($1::bigint[])",
        [ids],
      );
      expect(flags.map((row) => Object.keys(row.flags))).toEqual([[`traceparent:00-${traceId}-${span?.spanId}-01`]]);
    } finally {
      await removeJobs(ids);
    }
  });
});

test("without OTEL_EXPORTER_OTLP_ENDPOINT nothing that makes or sends spans is loaded, and jobs name no request", async () => {
  const org = await makeOrganization();
  const processes = await startWebProcesses(1);
  try {
    const url = processes.urls[0] ?? "";
    const headers = { "x-service-api-key": org.key, traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
    expect((await fetch(`${url}/api/v1/fleet/demo/`, { method: "POST", headers })).status).toBe(202);
    const ids = await jobIds({ organizationId: org.uid });
    const jobs = await pool.query("select 1 from graphile_worker.jobs where id = any($1::bigint[]) and flags is null", [
      ids,
    ]);
    await removeJobs(ids);
    expect([ids.length, jobs.rowCount]).toEqual([1, 1]);
    expect(await (await fetch(`${url}/loaded`)).json()).toEqual([]);
  } finally {
    await processes.close();
  }
});

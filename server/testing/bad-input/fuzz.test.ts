import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configureEgress } from "@/server/platform/http-client/settings";
import { makeFixture, type Fixture } from "@/server/testing/bad-input/fixture";
import { plans, buildRequest, type Plan, type PlannedRequest } from "@/server/testing/bad-input/fuzz-requests";
import { expectReadBack } from "@/server/testing/bad-input/read-back";
import { changingNothing, nextTransaction } from "@/server/testing/bad-input/unchanged";
import { addMember, makeDevice, makeKey, makeOrganization } from "@/server/testing/factories";
import { countShare } from "@/server/testing/generated-cases";
import { request, type Reply } from "@/server/testing/requests";

/**
 * Random requests, generated from the published schemas, to every operation. FUZZ_SEED repeats a run, FUZZ_REQUESTS is
 * the number of requests: 60 within the tests, 300 in a full run of them, 20,000 manually before a release.
 */
const seed = Number(process.env.FUZZ_SEED ?? 20_261);
const count = Number(process.env.FUZZ_REQUESTS ?? countShare(300));

/** Deleted and completed objects are used up, so a new fixture replaces them after so many requests. */
const requestsPerFixture = 750;

interface Stage {
  fixture: Fixture;
  headers: Record<Plan["caller"], Record<string, string>>;
}

async function makeStage(): Promise<Stage> {
  const fixture = await makeFixture();
  const [member, reader, device, outsider] = await Promise.all([
    addMember(fixture.org),
    makeKey(fixture.org, fixture.org.owner, { scopes: ["fleet.read", "datasets.read", "projects.read"] }),
    makeDevice(fixture.org),
    makeOrganization(),
  ]);
  const headers: Stage["headers"] = {
    owner: { "x-service-api-key": fixture.key },
    member: { "x-service-api-key": member.key },
    reader: { "x-service-api-key": reader },
    device: { "x-service-device-token": device.device_token },
    anonymous: {},
    outsider: { "x-service-api-key": outsider.key },
  };
  return { fixture, headers };
}

let undoEgress: () => void;
beforeAll(() => {
  // No request to a host name leaves the machine.
  undoEgress = configureEgress({
    allow: [],
    resolve: () => Promise.reject(new Error("host names are not resolved in this test")),
  });
});
afterAll(() => {
  undoEgress();
});

const send = (
  { endpoint, path, body }: PlannedRequest,
  headers: Record<string, string>,
  contentType: string | null,
): Promise<Reply<unknown>> =>
  request(endpoint.method, path, {
    // Bytes, because a string would set a Content-Type where the plan has none.
    ...(body !== null && { raw: Buffer.from(body) }),
    headers: { ...headers, ...(contentType !== null && body !== null && { "content-type": contentType }) },
  });

/** The body of a 400: lists of messages by field (or `non_field_errors`). Every other refusal has one `detail`. */
const hasFieldMessages = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).length > 0 &&
  Object.values(body).every(
    (messages) =>
      Array.isArray(messages) && messages.length > 0 && messages.every((message) => typeof message === "string"),
  );
/** A conflict may have a code, and what the code is about. */
const hasDetail = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  (Object.keys(body).join() === "detail" || typeof (body as { code?: unknown }).code === "string") &&
  typeof (body as { detail?: unknown }).detail === "string";

/** JSON-RPC has its own error body, with an HTTP status, for well-formed messages. */
const isProtocolError = (id: string, body: unknown) =>
  id === "mcp.message" && typeof body === "object" && body !== null && "error" in body;

function expectShape({ endpoint }: PlannedRequest, { status, body }: Reply<unknown>) {
  expect(status, "never a server error").toBeLessThan(500);
  if (status < 400) return expect([endpoint.status, ...(endpoint.alternatives ?? [])]).toContain(status);
  if (isProtocolError(endpoint.id, body)) return;
  expect(body, "the shape of a refusal").toSatisfy(status === 400 ? hasFieldMessages : hasDetail);
}

test(
  `${count} random requests succeed or are refused, and a refused one changes nothing`,
  { timeout: Math.max(60_000, count * 60) },
  async () => {
    const statuses: Record<string, number> = {};
    const heap: number[] = [];
    const figures = { readBack: 0, compared: 0, fixtures: 0 };
    let stage: Stage | undefined;
    let sent = 0;
    let transaction = "";

    const run = async (plan: Plan) => {
      if (!stage || sent % requestsPerFixture === 0) {
        stage = await makeStage();
        figures.fixtures++;
        transaction = await nextTransaction();
      }
      sent++;
      const { fixture, headers } = stage;
      const planned = buildRequest(plan, fixture);
      try {
        const response = await send(planned, headers[plan.caller], plan.contentType);
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        expectShape(planned, response);
        const before = transaction;
        transaction = await nextTransaction();
        if (response.status >= 400 && transaction !== before) {
          // A transaction number was used, which a lock does too. The same request, refused again, must change no row.
          figures.compared++;
          const again = await changingNothing(() => send(planned, headers[plan.caller], plan.contentType));
          expect(again.status, "refused again").toBe(response.status);
          transaction = await nextTransaction();
        }
        if (response.status === 201 && plan.caller === "owner") {
          if (await expectReadBack(planned.endpoint, fixture, response.body as Record<string, unknown>))
            figures.readBack++;
        }
      } catch (error) {
        const { endpoint, path, body } = planned;
        const where = `FUZZ_SEED=${seed}, request ${sent} of ${count}, as ${plan.caller}`;
        throw new Error(`${String(error)}\n${where}:\n${endpoint.method} ${path}\n${body ?? ""}`, { cause: error });
      }
      if (sent % 50 === 0) heap.push(process.memoryUsage().heapUsed / 1024 ** 2);
    };

    const started = performance.now();
    // Failures are not shrunk: the database has changed since, so a smaller request would test something else.
    await fc.assert(fc.asyncProperty(plans, run), { seed, numRuns: count, endOnFailure: true });

    // The heap after garbage collections, at the beginning and at the end: the minimum of each quarter.
    const quarter = Math.max(1, Math.floor(heap.length / 4));
    const growth = Math.min(...heap.slice(-quarter)) - Math.min(...heap.slice(0, quarter));
    expect(growth, "megabytes the heap has grown by").toBeLessThan(256);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "201", "400", "404"]));
    if (process.env.FUZZ_REQUESTS !== undefined) {
      const seconds = Math.round((performance.now() - started) / 1_000);
      process.stdout.write(
        `${JSON.stringify({ seed, count, seconds, statuses, ...figures, growthMb: Math.round(growth) })}\n`,
      );
    }
  },
);

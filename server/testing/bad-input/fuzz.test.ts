import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configureEgress } from "@/server/platform/http-client/settings";
import { makeFixture, type Fixture } from "@/server/testing/bad-input/fixture";
import { plans, buildRequest, type Plan, type PlannedRequest } from "@/server/testing/bad-input/fuzz-requests";
import { expectReadBack } from "@/server/testing/bad-input/read-back";
import { changingNothing, nextTransaction } from "@/server/testing/bad-input/unchanged";
import { addMember, makeDevice, makeKey, makeOrganization, request, type Reply } from "@/server/testing/factories";

/**
 * Requests made at random of the published schemas, against every operation. FUZZ_SEED repeats a run, FUZZ_REQUESTS
 * says how many requests it has: 300 within the tests, 20,000 by hand before a release.
 */
const seed = Number(process.env.FUZZ_SEED ?? 20_261);
const count = Number(process.env.FUZZ_REQUESTS ?? 300);

/** Objects are used up by what is deleted and finished, so now and then there are new ones. */
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
    nobody: {},
    outsider: { "x-service-api-key": outsider.key },
  };
  return { fixture, headers };
}

let undoEgress: () => void;
beforeAll(() => {
  // Nothing that is sent to a name leaves the machine.
  undoEgress = configureEgress({
    allow: [],
    resolve: () => Promise.reject(new Error("there are no names in this test")),
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
    // Bytes, because a text would bring a Content-Type of its own where none was asked for.
    ...(body !== null && { raw: Buffer.from(body) }),
    headers: { ...headers, ...(contentType !== null && body !== null && { "content-type": contentType }) },
  });

/** 400 blames fields (or none) in lists of texts; every other refusal is one detail. */
const fieldMessages = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).length > 0 &&
  Object.values(body).every(
    (messages) =>
      Array.isArray(messages) && messages.length > 0 && messages.every((message) => typeof message === "string"),
  );
const isDetail = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  Object.keys(body).join() === "detail" &&
  typeof (body as { detail: unknown }).detail === "string";

/** JSON-RPC says in its own words, with the status of HTTP, what is wrong with a message that is well formed. */
const isProtocolError = (id: string, body: unknown) =>
  id === "mcp.message" && typeof body === "object" && body !== null && "error" in body;

function expectShape({ endpoint }: PlannedRequest, { status, body }: Reply<unknown>) {
  expect(status, "never a failure of ours").toBeLessThan(500);
  if (status < 400) return expect([endpoint.status, ...(endpoint.alternatives ?? [])]).toContain(status);
  if (isProtocolError(endpoint.id, body)) return;
  expect(body, "the shape of a refusal").toSatisfy(status === 400 ? fieldMessages : isDetail);
}

test(
  `${count} requests made at random are answered or refused, and a refused one changes nothing`,
  { timeout: Math.max(20_000, count * 60) },
  async () => {
    const statuses: Record<string, number> = {};
    const heap: number[] = [];
    const figures = { readBack: 0, lookedAt: 0, fixtures: 0 };
    let stage: Stage | undefined;
    let sent = 0;
    let transaction = "";

    const one = async (plan: Plan) => {
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
          // Something took a transaction number; a lock does that too. The same request, refused again, must change no
          // row.
          figures.lookedAt++;
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
    // A failure is told as it came: the database has moved on since, so a smaller request would be another one.
    await fc.assert(fc.asyncProperty(plans, one), { seed, numRuns: count, endOnFailure: true });

    // What is left after a collection, at the beginning and at the end: the least of each quarter.
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

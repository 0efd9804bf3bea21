import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { pool } from "@/server/platform/db";
import { countInMemory, countInDatabase } from "@/server/platform/rate-limit/window-counter";
import { addMember, makeDevice, makeOrganization, type TestOrganization, unique } from "@/server/testing/factories";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";

let web: WebProcesses;
let org: TestOrganization;

/** The time of the limits' clock at the start, in milliseconds since 1970. */
const start = Date.parse("2031-05-06T07:08:09.250Z");

/**
 * A clock that only the tests advance: the three processes find this schema's function before PostgreSQL's own. All
 * requests are made at the same time, however long they take.
 */
async function stopTheClock(): Promise<string> {
  await pool.query(`
    drop schema if exists stopped_clock cascade;
    create schema stopped_clock;
    create table stopped_clock.hands (at timestamptz not null);
    insert into stopped_clock.hands values (to_timestamp(${start} / 1000.0));
    create function stopped_clock.clock_timestamp() returns timestamptz language sql volatile as 'select at from stopped_clock.hands'`);
  const url = new URL(process.env.DATABASE_URL ?? "");
  url.searchParams.set("options", "-c TimeZone=UTC -c search_path=stopped_clock,pg_catalog,public");
  return url.toString();
}
const setClock = (seconds: number) =>
  pool.query("update stopped_clock.hands set at = to_timestamp($1::numeric / 1000)", [start + seconds * 1_000]);

beforeAll(async () => {
  const databaseUrl = await stopTheClock();
  org = await makeOrganization();
  web = await startWebProcesses(3, { DATABASE_URL: databaseUrl, RATE_LIMITS: "" });
});

afterAll(async () => {
  await web.close();
  await pool.query("drop schema if exists stopped_clock cascade");
});

interface Verdict {
  status: number;
  limit: string | null;
  remaining: number;
  reset: string | null;
  retryAfter: string | null;
  body: unknown;
}

/** Sends concurrent requests, distributed evenly over the processes. */
const burst = (count: number, key: string): Promise<Verdict[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const response = await fetch(`${web.urls[n % web.urls.length]}/api/v1/fleet/devices/?limit=1`, {
        headers: { "x-service-api-key": key },
      });
      const header = (name: string) => response.headers.get(name);
      return {
        status: response.status,
        limit: header("x-ratelimit-limit"),
        remaining: Number(header("x-ratelimit-remaining") ?? Number.NaN),
        reset: header("x-ratelimit-reset"),
        retryAfter: header("retry-after"),
        body: await response.json(),
      };
    }),
  );

const listPassed = (responses: Verdict[]) => responses.filter(({ status }) => status === 200);
const listRefused = (responses: Verdict[]) => responses.filter(({ status }) => status === 429);
/** `count` consecutive numbers from `from` down. */
const down = (from: number, count: number) => Array.from({ length: count }, (_, n) => from - n);
const listRemaining = (responses: Verdict[]) => responses.map(({ remaining }) => remaining).sort((a, b) => b - a);

describe("the limits of one key over three processes", () => {
  const reset = String(Math.ceil(start / 1_000 + 60));

  test("accept 20 of 300 concurrent requests, independent of the process", async () => {
    const responses = await burst(300, org.key);
    expect([listPassed(responses).length, listRefused(responses).length]).toEqual([20, 280]);
    expect(new Set(responses.map(({ limit, reset: at }) => `${limit} until ${at}`))).toEqual(
      new Set([`100 until ${reset}`]),
    );
    expect(listRemaining(listPassed(responses))).toEqual(down(99, 20));
    for (const refused of listRefused(responses)) {
      expect(refused).toMatchObject({
        remaining: 80,
        retryAfter: "1",
        body: { detail: "Request was throttled. Expected available in 1 second." },
      });
    }
    expect(listPassed(responses).every(({ retryAfter }) => retryAfter === null)).toBe(true);
  });

  test("refuse requests until the second is over", async () => {
    await setClock(0.999);
    expect(listPassed(await burst(30, org.key))).toEqual([]);
  });

  test("accept 100 requests in a minute", async () => {
    for (const second of [1, 2, 3, 4]) {
      await setClock(second);
      const responses = await burst(90, org.key);
      expect(listRemaining(listPassed(responses))).toEqual(down(99 - 20 * second, 20));
      expect(new Set(responses.map(({ reset: at }) => at))).toEqual(new Set([reset]));
    }
    // Refused by both windows, then by the minute's alone: the wait is the minute's.
    for (const [second, wait] of [
      [4, "56"],
      [5, "55"],
      [59.999, "1"],
    ] as const) {
      await setClock(second);
      const responses = await burst(15, org.key);
      expect(responses.map(({ status, remaining, retryAfter }) => [status, remaining, retryAfter])).toEqual(
        responses.map(() => [429, 0, wait]),
      );
    }
  });

  test("do not affect another user", async () => {
    const other = await addMember(org, "member");
    expect(listPassed(await burst(30, other.key))).toHaveLength(20);
  });

  test("start again after the minute", async () => {
    await setClock(61);
    const responses = await burst(60, org.key);
    expect(listRemaining(listPassed(responses))).toEqual(down(99, 20));
    expect(new Set(responses.map(({ reset: at }) => at))).toEqual(new Set([String(Math.ceil(start / 1_000 + 121))]));
  });
});

test("each heartbeat of a batch counts against 1,200 a minute of its device, over three processes", async () => {
  const [device, other] = [await makeDevice(org), await makeDevice(org)];
  let sent = 0;
  const send = async (token: string, count: number) => {
    const heartbeats = Array.from({ length: count }, () => ({ timestamp: new Date(Date.now() - ++sent * 1_000) }));
    const response = await fetch(`${web.urls[sent % 3]}/api/v1/fleet/devices/me/heartbeat/batch/`, {
      method: "POST",
      headers: { "x-service-device-token": token, "content-type": "application/json" },
      body: JSON.stringify({ heartbeats }),
    });
    return [response.status, response.headers.get("retry-after")];
  };
  expect(await send(device.device_token, 1_000)).toEqual([200, null]);
  expect(await send(device.device_token, 200)).toEqual([200, null]);
  expect(await send(device.device_token, 1)).toEqual([429, "60"]);
  expect(await send(other.device_token, 1_000)).toEqual([200, null]);
});

test("a single process counts by the same rules in memory", async () => {
  vi.useFakeTimers({ now: start });
  try {
    const [minute, second] = [
      { name: "alone_minute", limit: 100, seconds: 60 },
      { name: "alone_second", limit: 20, seconds: 1 },
    ];
    const counts = async () => {
      const all = [];
      for (let n = 0; n < 50; n++) all.push(await countInMemory("someone", minute, second));
      return { short: all.at(-1)?.short, long: all.at(-1)?.long };
    };
    expect(await counts()).toEqual({
      short: { requests: 50, msLeft: 1_000, endsAt: start + 1_000 },
      long: { requests: 20, msLeft: 60_000, endsAt: start + 60_000 },
    });
    vi.advanceTimersByTime(1_000);
    expect(await counts()).toMatchObject({ short: { requests: 50 }, long: { requests: 40, msLeft: 59_000 } });
    vi.advanceTimersByTime(59_000);
    expect(await counts()).toMatchObject({ short: { requests: 50 }, long: { requests: 20, msLeft: 60_000 } });
  } finally {
    vi.useRealTimers();
  }
});

test("a count in the database returns the window's end, and a refused burst does not use up the long one", async () => {
  const key = unique("key");
  const long = { name: "long", limit: 100, seconds: 3_600 };
  const short = { name: "short", limit: 1, seconds: 600 };
  const first = await countInDatabase(key, long, short);
  expect([first.long.requests, first.short?.requests]).toEqual([1, 1]);
  expect(await countInDatabase(key, long)).toEqual({
    long: { requests: 2, msLeft: expect.any(Number), endsAt: first.long.endsAt },
    short: null,
  });
  const refused = await countInDatabase(key, long, short);
  expect([refused.long.requests, refused.short?.requests]).toEqual([2, 2]);
  expect(refused.short?.endsAt).toBe(first.short?.endsAt);
  expect(refused.long.endsAt - (refused.short?.endsAt ?? 0)).toBe(first.long.endsAt - (first.short?.endsAt ?? 0));
});

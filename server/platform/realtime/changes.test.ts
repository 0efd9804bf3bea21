// oxlint-disable-next-line no-restricted-imports -- waiting for a connection ends by its own clock
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { pool, prisma, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { readMetrics } from "@/server/platform/metrics";
import { processWide } from "@/server/platform/process-wide";
import { announce, listenForChanges, onChange } from "@/server/platform/realtime/changes";
import { RecentChanges, type RecentChange } from "@/server/platform/realtime/recent-changes";
import { newUid } from "@/server/platform/uid";
import { openChanges, startListening } from "@/server/testing/changes";
import { startDatabaseProxy } from "@/server/testing/database-proxy";
import { addMember, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, fetchApp } from "@/server/testing/requests";

/** The settings of this process, which a test changes temporarily. */
const settings = processWide("env", (): { DATABASE_TIMEOUT_SECONDS?: number } => ({}));
let org: TestOrganization;
let other: TestOrganization;
let stopListening: () => Promise<void>;

beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  stopListening = await startListening();
});
afterEach(() => void vi.useRealTimers());
afterAll(() => stopListening());

const change = (organization: TestOrganization): Promise<string> => {
  const uid = newUid("device");
  return announce(organization.ctx, "device", uid, "updated").then(() => uid);
};

/** Listens for changes like another web process. */
async function otherProcess() {
  const recent = new RecentChanges();
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  client.on("notification", ({ payload }) => recent.add(JSON.parse(payload ?? "") as RecentChange));
  await client.query("listen muster_changes");
  return { recent, close: () => client.end() };
}

describe("the stream of changes", () => {
  test("resumes with the missed changes, once and in order, and none of another organization", async () => {
    const first = await openChanges(org);
    const seen = await change(org);
    await first.until(() => first.changes().includes(seen));
    const lastId = first.reported.at(-1)?.id ?? "";
    expect(lastId).not.toBe("");
    await first.close();
    const watcher = await openChanges(org);
    const missed = [await change(org), await change(org), await change(org)];
    await change(other);
    await watcher.until(() => watcher.changes().length === 3);
    await watcher.close();

    const second = await openChanges(org, lastId);
    await second.until((reported) => reported.some(({ event }) => event === "begin"));
    expect(second.changes()).toEqual(missed);
    expect(second.reported.at(-1)).toMatchObject({ event: "begin", data: "resumed" });
    const next = await change(org);
    await second.until(() => second.changes().includes(next));
    expect(second.changes()).toEqual([...missed, next]);
    await second.close();
  });

  test("of a new page begins with the changes since that was requested", async () => {
    const place = await makeOrganization();
    const watcher = await openChanges(place);
    const requestedAt = performance.now();
    const missed = [await change(place), await change(place)];
    await change(other);
    await watcher.until(() => watcher.changes().length === 2);
    await watcher.close();

    const age = Math.ceil(performance.now() - requestedAt);
    const stream = await openChanges(place, undefined, `?age=${age}`);
    await stream.until((reported) => reported.some(({ event }) => event === "begin"));
    expect(stream.changes()).toEqual(missed);
    expect(stream.reported.at(-1)).toMatchObject({ event: "begin", data: "new" });
    await stream.close();
    // Of a page from before this process, what it missed is not known; another parameter counts for nothing.
    const old = await openChanges(org, undefined, "?age=99999999999");
    expect(old.reported[0]).toMatchObject({ event: "reset" });
    await old.close();
    const odd = await openChanges(org, undefined, "?age=-1");
    expect(odd.reported[0]).toMatchObject({ event: "begin", data: "new" });
    await odd.close();
  });

  test("that cannot be resumed starts with an event to fetch everything again", async () => {
    const stream = await openChanges(org, "unknown-id");
    await stream.until((reported) => reported.length > 0);
    expect(stream.reported[0]).toMatchObject({ event: "reset" });
    await stream.close();
  });

  test("ends as soon as its person is removed from the organization, without waiting for a beat", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const place = await makeOrganization();
    const member = await addMember(place, "member");
    const { body } = await fetchApp("/api/changes", { headers: { cookie: await sessionCookie(member) } });
    const ended = body?.pipeTo(new WritableStream());
    const { results } = await createTrpcCaller(place).members.list({ search: member.username });
    await createTrpcCaller(place).members.remove({ uid: results[0]?.uid ?? "" });
    await expect(ended).resolves.toBeUndefined();
  });

  test("that is new receives an id to resume from before the first change", async () => {
    const stream = await openChanges(other);
    await stream.until((reported) => reported.length > 0);
    expect(stream.reported[0]).toMatchObject({ event: "begin", data: "new", id: expect.any(String) });
    await stream.close();
  });
});

describe("a stream whose session cannot be looked up", () => {
  /** Lets beats pass while no connection is free. */
  async function beatInOutage(beats: number): Promise<void> {
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const before = env.DATABASE_TIMEOUT_SECONDS;
    try {
      settings.DATABASE_TIMEOUT_SECONDS = 0.2;
      for (let n = 0; n < beats; n++) {
        vi.advanceTimersByTime(10_000);
        await sleep(800);
      }
    } finally {
      settings.DATABASE_TIMEOUT_SECONDS = before;
      for (const client of held) client.release();
    }
  }
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));

  test("at one beat stays open", async () => {
    const stream = await openChanges(org);
    await beatInOutage(1);
    expect([stream.reported.filter(({ event }) => event === "beat"), stream.state.ended]).toEqual([[], false]);
    vi.advanceTimersByTime(10_000);
    await stream.until((reported) => reported.some(({ event }) => event === "beat"));
    await stream.close();
  });

  test("at three beats in a row ends, so that the browser opens another", async () => {
    const stream = await openChanges(org);
    await beatInOutage(3);
    await vi.waitFor(() => expect(stream.state.ended).toBe(true), { timeout: 60_000 });
  });
});

test("two web processes receive concurrent changes in the same order, so a stream can resume in either", async () => {
  const [a, b] = await Promise.all([otherProcess(), otherProcess()]);
  const start = await openChanges(org);
  const uids = await Promise.all(
    Array.from({ length: 40 }, () =>
      transaction({ ...org.ctx, db: prisma }, async (tx) => {
        const uid = newUid("device");
        await announce(tx, "device", uid, "updated");
        await announce(tx, "device", uid, "updated");
        return uid;
      }),
    ),
  );
  await start.until(() => start.changes().length === 80);
  const [cut] = start.reported.filter(({ event }) => event === "message").slice(30);
  const rest = start.changes().slice(31);
  expect(new Set(start.changes())).toEqual(new Set(uids));
  for (const { recent } of [a, b]) {
    await expect.poll(() => recent.since(org.uid, cut?.id ?? "")?.map(({ uid }) => uid)).toEqual(rest);
  }
  await Promise.all([a.close(), b.close(), start.close()]);
});

test("a limited number of changes is retained; the changes since a dropped one are unknown", () => {
  const recent = new RecentChanges(10);
  for (let n = 0; n < 100; n++)
    recent.add({ id: `c${n}`, organizationId: "o", kind: "device", uid: `d${n}`, action: "updated" });
  expect(recent.since("o", "c97")?.map(({ id }) => id)).toEqual(["c98", "c99"]);
  expect(recent.since("o", "c10")).toBeNull();
  expect(recent.since("other", "c97")).toEqual([]);
  recent.clear();
  expect(recent.since("o", "c99")).toBeNull();
});

test("recent changes of a span are all of it, or none are given", () => {
  let now = 1_000;
  const recent = new RecentChanges(10, () => now);
  const add = (id: string, organizationId = "o") =>
    recent.add({ id, organizationId, kind: "device", uid: id, action: "updated" });
  const within = (ms: number) => recent.within("o", ms)?.map(({ id }) => id) ?? null;
  now = 2_000;
  add("a");
  add("other", "p");
  now = 3_000;
  add("b");
  expect(recent.within("o", 1, 5_000)?.map(({ id }) => id)).toEqual(["a", "b"]);
  expect([within(999), within(1_000), within(1_999), within(2_000)]).toEqual([["b"], ["a", "b"], ["a", "b"], null]);
  for (let n = 0; n < 13; n++) {
    now += 1;
    add(`c${n}`);
  }
  expect(within(9)).toHaveLength(10);
  expect(within(10)).toBeNull(); // those before were dropped
  recent.clear();
  now += 5;
  expect([within(4), within(5)]).toEqual([[], null]);
});

async function readLag(): Promise<number> {
  const line = (await readMetrics()).text.split("\n").find((each) => each.startsWith("muster_changes_lag_seconds "));
  return Number(line?.split(" ")[1]);
}

test("a listening connection that stops responding is replaced, streams are notified of a gap, and its lag grows", async () => {
  const proxy = await startDatabaseProxy(env.DATABASE_URL ?? "");
  const stop = listenForChanges({ url: proxy.url, probeMs: 50, responseMs: 2_000 });
  let gaps = 0;
  const unsubscribe = onChange(org.uid, { onChange: () => {}, onGap: () => (gaps += 1) });
  try {
    await vi.waitFor(() => expect([gaps, proxy.taken]).toEqual([1, 1]), { timeout: 60_000 });
    await vi.waitFor(async () => expect(await readLag()).toBeLessThan(1), { timeout: 60_000 });
    proxy.silence();
    await vi.waitFor(() => expect(proxy.taken).toBeGreaterThan(1), { timeout: 60_000 });
    await vi.waitFor(async () => expect(await readLag()).toBeGreaterThan(1), { timeout: 60_000 });
    await proxy.restore();
    await vi.waitFor(() => expect(gaps).toBeGreaterThan(1), { timeout: 60_000 });
    await vi.waitFor(async () => expect(await readLag()).toBeLessThan(1), { timeout: 60_000 });
  } finally {
    unsubscribe();
    await stop();
    await proxy.close();
  }
});

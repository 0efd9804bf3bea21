import type { CredentialsConfig } from "next-auth/providers/credentials";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as devicesExport from "@/app/(dashboard)/devices/export/route";
import type { AuditResource } from "@/server/features/audit/resource";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { deleteExpired } from "@/server/platform/expired-rows";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { flushAccesses, noteAccess } from "@/server/platform/observability/access-log";
import type { Page } from "@/server/platform/pagination";
import { int4, int8, nullable, queryRows } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { compose } from "@/server/testing/composition";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  makeRecording,
  sessionCookie,
  testPassword,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { startLoopback } from "@/server/testing/loopback";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller, request } from "@/server/testing/requests";

const { getAuthOptions } = await compose("sign-in");

let org: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  org = await makeOrganization();
  member = await addMember(org, "member");
});

/** The entries of an action, newest first, once everything noted is written. */
async function entries(action: string, place = org): Promise<AuditResource[]> {
  await flushAccesses();
  const { body } = await request<Page<AuditResource>>("GET", `/audit-log/?action=${action}`, { key: place.key });
  return body.results;
}
const endWindows = () => pool.query("update audit_windows set ends_at = now() - interval '1 second'");

describe("refused accesses in the audit log", () => {
  test("have one entry for caller and operation, with their number", async () => {
    for (let n = 0; n < 5; n++) await request("DELETE", `/fleet/devices/dev_${n}/`, { key: member.key });
    await request("GET", "/audit-log/", { key: member.key });
    const [second, first] = await entries("access.refused");
    expect(first).toMatchObject({
      actor_type: "api_key",
      target_type: "operation",
      target_id: "devices.delete",
      target_name: "DELETE /api/v1/fleet/devices/dev_0/",
      count: 5,
      request_id: expect.any(String),
    });
    expect(second).toMatchObject({ target_id: "audit.list", count: 1 });
    await request("DELETE", "/fleet/devices/dev_9/", { key: member.key });
    expect((await entries("access.refused")).map(({ count }) => count)).toEqual([1, 6]);
  });

  test("have a new entry after ten minutes, and a caller does not count for another", async () => {
    await request("GET", "/audit-log/", { key: member.key });
    await flushAccesses();
    await request("GET", "/audit-log/", { key: (await addMember(org, "member")).key });
    expect((await entries("access.refused")).map(({ count }) => count)).toEqual([1, 1]);
    await endWindows();
    await request("GET", "/audit-log/", { key: member.key });
    await flushAccesses();
    await request("GET", "/audit-log/", { key: member.key });
    expect((await entries("access.refused")).map(({ count }) => count)).toEqual([2, 1, 1]);
  });

  test("include keys that are revoked or expired, and procedures of the dashboard", async () => {
    const key = await makeKey(org, org.owner, { scopes: ["fleet.read"] });
    await pool.query("update api_keys set revoked_at = now() where organization_id = $1 and scopes <> '{}'", [org.uid]);
    expect((await request("GET", "/fleet/devices/", { key })).status).toBe(401);
    await expect(createTrpcCaller(org, member).audit.list({})).rejects.toMatchObject({ code: "FORBIDDEN" });
    const targets = (await entries("access.refused")).map((entry) => [entry.actor_type, entry.target_id]);
    expect(targets).toEqual(
      expect.arrayContaining([
        ["api_key", "devices.list"],
        ["user", "audit.list"],
      ]),
    );
  });

  test("include the use of a session after its end, one entry for session and ten minutes", async () => {
    const cookie = await sessionCookie(member);
    const use = () =>
      devicesExport.GET(
        new Request(`${env.PUBLIC_URL}/devices/export`, { headers: { cookie, "x-muster-client": "192.0.2.8" } }),
      );
    await (await use()).text();
    expect(await entries("access.refused")).toEqual([]);
    await pool.query("update sessions set revoked_at = now() where user_id = $1", [member.uid]);
    for (let n = 0; n < 3; n++) expect((await use()).status).toBe(401);
    expect(await entries("access.refused")).toMatchObject([
      { actor_id: member.uid, target_type: "session", ip: "192.0.2.8", count: 3 },
    ]);
  });

  test("leave no entry for callers without a key, and none in another organization", async () => {
    await request("GET", "/fleet/devices/");
    await request("GET", "/fleet/devices/", { key: "svk_nothing" });
    await request("GET", "/audit-log/", { key: member.key });
    expect(await entries("access.refused", await makeOrganization())).toEqual([]);
    expect(await entries("access.refused")).toHaveLength(1);
  });
});

describe("signing in and out in the audit log", () => {
  const signIn = (email: string, password: string) => {
    const [provider] = getAuthOptions().providers;
    if (provider?.type !== "credentials") throw new Error("sign-in has no form");
    const { authorize } = provider.options as Pick<CredentialsConfig, "authorize">;
    return authorize({ email, password }, { headers: { "x-muster-client": "192.0.2.9" } });
  };

  test("has an entry for every sign-in, in every organization of the person", async () => {
    const { email, uid } = org.owner;
    const other = await makeOrganization();
    await pool.query(
      "insert into memberships (uid, user_id, organization_id, role) values (gen_random_uuid()::text, $1, $2, 'member')",
      [uid, other.uid],
    );
    for (let n = 0; n < 2; n++) expect(await signIn(email, testPassword)).toMatchObject({ id: uid });
    for (const place of [org, other]) {
      const found = await entries("user.signed_in", place);
      expect(found.map(({ actor_id, ip, count }) => [actor_id, ip, count])).toEqual([
        [uid, "192.0.2.9", 1],
        [uid, "192.0.2.9", 1],
      ]);
    }
  });

  test("counts failures of an account by address, and has none for an address without an account", async () => {
    for (const email of [org.owner.email, ` ${org.owner.email.toUpperCase()}`, "nobody@example.com"]) {
      expect(await signIn(email, "wrong password")).toBeNull();
    }
    expect(await entries("user.sign_in_failed")).toMatchObject([
      { actor_type: "anonymous", actor_name: "192.0.2.9", target_id: org.owner.uid, count: 2 },
    ]);
  });

  test("has an entry for signing out", async () => {
    await getAuthOptions().events?.signOut?.({ token: { sub: org.owner.uid }, session: { expires: "" } });
    expect(await entries("user.signed_out")).toMatchObject([{ actor_id: org.owner.uid, target_id: org.owner.uid }]);
  });
});

describe("downloads in the audit log", () => {
  test("have one entry for person, file and hour, with their number", async () => {
    const server = await startLoopback();
    const device = await makeDevice(org);
    const { uid } = await makeRecording(org, device.uid);
    const key = `recordings/${org.uid}/${uid}/f`;
    await objectStore().put(key, new Blob(["abc"]).stream(), 3);
    const link = (by: TestMember) =>
      objectStore().downloadUrl({ key, fileName: "a.mcap", by: { type: "user", id: by.uid }, ttlSeconds: 60 });
    for (let n = 0; n < 3; n++) await (await fetch(server.here((await link(member)) ?? ""))).text();
    await fetch(server.here((await link(member)) ?? ""), { method: "HEAD" });
    await (await fetch(server.here((await link(org.owner)) ?? ""))).text();
    const found = await entries("file.downloaded");
    expect(found.map(({ actor_name, target_name, count }) => [actor_name, target_name, count]).sort()).toEqual(
      [
        [member.username, "a.mcap", 3],
        [org.owner.username, "a.mcap", 1],
      ].sort(),
    );
    expect(found[0]).toMatchObject({ target_type: "file", target_id: key, ip: "127.0.0.1" });
    await server.close();
  });

  test("do not trust a changed name of the person in a link", async () => {
    const server = await startLoopback();
    const key = `recordings/${org.uid}/x/f`;
    await objectStore().put(key, new Blob(["abc"]).stream(), 3);
    const by = { type: "user", id: member.uid } as const;
    const link = (await objectStore().downloadUrl({ key, fileName: "a", by, ttlSeconds: 60 })) ?? "";
    for (const forged of [link.replace(member.uid, org.owner.uid), link.replace(/&by=[^&]+/, "")]) {
      expect(forged).not.toBe(link);
      expect((await fetch(server.here(forged))).status).toBe(404);
    }
    await server.close();
  });

  test("include CSV files", async () => {
    const headers = { cookie: await sessionCookie(member) };
    await (await devicesExport.GET(new Request(`${env.PUBLIC_URL}/devices/export`, { headers }))).text();
    await createTrpcCaller(org).audit.export({});
    const names = (await entries("file.downloaded")).map(({ actor_name, target_name }) => [actor_name, target_name]);
    expect(names).toEqual(
      expect.arrayContaining([
        [member.username, "devices.csv"],
        [org.owner.username, "audit.csv"],
      ]),
    );
  });
});

test("changed preferences are in the audit log, with what changed", async () => {
  await createTrpcCaller(org).account.updatePreferences({ preferences: { density: "compact" } });
  await createTrpcCaller(org).account.updatePreferences({ preferences: { density: "compact" } });
  expect(await entries("user.preferences_changed")).toMatchObject([{ after: { density: "compact" } }]);
});

describe("the queue of accesses", () => {
  beforeAll(() => flushAccesses());

  test("is written as a whole when it is flushed, also what is being written already", async () => {
    noteAccess({
      where: { organizationId: org.uid },
      actor: { type: "user", id: "someone", name: "someone" },
      action: "access.refused",
      target: { type: "operation", id: "being-written", name: "being written" },
      ip: null,
      requestId: null,
      minutes: 0,
    });
    const first = flushAccesses();
    await flushAccesses();
    const written = await prisma.auditEntry.count({ where: { organizationId: org.uid, targetId: "being-written" } });
    expect(written).toBe(1);
    await first;
  });

  test("is bounded, and what belongs to no organization is left out", async () => {
    const access = (id: string, organizationId: string) => ({
      where: { organizationId },
      actor: { type: "user", id, name: id } as const,
      action: "access.refused",
      target: { type: "operation", id: "x", name: "x".repeat(10_000) },
      ip: null,
      requestId: null,
      minutes: 10,
    });
    for (let n = 0; n < 10_500; n++) noteAccess(access(`caller-${n}`, org.uid));
    noteAccess(access("late", "no such organization"));
    await flushAccesses();
    const [row] = await queryRows(
      pool,
      { entries: int8, longest: nullable(int4) },
      "select count(*) as entries, max(length(target_name)) as longest from audit_entries where organization_id = $1",
      [org.uid],
    );
    expect(Number(row?.entries)).toBeLessThanOrEqual(10_001);
    expect(row?.longest).toBe(500);
    noteAccess(access("later", "no such organization"));
    await expect(flushAccesses()).resolves.toBeUndefined();
  });

  test("leaves no window behind once it has ended", async () => {
    await request("GET", "/audit-log/", { key: member.key });
    await flushAccesses();
    await endWindows();
    await enqueue({ db: org.ctx.db }, jobs.cleanDaily, {});
    await runQueuedJobs(jobs.cleanDaily);
    expect(await deleteExpired("audit_windows")).toBe(0);
  });
});

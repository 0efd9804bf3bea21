import { beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "@/domain/permissions";
import { computeExpiry } from "@/server/features/api-keys/expiry-service";
import { createKey } from "@/server/features/api-keys/service";
import { systemContext } from "@/server/platform/context";
import { newToken } from "@/server/platform/crypto";
import { pool, prisma } from "@/server/platform/db";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { request, createTrpcCaller } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

let own: TestOrganization;
let admin: TestMember;
let member: TestMember;
beforeAll(async () => {
  own = await makeOrganization();
  [admin, member] = [await addMember(own, "admin"), await addMember(own, "member")];
});

const status = async (key: string, path = "/organizations/") => (await request("GET", path, { key })).status;
const day = 86_400_000;

describe("an API key", () => {
  test("is in one response only, stored as a hash, and valid immediately", async () => {
    const { key, ...created } = await createTrpcCaller(own, member).apiKeys.create({
      name: "CI",
      scopes: ["fleet.read", "fleet.read"],
    });
    expect(created).toMatchObject({
      name: "CI",
      prefix: key.slice(0, 8),
      last_four: key.slice(-4),
      scopes: ["fleet.read"],
      username: member.username,
      state: "active",
      expires_at: null,
    });
    expect(await status(key, "/fleet/devices/")).toBe(200);
    const seen = await createTrpcCaller(own, member).apiKeys.get({ uid: created.uid });
    const list = await createTrpcCaller(own, member).apiKeys.list({});
    const stored = await prisma.apiKey.findUniqueOrThrow({ where: { uid: created.uid } });
    const audited = await prisma.auditEntry.findMany({ where: { targetId: created.uid } });
    expect(audited.map(({ action }) => action)).toEqual(["api_key.created"]);
    expect(JSON.stringify([seen, list, stored, audited])).not.toContain(key.slice(10));
  });

  test("that is revoked is refused from the next request on and cannot be regenerated", async () => {
    const { key, uid } = await createTrpcCaller(own).apiKeys.create({ name: "short" });
    expect(await status(key)).toBe(200);
    expect(await createTrpcCaller(own).apiKeys.revoke({ uid })).toMatchObject({ state: "revoked" });
    const refused = await request("GET", "/organizations/", { key });
    expect([refused.status, refused.body]).toEqual([401, { detail: "Invalid API key." }]);
    const again = await createTrpcCaller(own).apiKeys.revoke({ uid });
    expect(again.state).toBe("revoked");
    expect(await prisma.auditEntry.count({ where: { targetId: uid, action: "api_key.revoked" } })).toBe(1);
    await expect(createTrpcCaller(own).apiKeys.regenerate({ uid, keep_old_hours: 0 })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  test("that expired is refused with a message that it expired", async () => {
    const { key, uid } = await createTrpcCaller(own).apiKeys.create({ name: "short", expiry: "30" });
    expect(await status(key)).toBe(200);
    await prisma.apiKey.update({ where: { uid }, data: { expiresAt: new Date(0) } });
    const refused = await request("GET", "/organizations/", { key });
    expect([refused.status, refused.body]).toEqual([401, { detail: "API key has expired." }]);
    expect(await createTrpcCaller(own).apiKeys.get({ uid })).toMatchObject({ state: "expired" });
  });

  test.each([
    ["absent", {}, "Authentication credentials were not provided."],
    ["in the query", {}, "Authentication credentials were not provided.", "?api_key=KEY&key=KEY"],
    ["in a cookie", { cookie: "api_key=KEY" }, "Authentication credentials were not provided."],
    ["in Authorization", { authorization: "Bearer KEY" }, "Authentication credentials were not provided."],
    ["empty", { "x-service-api-key": "" }, "Invalid API key."],
    ["with a wrong checksum", { "x-service-api-key": "svk_" + "A".repeat(49) }, "Invalid API key."],
    ["unknown", { "x-service-api-key": newToken("svk_") }, "Invalid API key."],
    ["a device's token", { "x-service-api-key": newToken("svd_") }, "Invalid API key."],
    ["10 kB long", { "x-service-api-key": "svk_" + "A".repeat(10_240) }, "Invalid API key."],
    ["sent twice", { "x-service-api-key": "KEY, KEY" }, "Invalid API key."],
    ["not ASCII", { "x-service-api-key": "svk_\u00e9" }, "Invalid API key."],
  ])("that is %s is refused", async (_case, headers, detail, query = "") => {
    const put = (text: string) => text.replaceAll("KEY", own.key);
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, put(value)]));
    const response = await request("GET", `/organizations/${put(query)}`, { headers: given });
    expect([response.status, response.body]).toEqual([401, { detail }]);
  });

  test("permits the operations of its scopes only", async () => {
    const device = await makeDevice(own);
    const one = `/fleet/devices/${device.uid}/`;
    const attempts: [string, string, Scope[]][] = [
      ["GET", "/fleet/devices/", ["fleet.read"]],
      ["GET", one, ["fleet.read"]],
      ["PATCH", one, ["fleet.write"]],
      ["GET", "/organizations/", []],
      ["GET", `/organizations/${own.slug}/`, []],
      ["GET", `/organizations/${own.slug}/members/`, []],
      ["GET", `/organizations/${own.slug}/invitations/`, []],
      ["PATCH", `/organizations/${own.slug}/`, []],
      ["GET", "/audit-log/", []],
    ];
    for (const scope of ["fleet.read", "fleet.write", "datasets.read", "storage.write", "webhooks.read"] as const) {
      const key = await makeKey(own, own.owner, { scopes: [scope] });
      for (const [method, path, openTo] of attempts) {
        const response = await request(method, path, { key, ...(method === "PATCH" && { body: {} }) });
        expect([scope, method, path, response.status]).toEqual([
          scope,
          method,
          path,
          openTo.includes(scope) ? 200 : 403,
        ]);
        if (response.status === 403)
          expect(response.body).toEqual({ detail: "You do not have permission to perform this action." });
      }
    }
    for (const [method, path] of attempts) {
      expect((await request(method, path, { key: own.key, ...(method === "PATCH" && { body: {} }) })).status).toBe(200);
    }
  });

  test("records when and from where it was used, after the response", async () => {
    const { key, uid } = await createTrpcCaller(own).apiKeys.create({ name: "used" });
    expect(await createTrpcCaller(own).apiKeys.use({ uid })).toEqual({
      used_in_last_day: false,
      last_used_at: null,
      last_used_ip: null,
      callers: [],
    });
    await request("POST", "/fleet/devices/", { key, body: { name: "d" } });
    await expect.poll(async () => (await createTrpcCaller(own).apiKeys.get({ uid })).last_used_at).not.toBeNull();
    expect(await createTrpcCaller(own).apiKeys.use({ uid })).toMatchObject({
      used_in_last_day: true,
      callers: [{ writes: 1 }],
    });
    await pool.query("update api_keys set last_used_at = now() - interval '2 days' where uid = $1", [uid]);
    await pool.query("delete from audit_entries where actor_id = $1", [uid]);
    expect(await createTrpcCaller(own).apiKeys.use({ uid })).toMatchObject({ used_in_last_day: false });
  });
});

test("an API key is accepted in the headers of API_KEY_HEADERS, and in no others", async () => {
  const org = await makeOrganization();
  const statuses = async () => {
    const names = ["x-service-api-key", "x-fleet-key", "x-other-key"];
    const sent = names.map((name) => request("GET", "/fleet/devices/", { headers: { [name]: org.key } }));
    return (await Promise.all(sent)).map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 401, 401]);
  await underSettings({ API_KEY_HEADERS: ["x-fleet-key", "x-other-key"] }, async () => {
    expect(await statuses()).toEqual([401, 200, 200]);
  });
});

describe("managing keys", () => {
  test("a member sees and revokes their own keys only; an admin all of the organization's", async () => {
    const ownKey = await createTrpcCaller(own, member).apiKeys.create({ name: "own" });
    const ownersKey = await createTrpcCaller(own).apiKeys.create({ name: "owner's" });
    const seenBy = async (who: TestMember) =>
      (await createTrpcCaller(own, who).apiKeys.list({})).results.map(({ user_uid }) => user_uid);
    expect(new Set(await seenBy(member))).toEqual(new Set([member.uid]));
    expect(await seenBy(admin)).toEqual(expect.arrayContaining([member.uid, own.owner.uid]));
    await expect(createTrpcCaller(own, member).apiKeys.revoke({ uid: ownersKey.uid })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await createTrpcCaller(own, admin).apiKeys.revoke({ uid: ownKey.uid })).toMatchObject({ state: "revoked" });
    expect(await status(ownersKey.key)).toBe(200);
  });

  test("no one gets a key that acts as another person", async () => {
    const { uid } = await createTrpcCaller(own).apiKeys.create({ name: "owner's" });
    await expect(createTrpcCaller(own, admin).apiKeys.regenerate({ uid, keep_old_hours: 0 })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    const forced = await createKey(trpcContext(admin), { name: "x", userId: own.owner.uid });
    expect(forced.user_uid).toBe(admin.uid);
  });
  const trpcContext = (person: TestMember) => ({
    ...own.ctx,
    actor: { ...own.ctx.actor, id: person.uid, userId: person.uid, username: person.username, name: person.username },
  });

  test("another organization's key is not found, also by admins", async () => {
    const other = await makeOrganization();
    const { uid } = await createTrpcCaller(other).apiKeys.create({ name: "other" });
    const trpc = createTrpcCaller(own);
    for (const attempt of [trpc.apiKeys.get, trpc.apiKeys.revoke, trpc.apiKeys.use]) {
      await expect(attempt({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    expect((await trpc.apiKeys.list({ limit: 1000 })).results.map((key) => key.uid)).not.toContain(uid);
  });

  test("the list is filtered by state and owner, and paged", async () => {
    const place = await makeOrganization();
    const trpc = createTrpcCaller(place);
    const { uid } = await trpc.apiKeys.create({ name: "one" });
    await trpc.apiKeys.revoke({ uid });
    await addMember(place, "member");
    const names = async (input: Parameters<typeof trpc.apiKeys.list>[0]) =>
      (await trpc.apiKeys.list(input)).results.map(({ name }) => name);
    expect(await names({})).toEqual(["test", "one", "test"]);
    expect(await names({ mine: true })).toEqual(["one", "test"]);
    expect(await names({ state: "revoked" })).toEqual(["one"]);
    const first = await trpc.apiKeys.list({ limit: 2 });
    expect((await trpc.apiKeys.list({ limit: 2, cursor: first.next ?? "" })).results).toHaveLength(1);
    await expect(trpc.apiKeys.list({ mine: true, cursor: first.next ?? "" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  test("the platform creates a key only for a named user", async () => {
    const ctx = systemContext(prisma, own.uid);
    expect(await createKey(ctx, { name: "from the command line", userId: member.uid })).toMatchObject({
      user_uid: member.uid,
    });
    await expect(createKey(ctx, { name: "x" })).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("regenerating", () => {
  test("revokes the old key immediately when it is not kept", async () => {
    const old = await createTrpcCaller(own).apiKeys.create({ name: "r", scopes: ["fleet.read"] });
    const fresh = await createTrpcCaller(own).apiKeys.regenerate({ uid: old.uid, keep_old_hours: 0 });
    expect(fresh).toMatchObject({ name: "r", scopes: ["fleet.read"], state: "active" });
    expect([await status(old.key, "/fleet/devices/"), await status(fresh.key, "/fleet/devices/")]).toEqual([401, 200]);
  });

  test.each([1, 24] as const)(
    "keeps the old key for %i h when requested, but not beyond its own expiry",
    async (hours) => {
      const old = await createTrpcCaller(own).apiKeys.create({ name: "r" });
      const before = Date.now();
      const fresh = await createTrpcCaller(own).apiKeys.regenerate({ uid: old.uid, keep_old_hours: hours });
      expect([await status(old.key), await status(fresh.key)]).toEqual([200, 200]);
      const retained = await createTrpcCaller(own).apiKeys.get({ uid: old.uid });
      expect(Math.abs(Date.parse(retained.expires_at ?? "") - before - hours * 3_600_000)).toBeLessThan(60_000);

      const ending = await createTrpcCaller(own).apiKeys.create({
        name: "r",
        expiry: new Date(Date.now() + 60_000).toISOString(),
      });
      await createTrpcCaller(own).apiKeys.regenerate({ uid: ending.uid, keep_old_hours: hours });
      expect((await createTrpcCaller(own).apiKeys.get({ uid: ending.uid })).expires_at).toBe(ending.expires_at);
    },
  );

  test("twice concurrently creates one new key", async () => {
    const { uid } = await createTrpcCaller(own).apiKeys.create({ name: "twice" });
    const outcomes = await Promise.allSettled(
      [0, 0].map(() => createTrpcCaller(own).apiKeys.regenerate({ uid, keep_old_hours: 0 })),
    );
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await prisma.apiKey.count({ where: { name: "twice", revokedAt: null } })).toBe(1);
  });

  test("keeps the lifetime of the old key", async () => {
    const old = await createTrpcCaller(own).apiKeys.create({ name: "r", expiry: "90" });
    const fresh = await createTrpcCaller(own).apiKeys.regenerate({ uid: old.uid, keep_old_hours: 0 });
    const lifetime = Date.parse(fresh.expires_at ?? "") - Date.parse(fresh.created_at);
    expect(Math.abs(lifetime - 90 * day)).toBeLessThan(60_000);
  });
});

describe("the expiry of a key", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  const at = (days: number) => new Date(now.getTime() + days * day);

  test.each([
    ["never by default", undefined, null, null],
    ["the organization's limit when none is requested", undefined, 30, at(30)],
    ["the requested number of days", "90", null, at(90)],
    ["the requested number of days within the limit", "30", 30, at(30)],
    ["never when requested and allowed", "never", null, null],
    ["the requested date", at(3), 30, at(3)],
  ] as const)("is %s", (_case, requested, limit, end) => {
    expect(computeExpiry(requested, limit, now)).toEqual(end);
  });

  test.each([
    ["in the past", at(-1), null],
    ["now", now, null],
    ["later than the limit", "90", 30],
    ["never where there is a limit", "never", 30],
    ["a date beyond the limit", at(31), 30],
  ] as const)("cannot be %s", (_case, requested, limit) => {
    expect(() => computeExpiry(requested, limit, now)).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  test.each(["7", "soon", 30, "2026-02-30T00:00:00Z", null])("requested as %j is refused", async (expiry) => {
    const attempt = createTrpcCaller(own).apiKeys.create({ name: "x", expiry: expiry as string });
    await expect(attempt).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("follows the organization's limit, also for existing keys", async () => {
    const place = await makeOrganization();
    const trpc = createTrpcCaller(place);
    await trpc.apiKeys.create({ name: "short", expiry: "30" });
    await trpc.organizations.update({ settings: { key_expiry_days: 60 } });
    const ends = (await trpc.apiKeys.list({})).results.map(({ name, expires_at }) => [
      name,
      Math.round((Date.parse(expires_at ?? "") - Date.now()) / day),
    ]);
    expect(ends).toEqual([
      ["short", 30],
      ["test", 60],
    ]);
    expect((await trpc.apiKeys.create({ name: "new" })).expires_at).not.toBeNull();
    await expect(trpc.apiKeys.create({ name: "new", expiry: "never" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await trpc.organizations.update({ settings: { key_expiry_days: null } });
    expect((await trpc.apiKeys.create({ name: "new", expiry: "never" })).expires_at).toBeNull();
  });
});

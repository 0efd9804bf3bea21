import type { JWT } from "next-auth/jwt";
import { beforeEach, describe, expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { deleteExpired } from "@/server/platform/expired-rows";
import { compose } from "@/server/testing/composition";
import {
  addMember,
  cookieWithoutRow,
  makeOrganization,
  makeSession,
  sessionCookie,
  testPassword,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";
import { readSession } from "@/server/transport/session/session";
import { startSession } from "@/server/transport/session/session-queries";

const { getAuthOptions } = await compose("sign-in");

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let own: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  own = await makeOrganization();
  member = await addMember(own, "member");
});

/** Makes a session as old, or as long unused, as an interval of PostgreSQL says. */
const age = (uid: string, column: "expires_at" | "last_used_at", by: string) =>
  pool.query(`update sessions set ${column} = ${column} - $2::interval where uid = $1`, [uid, by]);

const signOut = (token: JWT) => getAuthOptions().events?.signOut?.({ token, session: {} as never });

describe("a session", () => {
  test("is started by signing in, with the browser and address of the request", async () => {
    const [provider] = getAuthOptions().providers as unknown as { options: { authorize: NonNullable<unknown> } }[];
    const authorize = provider?.options.authorize as (given: object, request: object) => Promise<{ sid: string }>;
    const headers = { "user-agent": `${firefox}\0${"x".repeat(1_000)}`, "x-muster-client": "192.0.2.7" };
    const { sid } = await authorize({ email: member.email, password: testPassword }, { headers });
    const row = await prisma.session.findUniqueOrThrow({ where: { uid: sid } });
    expect(row).toMatchObject({ userId: member.uid, ip: "192.0.2.7", revokedAt: null });
    expect(row.userAgent).toBe((firefox + "x".repeat(1_000)).slice(0, 512));
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(30 * 24 * 3_600_000);
  });

  test("is ended when its browser signs in again, as itself or as somebody else; others go on", async () => {
    const [provider] = getAuthOptions().providers as unknown as { options: { authorize: NonNullable<unknown> } }[];
    const authorize = provider?.options.authorize as (
      given: object,
      request: object,
    ) => Promise<{ sid: string } | null>;
    const [before, elsewhere] = [await sessionCookie(member), await sessionCookie(member)];
    const signIn = (email: string, cookie: string, password = testPassword) =>
      authorize({ email, password }, { headers: { cookie } });
    expect(await signIn(member.email, before, "wrong password")).toBeNull();
    expect(await readSession(before)).not.toBeNull();
    const again = await signIn(member.email, before);
    expect(await readSession(before)).toBeNull();
    const next = await sessionCookie(member, { sessionUid: again?.sid ?? "" });
    expect(await signIn(own.owner.email, next)).not.toBeNull();
    expect(await readSession(next)).toBeNull();
    expect(await readSession(elsewhere)).not.toBeNull();
  });

  test("is ended on the server by signing out: its cookie is refused from then on", async () => {
    const sid = await makeSession(member);
    const cookie = await sessionCookie(member, { sessionUid: sid });
    expect(await readSession(cookie)).toMatchObject({ uid: sid, userId: member.uid });
    await signOut({ sub: member.uid, sid });
    expect(await readSession(cookie)).toBeNull();
  });

  test("is valid for 30 days, and for 7 days without use", async () => {
    const [old, idle] = [await makeSession(member), await makeSession(member)];
    await age(old, "expires_at", "29 days 23 hours");
    await age(idle, "last_used_at", "6 days 23 hours");
    expect(await readSession(await sessionCookie(member, { sessionUid: old }))).not.toBeNull();
    const current = await createTrpcCaller(own, member).account.sessions();
    expect(current.map(({ uid }) => uid).sort()).toEqual([old, idle].sort());
    await age(old, "expires_at", "2 hours");
    await age(idle, "last_used_at", "2 hours");
    for (const sessionUid of [old, idle]) {
      expect(await readSession(await sessionCookie(member, { sessionUid }))).toBeNull();
    }
    expect(await createTrpcCaller(own, member).account.sessions()).toEqual([]);
  });

  test("belongs to one user: its row does not open another's account", async () => {
    const other = await addMember(own, "admin");
    expect(await readSession(await sessionCookie(other, { sessionUid: await makeSession(member) }))).toBeNull();
  });

  test("records its use and address at most once a minute", async () => {
    const sid = await makeSession(member, { ip: "192.0.2.1" });
    await age(sid, "last_used_at", "1 hour");
    const cookie = await sessionCookie(member, { sessionUid: sid });
    await readSession(cookie, { userAgent: firefox, ip: "192.0.2.2" });
    const used = () => prisma.session.findUniqueOrThrow({ where: { uid: sid } });
    await expect.poll(async () => (await used()).ip).toBe("192.0.2.2");
    const first = (await used()).lastUsedAt;
    await readSession(cookie, { userAgent: firefox, ip: "192.0.2.3" });
    expect(await used()).toMatchObject({ ip: "192.0.2.2", lastUsedAt: first });
  });

  test("is not started when the password was changed after it was checked", async () => {
    await createTrpcCaller(own, member).account.signOutEverywhere();
    expect(await startSession({ uid: member.uid, sessionVersion: 1 }, { userAgent: null, ip: null })).toBeNull();
  });
});

describe("a token made before sessions had rows", () => {
  test("becomes one session on its first use, which can be ended", async () => {
    const cookie = await cookieWithoutRow(member);
    const sessions = await Promise.all([1, 2, 3].map(() => readSession(cookie, { userAgent: firefox, ip: "::1" })));
    expect(new Set(sessions.map((session) => session?.uid)).size).toBe(1);
    const trpc = createTrpcCaller(own, member);
    const listed = await trpc.account.sessions();
    expect(listed).toMatchObject([{ uid: sessions[0]?.uid, user_agent: firefox, ip: "::1" }]);
    await trpc.account.endSession({ uid: listed[0]?.uid ?? "" });
    expect(await readSession(cookie)).toBeNull();
  });

  test("names the same session after the library renewed it", async () => {
    const cookie = await cookieWithoutRow(member);
    const session = await readSession(cookie);
    const token = { sub: member.uid, version: 1, jti: session?.uid ?? "", iat: Math.floor(Date.now() / 1_000) };
    const renewed = await getAuthOptions().callbacks?.jwt?.({ token } as never);
    expect(renewed).toMatchObject({ sid: session?.uid });
  });

  test("is refused after all sessions of its user were ended, used before or not", async () => {
    const [used, unused] = [await cookieWithoutRow(member), await cookieWithoutRow(member)];
    expect(await readSession(used)).not.toBeNull();
    await createTrpcCaller(own, member).account.signOutEverywhere();
    expect([await readSession(used), await readSession(unused)]).toEqual([null, null]);
  });
});

describe("the list of sessions", () => {
  test("has the caller's own, the current one first, and ends one or all others", async () => {
    const sessionUid = await makeSession(member, { userAgent: firefox, ip: "192.0.2.9" });
    const others = [await makeSession(member), await makeSession(member), await makeSession(member)];
    const trpc = createTrpcCaller(own, member, { sessionUid });
    const before = await trpc.account.sessions();
    expect(before).toHaveLength(4);
    expect(before[0]).toMatchObject({ uid: sessionUid, current: true, user_agent: firefox, ip: "192.0.2.9" });
    await trpc.account.endSession({ uid: others[0] ?? "" });
    await expect(trpc.account.endSession({ uid: others[0] ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await trpc.account.sessions()).toHaveLength(3);
    await trpc.account.endOtherSessions();
    expect((await trpc.account.sessions()).map(({ uid }) => uid)).toEqual([sessionUid]);
    const { rows } = await pool.query("select action, after from audit_entries where actor_id = $1", [member.uid]);
    expect(rows).toEqual([
      { action: "session.revoked", after: null },
      { action: "session.others_revoked", after: { sessions: 2 } },
    ]);
  });

  test("does not have or end sessions of others, not even of members for the owner", async () => {
    const uid = await makeSession(member);
    const owner = createTrpcCaller(own);
    expect(await owner.account.sessions()).toEqual([]);
    await expect(owner.account.endSession({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await readSession(await sessionCookie(member, { sessionUid: uid }))).not.toBeNull();
  });

  test("is cleared of rows whose token has expired, and of no others", async () => {
    const [expired, ended] = [await makeSession(member), await makeSession(member)];
    await age(expired, "expires_at", "32 days");
    await createTrpcCaller(own, member).account.endSession({ uid: ended });
    expect(await deleteExpired("sessions")).toBeGreaterThanOrEqual(1);
    const left = await prisma.session.findMany({ where: { userId: member.uid } });
    expect(left.map(({ uid }) => uid)).toEqual([ended]);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { verifyCredentials } from "@/server/platform/auth/password";
import { pool, prisma } from "@/server/platform/db";
import { compose } from "@/server/testing/composition";
import {
  addMember,
  makeOrganization,
  makeSession,
  sessionCookie,
  testPassword,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { request, createTrpcCaller, trpcSignedOut } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { readSession } from "@/server/transport/session/session";

const { getAuthOptions } = await compose("sign-in");

let own: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  own = await makeOrganization();
  member = await addMember(own, "member");
});

describe("a session", () => {
  test("acts in the chosen organization of its user, else in their first", async () => {
    const second = await makeOrganization();
    await addMember(second, "admin", { user: member });
    expect(await readSession(await sessionCookie(member))).toMatchObject({ organizationId: own.uid, role: "member" });
    expect(await readSession(await sessionCookie(member, { slug: second.slug }))).toMatchObject({
      organizationId: second.uid,
      role: "admin",
    });
    const foreign = await makeOrganization();
    expect(await readSession(await sessionCookie(member, { slug: foreign.slug }))).toMatchObject({
      organizationId: own.uid,
    });
  });

  test("does not exist without a cookie, with a forged one or for a deleted user", async () => {
    const cookie = await sessionCookie(member);
    expect(await readSession(null)).toBeNull();
    expect(await readSession("next-auth.session-token=x; %%%=%%%")).toBeNull();
    expect(await readSession(cookie.slice(0, -3))).toBeNull();
    await prisma.user.delete({ where: { uid: member.uid } });
    expect(await readSession(cookie)).toBeNull();
  });

  test("is read under https only from the cookie that no other host and nothing over http can set", async () => {
    const plain = await sessionCookie(member);
    const secure = `__Host-${plain}`;
    expect(await readSession(plain)).toMatchObject({ userId: member.uid });
    expect(await readSession(secure)).toBeNull();
    await underSettings({ PUBLIC_URL: "https://muster.example" }, async () => {
      for (const planted of [plain, `__Secure-${plain}`]) expect(await readSession(planted)).toBeNull();
      expect(await readSession(`${plain}; ${secure}`)).toMatchObject({ userId: member.uid });
    });
  });

  test("loses an organization when the membership ends", async () => {
    const cookie = await sessionCookie(member, { slug: own.slug });
    const members = await createTrpcCaller(own).members.list({ search: member.username });
    await createTrpcCaller(own).members.remove({ uid: members.results[0]?.uid ?? "" });
    const session = await readSession(cookie);
    expect(session?.organizationId).not.toBe(own.uid);
  });

  test("records the activity of its user at most once a minute", async () => {
    const cookie = await sessionCookie(member);
    const seen = async () => (await prisma.membership.findFirstOrThrow({ where: { userId: member.uid } })).lastActiveAt;
    expect(await seen()).toBeNull();
    await readSession(cookie);
    await expect.poll(seen).not.toBeNull();
    const first = await seen();
    await Promise.all([readSession(cookie), readSession(cookie)]);
    expect(await seen()).toEqual(first);
    const { results } = await createTrpcCaller(own).members.list({ search: member.username });
    expect(results[0]?.last_active_at).toBe(first?.toISOString());
  });

  test("is created at sign-in for the right password only", async () => {
    const [provider] = getAuthOptions().providers as unknown as { options: { authorize: NonNullable<unknown> } }[];
    const authorize = provider?.options.authorize as (given: object, request: object) => Promise<unknown>;
    const origin = { headers: {} };
    const user = await authorize({ email: member.email, password: testPassword }, origin);
    expect(user).toMatchObject({ id: member.uid, sid: expect.any(String) });
    expect(await authorize({ email: member.email, password: "wrong" }, origin)).toBeNull();
    expect(await authorize({}, origin)).toBeNull();
  });
});

describe("an account", () => {
  test("shows and changes its user's own names", async () => {
    const trpc = createTrpcCaller(own, member);
    expect(await trpc.account.profile()).toMatchObject({
      uid: member.uid,
      email: member.email,
      first_name: "",
      preferences: {},
    });
    expect(await trpc.account.updateProfile({ first_name: "Ann" })).toMatchObject({ first_name: "Ann", last_name: "" });
    expect(await trpc.account.updateProfile({})).toMatchObject({ first_name: "Ann" });
    await expect(trpc.account.updateProfile({ first_name: "a".repeat(151) })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    const entries = await prisma.auditEntry.findMany({ where: { organizationId: own.uid, action: "user.updated" } });
    expect(entries).toMatchObject([{ before: { first_name: "" }, after: { first_name: "Ann" } }]);
    await expect(trpcSignedOut().account.profile()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("merges preferences, also when several pages change them concurrently", async () => {
    const trpc = createTrpcCaller(own, member);
    const changes = ["a", "b", "c", "d"].map((key) =>
      trpc.account.updatePreferences({ preferences: { [key]: { on: true } } }),
    );
    await Promise.all(changes);
    const { preferences } = await trpc.account.updatePreferences({ preferences: { a: null } });
    expect(Object.keys(preferences).sort()).toEqual(["b", "c", "d"]);
    const huge = { preferences: { x: "y".repeat(16 * 1024) } };
    await expect(trpc.account.updatePreferences(huge)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("a changed password ends every other session, and only the new one is accepted", async () => {
    const cookie = await sessionCookie(member);
    const sessionUid = await makeSession(member);
    const trpc = createTrpcCaller(own, member, { sessionUid });
    await expect(
      trpc.account.changePassword({ current_password: "wrong", new_password: "another one" }),
    ).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    for (const newPassword of ["short", "a".repeat(129), "        ", "password123"]) {
      await expect(
        trpc.account.changePassword({ current_password: testPassword, new_password: newPassword }),
      ).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
    }
    expect(await readSession(cookie)).not.toBeNull();
    await trpc.account.changePassword({ current_password: testPassword, new_password: "another one" });
    expect(await readSession(cookie)).toBeNull();
    expect(await readSession(await sessionCookie(member, { sessionUid }))).not.toBeNull();
    expect(await verifyCredentials(member.email, testPassword)).toBeNull();
    expect(await verifyCredentials(member.email, "another one")).toMatchObject({ uid: member.uid });
  });

  test("signing out everywhere ends every session and no key", async () => {
    const cookie = await sessionCookie(member);
    await createTrpcCaller(own, member).account.signOutEverywhere();
    expect(await readSession(cookie)).toBeNull();
    expect((await request("GET", "/organizations/", { key: member.key })).status).toBe(200);
    expect(await readSession(await sessionCookie(own.owner))).not.toBeNull();
    const { rows } = await pool.query("select action from audit_entries where actor_id = $1 and action like 'user.%'", [
      member.uid,
    ]);
    expect(rows).toEqual([{ action: "user.signed_out_everywhere" }]);
  });
});

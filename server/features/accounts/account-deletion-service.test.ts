import { beforeEach, describe, expect, test } from "vitest";
import { transferOwnership } from "@/server/features/membership/member-service";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeOrganization,
  makeUser,
  sessionCookie,
  testPassword,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createPersonCaller, request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { readSignedIn } from "@/server/transport/session/session";

let own: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  own = await makeOrganization({ name: "Depot 7" });
  member = await addMember(own, "admin");
});

const remove = (person: TestMember, body: unknown = { email: person.email, password: testPassword }) =>
  request<Record<string, unknown>>("DELETE", "/account/", { key: person.key, body });
const exists = async ({ uid }: { uid: string }) => (await prisma.user.count({ where: { uid } })) === 1;

describe("deleting one's account", () => {
  test("needs its address and its password", async () => {
    expect(await remove(member, { email: own.owner.email, password: "not the password" })).toMatchObject({
      status: 400,
      body: {
        email: ["This is not the address of your account."],
        password: ["The password is not right."],
      },
    });
    expect((await remove(member, {})).status).toBe(400);
    expect(await exists(member)).toBe(true);
  });

  test("needs a password first of an account that signs in by OpenID Connect only", async () => {
    await prisma.user.update({ where: { uid: member.uid }, data: { passwordSet: false } });
    const { status, body } = await remove(member);
    expect([status, body]).toEqual([400, { password: [expect.stringContaining("Set one first")] }]);
    expect(await exists(member)).toBe(true);
  });

  test("ends sessions, keys, memberships and views, and frees the address and the username", async () => {
    const other = await makeOrganization();
    await addMember(other, "member", { user: member });
    const cookie = await sessionCookie(member);
    await prisma.savedView.create({
      data: {
        uid: uuidv7(),
        organizationId: own.uid,
        ownerId: member.uid,
        ownerName: member.username,
        screen: "devices",
        name: "mine",
        query: "",
      },
    });
    const device = await request("POST", "/fleet/devices/", { key: member.key, body: { name: "stays" } });
    expect((await remove(member)).status).toBe(204);

    expect(await exists(member)).toBe(false);
    expect(await readSignedIn(cookie)).toBeNull();
    expect((await request("GET", "/fleet/devices/", { key: member.key })).status).toBe(401);
    for (const table of [prisma.membership, prisma.apiKey, prisma.session] as const) {
      expect(await (table as typeof prisma.session).count({ where: { userId: member.uid } })).toBe(0);
    }
    expect(await prisma.savedView.count({ where: { ownerId: member.uid } })).toBe(0);
    expect((await request("GET", `/fleet/devices/${device.body.uid}/`, { key: own.key })).status).toBe(200);
    await makeUser({ username: member.username, email: member.email });
  });

  test("is in the audit log of every organization of the person", async () => {
    const other = await makeOrganization();
    await addMember(other, "member", { user: member });
    await remove(member);
    const entries = await prisma.auditEntry.findMany({ where: { action: "user.deleted", targetId: member.uid } });
    expect(entries.map(({ organizationId }) => organizationId).sort()).toEqual([own.uid, other.uid].sort());
    expect(entries[0]).toMatchObject({ targetName: member.username, before: { email: member.email } });
  });

  test("waits until every organization that the person owns was transferred or is being deleted", async () => {
    const refused = { status: 409, body: { detail: "You own Depot 7. Transfer or delete what you own first." } };
    expect(await remove(own.owner)).toMatchObject(refused);
    const membership = await prisma.membership.findFirstOrThrow({
      where: { organizationId: own.uid, userId: member.uid },
    });
    await transferOwnership(own.ctx, membership.uid);
    expect(await remove(member)).toMatchObject(refused);
    expect((await remove(own.owner)).status).toBe(204);

    const last = await createPersonCaller(member);
    const cookie = await sessionCookie(member, { slug: own.slug });
    const deletion = await request("DELETE", `/organizations/${own.slug}/`, {
      key: member.key,
      body: { confirm_name: "Depot 7" },
    });
    expect(deletion.status).toBe(204);
    expect(await readSignedIn(cookie)).not.toBeNull();
    await last.account.delete({ email: member.email, password: testPassword });
    expect(await exists(member)).toBe(false);
    expect(await prisma.organization.count({ where: { uid: own.uid } })).toBe(1);
  });

  test("keeps the name of an organization that has it as well", async () => {
    await prisma.nameClaim.update({ where: { name: member.username }, data: { organizationId: own.uid } });
    await remove(member);
    expect(await prisma.nameClaim.findUnique({ where: { name: member.username } })).toMatchObject({
      userId: null,
      organizationId: own.uid,
    });
  });

  test("counts against the limit of tries of a password", async () => {
    await underSettings({ RATE_LIMITS: { anonymous_minute: 3 } }, async () => {
      for (let tries = 1; tries <= 3; tries++) {
        expect((await remove(member, { email: member.email, password: "wrong password" })).status).toBe(400);
      }
      expect((await remove(member)).status).toBe(429);
    });
    expect(await exists(member)).toBe(true);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import * as devicesExport from "@/app/(dashboard)/devices/export/route";
import { env } from "@/server/platform/env";
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
import { startLoopback } from "@/server/testing/loopback";
import { createTrpcCaller, request } from "@/server/testing/requests";
import { getCode, setUpSecondFactor } from "@/server/testing/second-factor";
import { readSession } from "@/server/transport/session/session";
import { createContext } from "@/server/transport/trpc/init";

const { appRouter } = await compose("trpc-root");

let own: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  own = await makeOrganization();
  member = await addMember(own, "member");
});

const patch = (settings: object, key = own.key) =>
  request<{ settings: Record<string, unknown> & string[] }>("PATCH", `/organizations/${own.slug}/`, {
    key,
    body: { settings },
  });

/** The procedures as a browser with that cookie calls them. */
const callerWith = async (cookie: string) => appRouter.createCaller(await createContext(new Headers({ cookie })));

async function requireSecondFactor(): Promise<void> {
  await setUpSecondFactor(own, own.owner);
  expect((await patch({ require_second_factor: true })).status).toBe(200);
}

describe("an organization that requires a second factor", () => {
  test("is made so only by an admin who has one, by REST and in the dashboard, and by anybody undone", async () => {
    const refused = await patch({ require_second_factor: true });
    expect([refused.status, refused.body.settings[0]]).toEqual([400, expect.stringContaining("of your own first")]);
    const trpc = createTrpcCaller(own);
    const settings = { require_second_factor: true };
    await expect(trpc.organizations.update({ settings })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(createTrpcCaller(own, member).organizations.update({ settings })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await setUpSecondFactor(own, own.owner);
    expect((await trpc.organizations.update({ settings })).settings).toEqual(settings);
    const other = await addMember(own, "admin");
    expect((await patch({ key_expiry_days: 300 }, other.key)).body.settings).toMatchObject(settings);
    const undone = await patch({ require_second_factor: false }, other.key);
    expect(undone.body.settings).toMatchObject({ require_second_factor: false, key_expiry_days: 300 });
    expect((await patch(settings, other.key)).status).toBe(400);
  });

  test("lets a session without one do nothing but set one up, after which it can do everything", async () => {
    const sessionUid = await makeSession(member);
    const cookie = await sessionCookie(member, { sessionUid });
    await requireSecondFactor();
    expect(await readSession(cookie)).toBeNull();
    const trpc = await callerWith(cookie);
    const explained = { code: "FORBIDDEN", message: expect.stringContaining("requires a second factor") };
    const refusals = [
      () => trpc.devices.list({}),
      () => trpc.members.list({}),
      () => trpc.apiKeys.create({ name: "key", scopes: [] }),
      () => trpc.account.profile(),
      () => trpc.account.sessions(),
      () => trpc.organizations.leave(),
      () => trpc.secondFactor.disable({ password: testPassword, code: "123456" }),
    ];
    for (const refused of refusals) await expect(refused()).rejects.toMatchObject(explained);
    expect(await trpc.secondFactor.state()).toMatchObject({ enabled_at: null, required_by: [own.name] });
    expect((await trpc.organizations.list({})).results.map(({ uid }) => uid)).toEqual([own.uid]);
    const { secret } = await trpc.secondFactor.start({ password: testPassword });
    await trpc.secondFactor.enable({ code: getCode(secret) });
    expect(await readSession(cookie)).toMatchObject({ uid: sessionUid, organizationId: own.uid });
    expect((await (await callerWith(cookie)).devices.list({})).results).toEqual([]);
  });

  test("gives neither files nor changes to such a session", async () => {
    const cookie = await sessionCookie(member);
    await requireSecondFactor();
    const csv = new Request(`${env.PUBLIC_URL}/devices/export`, { headers: { cookie } });
    expect((await devicesExport.GET(csv)).status).toBe(401);
    const server = await startLoopback();
    const stream = await fetch(server.here(`${env.PUBLIC_URL}/api/changes`), { headers: { cookie } });
    expect(stream.status).toBe(401);
    await server.close();
  });

  test("is of no concern to the other organizations of a member, to its API keys and to read-only members", async () => {
    const other = await makeOrganization();
    await addMember(other, "member", { user: member });
    const viewer = await addMember(own, "member", { readOnly: true });
    const cookies = [await sessionCookie(member, { slug: other.slug }), await sessionCookie(viewer)] as const;
    await requireSecondFactor();
    expect(await readSession(cookies[0])).toMatchObject({ organizationId: other.uid });
    expect((await request("GET", "/fleet/devices/", { key: member.key })).status).toBe(200);
    const { secret } = await (await callerWith(cookies[1])).secondFactor.start({ password: testPassword });
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  test("loses a member again who turns the second factor off", async () => {
    const sessionUid = await makeSession(member);
    const app = await setUpSecondFactor(own, member, sessionUid);
    await requireSecondFactor();
    const cookie = await sessionCookie(member, { sessionUid });
    expect(await readSession(cookie)).not.toBeNull();
    await (await callerWith(cookie)).secondFactor.disable({ password: testPassword, code: await app.code() });
    expect(await readSession(cookie)).toBeNull();
  });
});

test("the members of an organization show admins, and nobody else, who has a second factor", async () => {
  await setUpSecondFactor(own, member);
  await createTrpcCaller(own).secondFactor.start({ password: testPassword });
  const list = async (key: string) => {
    const { body } = await request("GET", `/organizations/${own.slug}/members/`, { key });
    return body.results.map(({ role, second_factor: has }) => [role, has]);
  };
  expect(await list(own.key)).toEqual([
    ["owner", false],
    ["member", true],
  ]);
  expect(await list(member.key)).toEqual([
    ["owner", null],
    ["member", null],
  ]);
});

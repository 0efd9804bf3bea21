import { beforeEach, describe, expect, test } from "vitest";
import type { SignedUp } from "@/server/features/accounts/resource";
import { pool, prisma } from "@/server/platform/db";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { request, trpcSignedOut } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

const password = "long enough";
const address = () => `${unique("guest")}@example.com`;
const signUp = (body: Record<string, unknown>) =>
  request<SignedUp & { detail: string; invitation: string[] }>("POST", "/signup/", { body: { password, ...body } });

const invite = async (org: TestOrganization, email: string, role = "member"): Promise<string> => {
  const path = `/organizations/${org.slug}/invitations/`;
  const { body } = await request<{ accept_url: string }>("POST", path, { key: org.key, body: { email, role } });
  return body.accept_url.slice(body.accept_url.lastIndexOf("/") + 1);
};

describe("sign-up by invitation", () => {
  let org: TestOrganization;
  beforeEach(async () => {
    org = await makeOrganization();
  });

  test("is refused without a valid invitation of the address", async () => {
    const email = address();
    const token = await invite(org, email);
    const cancelled = await invite(org, `x${email}`);
    await pool.query("update invitations set status = 'cancelled' where email = $1", [`x${email}`]);
    await underSettings({ SIGNUP: "invited" }, async () => {
      const refusals = [
        { email },
        { email, invitation: "" },
        { email, invitation: "x".repeat(43) },
        { email: address(), invitation: token },
        { email: `x${email}`, invitation: cancelled },
      ];
      for (const body of refusals) {
        expect(await signUp(body)).toMatchObject({ status: 403, body: { detail: "Sign-up needs an invitation." } });
      }
      expect(await prisma.user.count({ where: { email } })).toBe(0);
      expect((await signUp({ email: email.toUpperCase(), invitation: token })).status).toBe(201);
    });
  });

  test.each(["open", "invited"] as const)("leads into the inviting organization and no other when %s", async (mode) => {
    const email = address();
    const token = await invite(org, email, "admin");
    await underSettings({ SIGNUP: mode }, async () => {
      const { status, body } = await signUp({ email, invitation: token });
      expect([status, Object.keys(body)]).toEqual([201, ["user", "api_key"]]);
      const { body: list } = await request("GET", "/organizations/", { key: body.api_key });
      expect(list.results).toMatchObject([{ slug: org.slug, role: "admin" }]);
      const { body: devices } = await request("GET", "/fleet/devices/", { key: body.api_key });
      expect(devices.results).toEqual([]);
      const invitation = await prisma.invitation.findFirstOrThrow({ where: { email } });
      expect(invitation.status).toBe("accepted");
      expect((await signUp({ email: address(), invitation: token })).status).toBe(mode === "open" ? 400 : 403);
    });
  });

  test("works once, also when it is used several times concurrently", async () => {
    const email = address();
    const token = await invite(org, email);
    const responses = await Promise.all(Array.from({ length: 4 }, () => signUp({ email, invitation: token })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await prisma.user.count({ where: { email } })).toBe(1);
  });

  test("in the browser makes a member without an API key", async () => {
    const email = address();
    const { uid } = await trpcSignedOut().account.signUp({ email, password, invitation: await invite(org, email) });
    const memberships = await prisma.membership.findMany({ where: { userId: uid } });
    expect(memberships).toMatchObject([{ organizationId: org.uid, role: "member" }]);
    expect(await prisma.apiKey.count({ where: { userId: uid } })).toBe(0);
  });

  test("shows behind its link whether the invited person has to sign up or in", async () => {
    const [newcomer, known] = [address(), await addMember(await makeOrganization())];
    const preview = async (email: string) => trpcSignedOut().invitations.preview({ token: await invite(org, email) });
    expect(await preview(newcomer)).toMatchObject({ invited_email: newcomer, has_account: false });
    expect(await preview(known.email)).toMatchObject({ has_account: true });
  });

  test("names the field of an invitation that is not valid where sign-up is open", async () => {
    const { status, body } = await signUp({ email: address(), invitation: "x".repeat(43) });
    expect([status, body]).toEqual([400, { invitation: ["This is not a valid invitation of this address."] }]);
  });
});

test("closed sign-up refuses everybody, invited people too", async () => {
  const email = address();
  const invitation = await invite(await makeOrganization(), email);
  await underSettings({ SIGNUP: "closed" }, async () => {
    const refused = { status: 403, body: { detail: "Sign-up is closed." } };
    expect(await signUp({ email, invitation })).toMatchObject(refused);
    expect(await signUp({ email })).toMatchObject(refused);
    expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ mode: "closed", first: false });
  });
});

describe("a sign-up that nobody would accept", () => {
  const send = async (raw: string, type = "application/json") => {
    const { status, body } = await request("POST", "/signup/", { raw, headers: { "content-type": type } });
    return [status, body.detail];
  };
  // No fields, invalid ones, a document that is none, no JSON, another type, and more than is read.
  const fields = ["{}", '{"email":"x","password":"short","invitation":7}', "[]"];
  const bodies = ["{", "\u0000", JSON.stringify({ email: "x".repeat(1024 * 1024) })];

  test("is refused as closed before its body is read", async () => {
    await underSettings({ SIGNUP: "closed" }, async () => {
      for (const raw of [...fields, ...bodies]) expect(await send(raw)).toEqual([403, "Sign-up is closed."]);
      expect(await send("<a/>", "text/xml")).toEqual([403, "Sign-up is closed."]);
    });
  });

  test("is refused for its lack of an invitation before its fields are checked, and after its syntax", async () => {
    await underSettings({ SIGNUP: "invited" }, async () => {
      for (const raw of fields) expect(await send(raw)).toEqual([403, "Sign-up needs an invitation."]);
      expect((await send("{"))[0]).toBe(400);
      expect((await send(bodies[2] ?? ""))[0]).toBe(413);
      expect((await send("<a/>", "text/xml"))[0]).toBe(415);
      const email = address();
      const invitation = await invite(await makeOrganization(), email);
      expect(await signUp({ email, invitation, password: "short" })).toMatchObject({ status: 400 });
    });
  });

  test("gets the errors of its fields where sign-up is open", async () => {
    for (const raw of fields.slice(0, 2)) expect((await send(raw))[0]).toBe(400);
  });
});

describe("the first account", () => {
  // Files of one worker run one after the other, and each makes its own users; `sharedFixture` looks whether it has its.
  beforeEach(() => pool.query("delete from users"));

  const several = (extra: Record<string, unknown> = {}) =>
    Promise.all(Array.from({ length: 5 }, () => signUp({ email: address(), ...extra })));
  const listStatuses = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();

  test.each(["invited", "closed"] as const)("is accepted when sign-up is %s, and of several one", async (mode) => {
    await underSettings({ SIGNUP: mode }, async () => {
      expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ mode, first: true, setup_token: false });
      const responses = await several();
      expect(listStatuses(responses)).toEqual([201, 403, 403, 403, 403]);
      expect(await prisma.user.count()).toBe(1);
      const { api_key: key } = responses.find(({ status }) => status === 201)!.body;
      expect((await request("GET", "/organizations/", { key })).body.results).toMatchObject([{ role: "owner" }]);
      expect((await signUp({ email: address() })).status).toBe(403);
      expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ mode, first: false });
    });
  });

  test.each(["open", "invited", "closed"] as const)("needs the setup token, if there is one, when %s", async (mode) => {
    await underSettings({ SIGNUP: mode, SETUP_TOKEN: "only the operator" }, async () => {
      expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ first: true, setup_token: true });
      const detail = "The first account needs the setup token.";
      for (const extra of [{}, { setup_token: "" }, { setup_token: "only the operator " }]) {
        expect(await signUp({ email: address(), ...extra })).toMatchObject({ status: 403, body: { detail } });
      }
      expect(await prisma.user.count()).toBe(0);
      const expected = mode === "open" ? [201, 201, 201, 201, 201] : [201, 403, 403, 403, 403];
      expect(listStatuses(await several({ setup_token: "only the operator" }))).toEqual(expected);
    });
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import type { InvitationResource, MemberResource } from "@/server/features/membership/resource";
import type { OrganizationResource } from "@/server/features/organizations/resource";
import {
  addMember,
  makeKey,
  makeOrganization,
  makeUser,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

/** Members who may only view. */

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const readMember = async (user: { uid: string }): Promise<MemberResource> => {
  const { body } = await request<{ results: MemberResource[] }>(
    "GET",
    `/organizations/${org.slug}/members/?limit=1000`,
    {
      key: org.key,
    },
  );
  const member = body.results.find(({ user_uid: uid }) => uid === user.uid);
  if (!member) throw new Error("there is no such member");
  return member;
};
const patch = async (user: { uid: string }, body: object) =>
  request<MemberResource & Record<string, string[]>>(
    "PATCH",
    `/organizations/${org.slug}/members/${(await readMember(user)).uid}/`,
    { key: org.key, body },
  );
const invite = (body: object) =>
  request<InvitationResource & Record<string, string[]>>("POST", `/organizations/${org.slug}/invitations/`, {
    key: org.key,
    body,
  });
const register = async (member: TestMember) =>
  (await request("POST", "/fleet/recordings/", { key: member.key, body: {} })).status;

describe("a read-only member", () => {
  test("is invited as one and is one from the first request", async () => {
    const user = await makeUser();
    const invitation = await invite({ email: user.email, role: "member", read_only: true });
    expect([invitation.status, invitation.body.read_only]).toEqual([201, true]);
    const token = invitation.body.copy_link?.split("/").at(-1) ?? "";
    const home = await makeOrganization();
    const accepted = await request("POST", `/organizations/invitations/${token}/accept/`, {
      key: (await addMember(home, "member", { user })).key,
      body: { invited_email: user.email },
    });
    expect([accepted.status, accepted.body.read_only]).toEqual([201, true]);
    expect((await readMember(user)).read_only).toBe(true);
    const key = await makeKey(org, user);
    expect((await request<OrganizationResource>("GET", `/organizations/${org.slug}/`, { key })).body).toMatchObject({
      role: "member",
      read_only: true,
    });
    expect((await request("POST", "/fleet/recordings/", { key, body: {} })).status).toBe(403);
  });

  test("becomes one by an admin and is none again, effective at the next request", async () => {
    const member = await addMember(org);
    expect(await register(member)).toBe(400);
    expect((await patch(member, { read_only: true })).body).toMatchObject({ role: "member", read_only: true });
    expect(await register(member)).toBe(403);
    expect((await patch(member, { read_only: false })).body.read_only).toBe(false);
    expect(await register(member)).toBe(400);
  });

  test("is no admin: making one an admin ends it, and an admin is not made read-only", async () => {
    const member = await addMember(org, "member", { readOnly: true });
    expect((await patch(member, { role: "admin" })).body).toMatchObject({ role: "admin", read_only: false });
    const refused = await patch(member, { read_only: true });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["read_only"]]);
    const invited = await invite({ email: "admin@example.com", role: "admin", read_only: true });
    expect([invited.status, Object.keys(invited.body)]).toEqual([400, ["read_only"]]);
  });

  test("who becomes the owner is read-only no longer", async () => {
    const mine = await makeOrganization();
    const member = await addMember(mine, "member", { readOnly: true });
    const trpc = createTrpcCaller(mine);
    const { uid } = (await trpc.members.list({})).results.find(({ user_uid: user }) => user === member.uid) ?? {
      uid: "",
    };
    expect(await trpc.organizations.transferOwnership({ uid })).toMatchObject({ role: "owner", read_only: false });
  });
});

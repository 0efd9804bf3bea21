import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expireInvitations } from "@/server/features/membership/invitation-service";
import type { AcceptedInvitation, InvitationResource } from "@/server/features/membership/resource";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { jobs } from "@/server/platform/jobs/definitions";
import {
  addMember,
  makeKey,
  makeOrganization,
  makeUser,
  unique,
  type TestOrganization,
  type TestUser,
} from "@/server/testing/factories";
import { startMailServer, type MailServer } from "@/server/testing/mail-server";
import { queuedJobs, runQueuedJobs } from "@/server/testing/queued-jobs";
import { request, createTrpcCaller, trpcSignedOut } from "@/server/testing/requests";

let own: TestOrganization;
beforeAll(async () => {
  own = await makeOrganization();
});

const at = (organization: { slug: string } = own) => `/organizations/${organization.slug}/invitations/`;
const invite = (body: object, key = own.key, organization: { slug: string } = own) =>
  request<InvitationResource>("POST", at(organization), { key, body });
const fresh = () => `${unique()}@example.com`;
const readToken = (invitation: { copy_link: string | null }) => invitation.copy_link?.split("/").at(-1) ?? "";
const accept = (token: string, key: string, body: object) =>
  request<AcceptedInvitation & { detail: string }>("POST", `/organizations/invitations/${token}/accept/`, {
    key,
    body,
  });

/** A user of another organization, with a key there. */
async function outsider(): Promise<TestUser & { key: string }> {
  const user = await makeUser();
  const home = await makeOrganization();
  await addMember(home, "member", { user });
  return { ...user, key: await makeKey(home, user) };
}

describe("inviting", () => {
  test("an admin's invitation is pending, lasts 7 days, and is listed as it was returned", async () => {
    const admin = await addMember(own, "admin");
    const email = fresh();
    const { status, body } = await invite({ email: ` ${email.toUpperCase()} `, role: "admin" }, admin.key);
    expect(status).toBe(201);
    expect(body).toMatchObject({ email, role: "admin", status: "pending", invited_by: admin.uid, is_expired: false });
    expect(body.accept_url).toMatch(new RegExp(`^${env.PUBLIC_URL}/invite/[A-Za-z0-9_-]{43}$`));
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeGreaterThan(6.99 * 86_400_000);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeLessThan(7.01 * 86_400_000);
    const { body: list } = await request<{ results: InvitationResource[] }>("GET", at(), { key: own.key });
    expect(list.results[0]).toEqual(body);
  });

  test.each([
    [{}, { email: ["This field is required."], role: ["This field is required."] }],
    [{ email: "a@example.com", role: "owner" }, { role: ['"owner" is not a valid choice. Choices: admin, member.'] }],
    [{ email: "a@example.com", role: "ADMIN" }, { role: ['"ADMIN" is not a valid choice. Choices: admin, member.'] }],
    [
      { email: `${"a".repeat(251)}@x.de`, role: "member" },
      { email: ["Ensure this field has no more than 254 characters."] },
    ],
    [{ email: "nobody", role: "member" }, { email: ["Enter a valid email address."] }],
    [{ email: "", role: "member" }, { email: ["This field may not be blank."] }],
    [
      { email: null, role: null },
      { email: ["This field may not be null."], role: ["This field may not be null."] },
    ],
  ])("%j is refused, naming its fields", async (body, fields) => {
    const response = await invite(body);
    expect([response.status, response.body]).toEqual([400, fields]);
  });

  test("an address is invited once, whatever the case of its letters, and a member never", async () => {
    const taken = { detail: "An invitation for this email address already exists." };
    const email = fresh();
    await invite({ email, role: "member" });
    for (const again of [email, email.toUpperCase(), own.owner.email, own.owner.email.toUpperCase()]) {
      const { status, body } = await invite({ email: again, role: "member" });
      expect([status, body]).toEqual([409, taken]);
    }
    const elsewhere = await makeOrganization();
    expect((await invite({ email, role: "member" }, elsewhere.key, elsewhere)).status).toBe(201);
  });

  test("of concurrent invitations of one address only one is created", async () => {
    const email = fresh();
    const responses = await Promise.all(Array.from({ length: 4 }, () => invite({ email, role: "member" })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test("members can neither create nor list invitations", async () => {
    const member = await addMember(own, "member");
    expect((await invite({ email: fresh(), role: "member" }, member.key)).status).toBe(403);
    expect((await request("GET", at(), { key: member.key })).status).toBe(403);
    const scoped = await makeKey(own, own.owner, { scopes: ["fleet.read", "datasets.write"] });
    const refused = await invite({ email: fresh(), role: "member" }, scoped);
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: "You do not have permission to perform this action." },
    ]);
  });

  test("another organization's invitations and members are not found", async () => {
    const other = await makeOrganization();
    const foreign = (await invite({ email: fresh(), role: "member" }, other.key, other)).body;
    expect((await invite({ email: "bogus" }, own.key, other)).body).toEqual({ detail: "Not found." });
    expect((await request("POST", `${at()}${foreign.uid}/resend/`, { key: own.key })).status).toBe(404);
    expect((await request("DELETE", `${at()}${foreign.uid}/`, { key: own.key })).status).toBe(404);
    const { body } = await request("GET", `${at()}?limit=1000`, { key: own.key });
    expect(JSON.stringify(body)).not.toContain(foreign.email);
  });

  test("the list is filtered by status and paged", async () => {
    const place = await makeOrganization();
    for (let i = 0; i < 3; i++) await invite({ email: fresh(), role: "member" }, place.key, place);
    const { body: page } = await request("GET", `${at(place)}?limit=2`, { key: place.key });
    await request("DELETE", `${at(place)}${page.results[0]?.uid}/`, { key: place.key });
    const { body: rest } = await request("GET", page.next ?? "", { key: place.key });
    expect([page.results.length, rest.results.length, rest.next]).toEqual([2, 1, null]);
    const count = async (status: string) =>
      (await request("GET", `${at(place)}?status=${status}`, { key: place.key })).body.results.length;
    expect([
      await count("pending"),
      await count("cancelled"),
      await count("pending,cancelled"),
      await count("expired"),
    ]).toEqual([2, 1, 3, 0]);
    expect((await request("GET", `${at(place)}?status=open`, { key: place.key })).status).toBe(400);
  });
});

describe("accepting", () => {
  test("makes the invited person a member in the role of the invitation, whatever the body says", async () => {
    const person = await outsider();
    const { body: invitation } = await invite({ email: person.email, role: "member" });
    const body = { invited_email: person.email.toUpperCase(), role: "owner", status: "x", expires_at: "never" };
    const response = await accept(readToken(invitation), person.key, body);
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      invited_email: person.email,
      uid: invitation.uid,
      organization_name: own.name,
      organization_slug: own.slug,
      invited_by_username: own.owner.username,
      role: "member",
      read_only: false,
      status: "accepted",
      expires_at: invitation.expires_at,
      is_expired: false,
      accept_url: invitation.accept_url,
      copy_link: invitation.copy_link,
      created_at: invitation.created_at,
    });
    const { body: members } = await request("GET", `/organizations/${own.slug}/members/?search=${person.username}`, {
      key: own.key,
    });
    expect(members.results).toMatchObject([{ user_uid: person.uid, role: "member" }]);
    const { body: list } = await request<{ results: InvitationResource[] }>("GET", `${at()}?status=accepted`, {
      key: own.key,
    });
    expect(list.results.find(({ uid }) => uid === invitation.uid)).toMatchObject({ accept_url: null, copy_link: null });
  });

  test("works once, also when it is accepted several times concurrently", async () => {
    const person = await outsider();
    const { body: invitation } = await invite({ email: person.email, role: "member" });
    const body = { invited_email: person.email };
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => accept(readToken(invitation), person.key, body)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
    expect(await prisma.membership.count({ where: { organizationId: own.uid, userId: person.uid } })).toBe(1);
    expect((await accept(readToken(invitation), person.key, body)).body).toEqual({ detail: "Not found." });
  });

  test("needs the invited address to be the body's and the caller's own", async () => {
    const [person, thief] = [await outsider(), await outsider()];
    const { body: invitation } = await invite({ email: person.email, role: "admin" });
    const token = readToken(invitation);
    expect((await accept(token, thief.key, { invited_email: person.email })).status).toBe(403);
    expect((await accept(token, thief.key, { invited_email: thief.email })).status).toBe(403);
    expect((await accept(token, person.key, { invited_email: thief.email })).status).toBe(403);
    expect((await accept(token, person.key, {})).body).toEqual({ invited_email: ["This field is required."] });
    expect((await accept(token, person.key, { invited_email: person.email })).status).toBe(201);
  });

  test("a cancelled, expired or unknown token is missing, before any field is looked at", async () => {
    const person = await outsider();
    const make = async () => (await invite({ email: person.email, role: "member" })).body;
    const cancelled = await make();
    expect((await request("DELETE", `${at()}${cancelled.uid}/`, { key: own.key })).status).toBe(204);
    const expired = await make();
    await prisma.invitation.update({ where: { uid: expired.uid }, data: { expiresAt: new Date(0) } });
    const others = ["x", "%00", "a".repeat(43), "list", "a".repeat(10_000)];
    for (const token of [readToken(cancelled), readToken(expired), ...others]) {
      for (const body of [{ invited_email: person.email }, {}]) {
        const response = await accept(token, person.key, body);
        expect([response.status, response.body]).toEqual([404, { detail: "Not found." }]);
      }
      await expect(trpcSignedOut().invitations.preview({ token })).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });

  test("needs an authenticated caller", async () => {
    const { body: invitation } = await invite({ email: fresh(), role: "member" });
    const response = await request("POST", `/organizations/invitations/${readToken(invitation)}/accept/`, { body: {} });
    expect(response.status).toBe(401);
    const shown = await trpcSignedOut().invitations.preview({ token: readToken(invitation) });
    expect(shown).toMatchObject({ invited_email: invitation.email, organization_name: own.name, role: "member" });
    expect(JSON.stringify(shown)).not.toContain(own.uid);
  });

  test("works the same over tRPC, whichever organization is chosen", async () => {
    const home = await makeOrganization();
    const trpc = createTrpcCaller(own);
    const invitation = await trpc.invitations.create({ email: home.owner.email, role: "admin" });
    await createTrpcCaller(home).invitations.accept({ token: readToken(invitation), invited_email: home.owner.email });
    const { results } = await createTrpcCaller(home).organizations.list({});
    expect(results.map(({ slug, role }) => [slug, role])).toEqual([
      [own.slug, "admin"],
      [home.slug, "owner"],
    ]);
    const entry = await prisma.auditEntry.findFirstOrThrow({
      where: { action: "invitation.accepted", targetId: invitation.uid },
    });
    expect(entry).toMatchObject({ organizationId: own.uid, actorId: home.owner.uid });
  });
});

describe("the lifecycle of invitations", () => {
  test("an expired one reads as expired, and its address can be invited again", async () => {
    const email = fresh();
    const { body: first } = await invite({ email, role: "member" });
    await prisma.invitation.update({ where: { uid: first.uid }, data: { expiresAt: new Date(0) } });
    const { body } = await request<{ results: InvitationResource[] }>("GET", `${at()}?status=expired`, {
      key: own.key,
    });
    expect(body.results.find(({ uid }) => uid === first.uid)).toMatchObject({
      status: "expired",
      is_expired: true,
      copy_link: null,
    });
    expect((await invite({ email, role: "member" })).status).toBe(201);
    // The first cannot be renewed while the second is pending.
    expect((await request("POST", `${at()}${first.uid}/resend/`, { key: own.key })).status).toBe(409);
  });

  test("the hourly job marks expired invitations only", async () => {
    const { body: old } = await invite({ email: fresh(), role: "member" });
    const { body: good } = await invite({ email: fresh(), role: "member" });
    await prisma.invitation.update({ where: { uid: old.uid }, data: { expiresAt: new Date(0) } });
    expect(await expireInvitations()).toBeGreaterThanOrEqual(1);
    const states = await prisma.invitation.findMany({
      where: { uid: { in: [old.uid, good.uid] } },
      orderBy: { uid: "asc" },
    });
    expect(states.map(({ status }) => status)).toEqual(["expired", "pending"]);
  });

  test("resending keeps a valid link and replaces an expired one", async () => {
    const person = await outsider();
    const { body: first } = await invite({ email: person.email, role: "member" });
    const resend = () => request<InvitationResource>("POST", `${at()}${first.uid}/resend/`, { key: own.key });
    expect((await resend()).body.copy_link).toBe(first.copy_link);
    await prisma.invitation.update({ where: { uid: first.uid }, data: { expiresAt: new Date(0), status: "expired" } });
    const { body: renewed } = await resend();
    expect(renewed).toMatchObject({ uid: first.uid, status: "pending" });
    expect(renewed.copy_link).not.toBe(first.copy_link);
    expect((await accept(readToken(first), person.key, { invited_email: person.email })).status).toBe(404);
    expect((await accept(readToken(renewed), person.key, { invited_email: person.email })).status).toBe(201);
    expect((await resend()).body).toEqual({ status: ["This invitation is accepted."] });
    const cancel = await request("DELETE", `${at()}${first.uid}/`, { key: own.key });
    expect(cancel.body).toEqual({ status: ["This invitation is accepted."] });
  });

  test("no token is stored in plain text", async () => {
    const { body } = await invite({ email: fresh(), role: "member" });
    const row = await prisma.invitation.findUniqueOrThrow({ where: { uid: body.uid } });
    const entries = await prisma.auditEntry.findMany({ where: { targetId: body.uid } });
    expect(JSON.stringify([row, entries])).not.toContain(readToken(body));
  });
});

describe("the invitation's mail", () => {
  let mail: MailServer;
  beforeAll(async () => {
    mail = await startMailServer();
  });
  afterAll(() => mail.close());
  const decodeContent = (raw: string) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");

  test("reaches the invited address with the link, as plain text and as HTML with escaped names", async () => {
    const place = await makeOrganization({ name: "Evil <img src=x>\r\nBcc: all@example.com" });
    const { body: invitation } = await invite({ email: fresh(), role: "admin" }, place.key, place);
    expect(await runQueuedJobs(jobs.mailInvitation, { invitationId: invitation.uid })).toBe(1);
    const [received] = mail.received.filter(({ to }) => to.includes(invitation.email));
    expect(received?.to).toEqual([invitation.email]);
    const content = decodeContent(received?.raw ?? "");
    expect(content).toMatch(/^From: Muster <muster@localhost>/m);
    expect(content).toMatch(/^Subject: Join Evil <img src=x> Bcc: all@example.com on Muster\r$/m);
    expect(content).not.toMatch(/^Bcc:/m);
    expect(content).toContain("multipart/alternative");
    expect(content).toContain(`Accept the invitation:\r\n${invitation.accept_url}`);
    expect(content).toContain(`<a href="${invitation.accept_url}">`);
    expect(content).toContain("Evil &lt;img src=x&gt;");
  });

  test("is sent again after the server refused it", async () => {
    const { body: invitation } = await invite({ email: fresh(), role: "member" });
    mail.refuseWith(451);
    await expect(runQueuedJobs(jobs.mailInvitation, { invitationId: invitation.uid })).rejects.toMatchObject({
      responseCode: 451,
    });
    mail.refuseWith(null);
    expect(await queuedJobs(jobs.mailInvitation, { invitationId: invitation.uid })).toHaveLength(1);
    await runQueuedJobs(jobs.mailInvitation, { invitationId: invitation.uid });
    expect(mail.received.filter(({ to }) => to.includes(invitation.email))).toHaveLength(1);
  });

  test("is queued only when the invitation was created", async () => {
    const email = fresh();
    const place = await makeOrganization();
    await invite({ email, role: "member" }, place.key, place);
    await invite({ email, role: "member" }, place.key, place);
    expect(await queuedJobs(jobs.mailInvitation, { organizationId: place.uid })).toHaveLength(1);
  });

  test("is queued without the link, and not sent once the invitation was cancelled", async () => {
    const place = await makeOrganization();
    const { body: invitation } = await invite({ email: fresh(), role: "member" }, place.key, place);
    const token = invitation.accept_url?.split("/").at(-1) ?? "";
    expect(token).toHaveLength(43);
    const queued = await queuedJobs(jobs.mailInvitation, { organizationId: place.uid });
    expect(queued).toHaveLength(1);
    expect(JSON.stringify(queued)).not.toContain(token);
    expect(await queuedJobs(jobs.sendMail, { to: invitation.email })).toEqual([]);
    const path = `/organizations/${place.slug}/invitations/${invitation.uid}/`;
    expect((await request("DELETE", path, { key: place.key })).status).toBe(204);
    await runQueuedJobs(jobs.mailInvitation, { organizationId: place.uid });
    expect(mail.received.filter(({ to }) => to.includes(invitation.email))).toEqual([]);
  });
});

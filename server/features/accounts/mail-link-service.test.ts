import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyCredentials } from "@/server/platform/auth/password";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import {
  addMember,
  makeOrganization,
  makeSession,
  sessionCookie,
  testPassword,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { startMailServer, type MailServer } from "@/server/testing/mail-server";
import { queuedJobs, runQueuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller, request, trpcSignedOut } from "@/server/testing/requests";
import { readSession } from "@/server/transport/session/session";

let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());

let own: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  own = await makeOrganization();
  member = await addMember(own);
});

const anyone = trpcSignedOut();
const newPassword = "another good one";
const decodeContent = (raw: string) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
const listMails = (email: string) => mail.received.filter(({ to }) => to.includes(email));

/** Sends what is queued for an address and reads the token of the last mail. */
async function readToken(email: string, path: string): Promise<string> {
  await runQueuedJobs(jobs.mailAccountLink, { email });
  const content = decodeContent(listMails(email).at(-1)?.raw ?? "");
  return new RegExp(`http://127\\.0\\.0\\.1:3000/${path}/([\\w-]{43})\\r`).exec(content)?.[1] ?? "";
}

async function requestReset(email: string): Promise<string> {
  await anyone.account.requestPasswordReset({ email });
  return readToken(email.trim().toLowerCase(), "reset-password");
}

const invalidLink = { code: "BAD_REQUEST", message: expect.stringContaining("This link is no longer valid.") };

describe("a forgotten password", () => {
  test("is replaced by the link of a mail, which ends every session and keeps keys", async () => {
    const cookie = await sessionCookie(member, { sessionUid: await makeSession(member) });
    const token = await requestReset(` ${member.email.toUpperCase()} `);
    expect(await anyone.account.isResetLinkValid({ token })).toBe(true);
    await anyone.account.resetPassword({ token, password: newPassword });
    expect(await verifyCredentials(member.email, testPassword)).toBeNull();
    expect(await verifyCredentials(member.email, newPassword)).toMatchObject({ uid: member.uid });
    expect(await readSession(cookie)).toBeNull();
    expect((await request("GET", "/organizations/", { key: member.key })).status).toBe(200);
    // The ended session's refusal is written by batches, so it may stand among them already.
    const entries = "select action, organization_id from audit_entries where actor_id = $1 and action <> $2";
    const { rows } = await pool.query(entries, [member.uid, "access.refused"]);
    expect(rows).toEqual([{ action: "user.password_reset", organization_id: own.uid }]);
  });

  test("is replaced once by a link, also by concurrent calls, and not by a refused password", async () => {
    const token = await requestReset(member.email);
    await expect(anyone.account.resetPassword({ token, password: "password123" })).rejects.toThrow("too common");
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => anyone.account.resetPassword({ token, password: newPassword })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await anyone.account.isResetLinkValid({ token })).toBe(false);
    await expect(anyone.account.resetPassword({ token, password: newPassword })).rejects.toMatchObject(invalidLink);
  });

  test("is not replaced by a link older than 30 minutes, an earlier one, another one or that of another purpose", async () => {
    const earlier = await requestReset(member.email);
    const later = await requestReset(member.email);
    expect(await anyone.account.isResetLinkValid({ token: earlier })).toBe(false);
    const { expiresAt, createdAt } = await prisma.mailLink.findFirstOrThrow({
      where: { userId: member.uid, expiresAt: { gt: new Date() } },
    });
    expect(Math.round((expiresAt.getTime() - createdAt.getTime()) / 60_000)).toBe(30);
    await expect(anyone.account.verifyEmail({ token: later })).rejects.toMatchObject(invalidLink);
    await pool.query("update mail_links set expires_at = expires_at - interval '31 minutes' where user_id = $1", [
      member.uid,
    ]);
    for (const token of [earlier, later, "x".repeat(43), "", "'\0"]) {
      await expect(anyone.account.resetPassword({ token, password: newPassword })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
    }
    expect(await verifyCredentials(member.email, testPassword)).not.toBeNull();
  });

  test("of an unknown address gets the same response and no mail", async () => {
    const email = `${unique("nobody")}@example.com`;
    expect(await anyone.account.requestPasswordReset({ email })).toBeUndefined();
    expect(await queuedJobs(jobs.mailAccountLink, { email })).toHaveLength(1);
    expect(await readToken(email, "reset-password")).toBe("");
    expect(listMails(email)).toEqual([]);
  });

  test("is mailed at most five times an hour", async () => {
    for (let n = 0; n < 7; n++) await requestReset(member.email);
    expect(listMails(member.email)).toHaveLength(5);
  });

  test("has no token in the queue or the database", async () => {
    await anyone.account.requestPasswordReset({ email: member.email });
    expect((await queuedJobs(jobs.mailAccountLink, { email: member.email }))[0]?.payload).toEqual({
      email: member.email,
      purpose: "reset",
    });
    const token = await readToken(member.email, "reset-password");
    expect(token).not.toBe("");
    expect(JSON.stringify(await prisma.mailLink.findMany({ where: { userId: member.uid } }))).not.toContain(token);
  });
});

describe("the address of a new account", () => {
  const signUp = async (): Promise<{ email: string; key: string; slug: string }> => {
    const email = `${unique("new")}@example.com`;
    const { body } = await request<{ api_key: string; user: { username: string } }>("POST", "/signup/", {
      body: { email, password: "long enough" },
    });
    return { email, key: body.api_key, slug: body.user.username };
  };
  const channel = (key: string) =>
    request("POST", "/fleet/alerts/channels/", {
      key,
      body: { name: unique("mail"), type: "email", config: { recipients: ["victim@example.com"] } },
    });
  const invite = (key: string, slug: string, email: string) =>
    request<{ uid: string; accept_url: string }>("POST", `/organizations/${slug}/invitations/`, {
      key,
      body: { email, role: "member" },
    });

  test("is confirmed by the link of a mail, and until then the account sends no mail to others", async () => {
    const { email, key, slug } = await signUp();
    const guest = `${unique("guest")}@example.com`;
    expect((await channel(key)).status).toBe(403);
    const invited = await invite(key, slug, guest);
    expect([invited.status, invited.body.accept_url]).toEqual([201, expect.stringContaining("/invite/")]);
    expect(await queuedJobs(jobs.mailInvitation, { invitationId: invited.body.uid })).toEqual([]);

    await anyone.account.verifyEmail({ token: await readToken(email, "verify-email") });
    expect((await channel(key)).status).toBe(201);
    const other = `${unique("guest")}@example.com`;
    const mailed = await invite(key, slug, other);
    expect(await queuedJobs(jobs.mailInvitation, { invitationId: mailed.body.uid })).toHaveLength(1);
  });

  test("cannot be confirmed twice, and one that is confirmed gets no more links", async () => {
    const { email } = await signUp();
    const token = await readToken(email, "verify-email");
    await anyone.account.verifyEmail({ token });
    await expect(anyone.account.verifyEmail({ token })).rejects.toMatchObject(invalidLink);
    await createTrpcCaller(own, member).account.requestVerification();
    expect(await queuedJobs(jobs.mailAccountLink, { email: member.email })).toEqual([]);
  });

  test("is confirmed by setting a new password by mail", async () => {
    const { email } = await signUp();
    await anyone.account.resetPassword({ token: await requestReset(email), password: newPassword });
    expect((await prisma.user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt).not.toBeNull();
  });

  test("of an invited newcomer is not confirmed by the invitation, whose link others can copy", async () => {
    const email = `${unique("guest")}@example.com`;
    const { body } = await invite(own.key, own.slug, email);
    const invitation = body.accept_url.slice(body.accept_url.lastIndexOf("/") + 1);
    await anyone.account.signUp({ email, password: "long enough", invitation });
    expect((await prisma.user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt).toBeNull();
    expect(await queuedJobs(jobs.mailAccountLink, { email, purpose: "verify" })).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyCredentials } from "@/server/platform/auth/password";
import { prisma } from "@/server/platform/db";
import { bundledCommandLine, type CommandLine, type Ended } from "@/server/testing/command-line";
import { addMember, makeOrganization, makeSession, sessionCookie, unique } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import { setUpSecondFactor } from "@/server/testing/second-factor";
import { readSession } from "@/server/transport/session/session";

let commandLine: CommandLine;
const muster = (args: string[], input = ""): Promise<Ended> => commandLine.start(["users", ...args], { input }).ended;

beforeAll(async () => {
  commandLine = await bundledCommandLine();
});
afterAll(() => commandLine.close());

const address = () => `${unique("cli")}@example.com`;

describe("users create", () => {
  test("makes an account with an organization of its own and prints a password that works, and nothing else", async () => {
    const email = address();
    const made = await muster(["create", email.toUpperCase(), "--organization-name", "Harbour"]);
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^[\w-]{20}\n$/)]);
    expect(await verifyCredentials(email, made.out.trim())).toMatchObject({ email });
    const user = await prisma.user.findUniqueOrThrow({
      where: { email },
      include: { memberships: { include: { organization: true } }, apiKeys: true },
    });
    expect(user.emailVerifiedAt).not.toBeNull();
    expect(user.apiKeys).toEqual([]);
    expect(user.memberships).toMatchObject([{ role: "owner", organization: { name: "Harbour" } }]);
    const entry = await prisma.auditEntry.findFirstOrThrow({ where: { targetId: user.uid, action: "user.created" } });
    expect(entry).toMatchObject({ actorType: "system", actorName: "command line" });
  });

  test("makes a member of an organization with the password on standard input", async () => {
    const [org, email] = [await makeOrganization(), address()];
    const args = ["create", email, "--organization", org.slug, "--role", "admin", "--password-stdin"];
    const made = await muster(args, "from a password manager\n");
    expect([made.code, made.out]).toEqual([0, ""]);
    expect(await verifyCredentials(email, "from a password manager")).not.toBeNull();
    const memberships = await prisma.membership.findMany({ where: { user: { email } } });
    expect(memberships).toMatchObject([{ organizationId: org.uid, role: "admin" }]);
  });

  test("refuses what sign-up refuses, naming the option", async () => {
    const known = await addMember(await makeOrganization());
    const refusals: [string[], string, string][] = [
      [["create", known.email], "", "<email>: A user with this email address already exists."],
      [["create", "nobody"], "", "<email>: Enter a valid email address."],
      [["create", address(), "--password-stdin"], "password123\n", "the password: This password is too common."],
      [["create", address(), "--password-stdin"], "short\n", "the password: Ensure this field has at least 8"],
      [["create", address(), "--role", "owner"], "", '--role: "owner" is not a valid choice. Choices: admin, member.'],
      [["create", address(), "--organization", "no-such"], "", 'There is no organization "no-such".'],
    ];
    for (const [args, input, message] of refusals) {
      const ended = await muster(args, input);
      expect([ended.code, ended.out]).toEqual([1, ""]);
      expect(ended.err).toContain(message);
    }
  });
});

test("users disable ends sessions, refuses keys and sign-in, and can be undone", async () => {
  const member = await addMember(await makeOrganization());
  const sessionUid = await makeSession(member);
  const [cookie, { passwordHash }] = [
    await sessionCookie(member, { sessionUid }),
    await prisma.user.findUniqueOrThrow({ where: { uid: member.uid } }),
  ];
  const status = async () => (await request("GET", "/organizations/", { key: member.key })).status;
  const signIn = async () => (await verifyCredentials(member.email, "a password for tests")) !== null;
  expect([await status(), await signIn(), (await readSession(cookie)) !== null]).toEqual([200, true, true]);
  expect((await muster(["disable", member.username])).code).toBe(0);
  expect([await status(), await signIn(), (await readSession(cookie)) !== null]).toEqual([401, false, false]);
  await expect(makeSession(member)).rejects.toThrow("not started");
  expect((await muster(["list"])).out).toContain(`${member.uid}  ${member.username}  ${member.email}  disabled`);
  expect((await muster(["disable", member.email, "--enable"])).code).toBe(0);
  expect([await status(), await signIn(), (await readSession(cookie)) !== null]).toEqual([200, true, false]);
  expect((await prisma.user.findUniqueOrThrow({ where: { uid: member.uid } })).passwordHash).toBe(passwordHash);
});

test("users reset-password sets a password that works and ends sessions", async () => {
  const member = await addMember(await makeOrganization());
  const cookie = await sessionCookie(member);
  const reset = await muster(["reset-password", member.email]);
  expect([reset.code, reset.out]).toEqual([0, expect.stringMatching(/^[\w-]{20}\n$/)]);
  expect(await verifyCredentials(member.email, "a password for tests")).toBeNull();
  expect(await verifyCredentials(member.email, reset.out.trim())).toMatchObject({ uid: member.uid });
  expect(await readSession(cookie)).toBeNull();
  const unknown = await muster(["reset-password", "nobody@example.com"]);
  expect([unknown.code, unknown.out]).toEqual([1, ""]);
});

test("users reset-second-factor removes a lost one with its recovery codes, and ends sessions", async () => {
  const org = await makeOrganization();
  const member = await addMember(org);
  expect((await muster(["reset-second-factor", member.username])).err).toContain("has no second factor");
  await setUpSecondFactor(org, member);
  const cookie = await sessionCookie(member);
  const reset = await muster(["reset-second-factor", member.email]);
  expect([reset.code, reset.out]).toEqual([0, ""]);
  expect(await readSession(cookie)).toBeNull();
  const left = { where: { userId: member.uid } };
  expect([await prisma.secondFactor.count(left), await prisma.recoveryCode.count(left)]).toEqual([0, 0]);
  const where = { targetId: member.uid, action: "user.second_factor_reset" };
  expect(await prisma.auditEntry.findFirstOrThrow({ where })).toMatchObject({ actorName: "command line" });
});

test("users unlink separates an account from its identities at issuers", async () => {
  const member = await addMember(await makeOrganization());
  expect((await muster(["unlink", member.username])).err).toContain("nothing changed");
  const identity = { userId: member.uid, issuer: "https://login.example.com", subject: unique("sub") };
  await prisma.identity.create({ data: { uid: unique("uid"), ...identity } });
  expect((await muster(["unlink", member.username])).code).toBe(0);
  expect(await prisma.identity.count({ where: { userId: member.uid } })).toBe(0);
  const where = { targetId: member.uid, action: "user.identity_removed" };
  expect(await prisma.auditEntry.count({ where })).toBe(1);
});

test("users list names every account with its organizations and roles", async () => {
  const org = await makeOrganization();
  const member = await addMember(org, "admin");
  const { code, out } = await muster(["list"]);
  expect(code).toBe(0);
  expect(out).toContain(`${member.uid}  ${member.username}  ${member.email}  admin of ${org.slug}\n`);
  expect(out).toContain(`owner of ${org.slug}\n`);
});

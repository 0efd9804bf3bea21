import { randomBytes } from "node:crypto";
import { encode } from "next-auth/jwt";
import type { CreateDevice } from "@/domain/devices/schema";
import type { Role, Scope } from "@/domain/permissions";
import type { RegisteredDevice } from "@/server/features/devices/resource";
import { registerDevice } from "@/server/features/devices/service";
import { createBuiltinRules } from "@/server/features/membership/builtin-rules-service";
import { hashPassword } from "@/server/platform/auth/password";
import type { Ctx } from "@/server/platform/context";
import { newToken, sha256 } from "@/server/platform/crypto";
import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { createSessionContext, organizationCookie, type Session } from "@/server/transport/session/session";
import { startSession, type Browser } from "@/server/transport/session/session-queries";

/**
 * Factories of rows, through services. All names are unique, because the tests of one worker share a database. What
 * sends requests is in `requests.ts`.
 */

/** Returns a name that no other call returns. */
export const unique = (word = "t"): string => `${word}-${randomBytes(6).toString("hex")}`;

/** The password of every user created here. */
export const testPassword = "a password for tests";
const testPasswordHash = () => processWide("testPasswordHash", () => hashPassword(testPassword));

export interface TestUser {
  uid: string;
  username: string;
  email: string;
}

/** A member of an organization, with an API key there that is unscoped by default. */
export interface TestMember extends TestUser {
  role: Role;
  readOnly?: boolean;
  key: string;
}

export interface TestOrganization {
  uid: string;
  slug: string;
  name: string;
  owner: TestMember;
  /** The owner's unscoped key. */
  key: string;
  /** The owner's context, as of a session. */
  ctx: Ctx;
}

/** Creates a user without an organization. */
export async function makeUser(
  options: { username?: string; email?: string; staff?: boolean } = {},
): Promise<TestUser> {
  const username = options.username ?? unique("user");
  const email = options.email ?? `${username}@example.com`;
  const uid = uuidv7();
  const passwordHash = await testPasswordHash();
  const isStaff = options.staff ?? false;
  await prisma.user.create({ data: { uid, username, email, passwordHash, isStaff, emailVerifiedAt: new Date() } });
  await prisma.nameClaim.create({ data: { name: username, userId: uid } });
  return { uid, username, email };
}

/** Creates an organization with its owner, the owner's key and the built-in rules. */
export async function makeOrganization(
  options: { name?: string; slug?: string; staff?: boolean } = {},
): Promise<TestOrganization> {
  const slug = options.slug ?? unique("org");
  const name = options.name ?? `Organization ${slug}`;
  const uid = uuidv7();
  await prisma.organization.create({ data: { uid, slug, name } });
  await prisma.nameClaim.create({ data: { name: slug, organizationId: uid } });
  await createBuiltinRules({ db: prisma, organizationId: uid });
  const owner = await addMember({ uid }, "owner", options.staff ? { staff: true } : {});
  const organization = { uid, slug, name };
  return {
    ...organization,
    owner,
    key: owner.key,
    ctx: createSessionContext(sessionFor(organization, owner), testOrigin),
  };
}

/** Adds a user (by default a new one) to an organization, with a key there. */
export async function addMember(
  organization: { uid: string },
  role: Role = "member",
  options: { user?: TestUser; staff?: boolean; scopes?: readonly Scope[]; readOnly?: boolean } = {},
): Promise<TestMember> {
  const user = options.user ?? (await makeUser(options.staff ? { staff: true } : {}));
  const { readOnly = false } = options;
  await prisma.membership.create({
    data: { uid: uuidv7(), organizationId: organization.uid, userId: user.uid, role, readOnly },
  });
  return { ...user, role, readOnly, key: await makeKey(organization, user, { scopes: options.scopes ?? [] }) };
}

/** Creates an API key and returns its secret. No scopes means full access. */
export async function makeKey(
  organization: { uid: string },
  user: { uid: string },
  options: { name?: string; scopes?: readonly Scope[]; expiresAt?: Date } = {},
): Promise<string> {
  const key = newToken("svk_");
  await prisma.apiKey.create({
    data: {
      uid: uuidv7(),
      organizationId: organization.uid,
      userId: user.uid,
      name: options.name ?? "test",
      hash: sha256(key),
      prefix: key.slice(0, 8),
      lastFour: key.slice(-4),
      scopes: [...(options.scopes ?? [])],
      expiresAt: options.expiresAt ?? null,
    },
  });
  return key;
}

/** Registers a device; the result contains its token. */
export const makeDevice = (organization: { ctx: Ctx }, input: Partial<CreateDevice> = {}): Promise<RegisteredDevice> =>
  registerDevice(organization.ctx, { name: unique("device"), ...input });

/** Creates the row of a recording without files, by default `ready`. */
export async function makeRecording(
  organization: { uid: string },
  deviceId: string,
  options: Partial<Omit<Prisma.RecordingUncheckedCreateInput, "organizationId" | "deviceId">> = {},
) {
  const device = await prisma.device.findUnique({ where: { uid: deviceId }, select: { name: true } });
  const at = new Date();
  return prisma.recording.create({
    data: {
      uid: newUid("recording"),
      organizationId: organization.uid,
      deviceId,
      deviceName: device?.name ?? "",
      status: "ready",
      startedAt: at,
      endedAt: at,
      ...options,
    },
  });
}

/** Where the requests of tests come from. */
export const testOrigin = { ip: "127.0.0.1", requestId: "test" };

type SessionOrganization = Pick<TestOrganization, "uid" | "slug" | "name">;

/** The session of a member in a browser, without a row. */
export function sessionFor(
  organization: SessionOrganization,
  member: TestUser & { role: Role; readOnly?: boolean },
  staff = false,
): Session {
  return {
    uid: uuidv7(),
    userId: member.uid,
    username: member.username,
    email: member.email,
    staff,
    organizationId: organization.uid,
    organizationSlug: organization.slug,
    organizationName: organization.name,
    role: member.role,
    readOnly: member.readOnly ?? false,
    lacksSecondFactor: false,
  };
}

/** Starts a session of a user as a sign-in does. Returns its uid. */
export async function makeSession(user: { uid: string }, browser: Partial<Browser> = {}): Promise<string> {
  const { sessionVersion } = await prisma.user.findUniqueOrThrow({ where: { uid: user.uid } });
  const uid = await startSession({ uid: user.uid, sessionVersion }, { userAgent: null, ip: null, ...browser });
  if (uid === null) throw new Error("the session was not started");
  return uid;
}

/** The Cookie header of a signed-in user, as next-auth sets it; `slug` is the organization chosen in the shell. */
export async function sessionCookie(
  user: { uid: string },
  options: { slug?: string; sessionUid?: string } = {},
): Promise<string> {
  const sid = options.sessionUid ?? (await makeSession(user));
  return formatCookie(await encode({ token: { sub: user.uid, sid }, secret: env.AUTH_SECRET ?? "" }), options.slug);
}

/** The Cookie header with a token made before sessions had rows, for a version of the account. */
export async function cookieWithoutRow(user: { uid: string }, version = 1): Promise<string> {
  return formatCookie(await encode({ token: { sub: user.uid, version }, secret: env.AUTH_SECRET ?? "" }));
}

const formatCookie = (token: string, slug?: string): string =>
  `next-auth.session-token=${token}${slug ? `; ${organizationCookie}=${slug}` : ""}`;

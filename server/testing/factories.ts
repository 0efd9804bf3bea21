import { randomUUID } from "node:crypto";
import type { Ctx } from "@/server/context";
import { newToken, sha256 } from "@/server/crypto";
import { prisma } from "@/server/db";
import type { RegisteredDevice } from "@/server/devices/resource";
import { hashPassword } from "@/server/organizations/password";
import type { Role } from "@/server/permissions";
import { app } from "@/server/rest/app";
import { uuidv7 } from "@/server/uid";

/** A person in an organization, with an unscoped key. */
export interface TestMember {
  userId: string;
  username: string;
  email: string;
  password: string;
  key: string;
}

/** An organization of its own for a suite: nothing another test does can touch its rows. */
export interface TestOrganization extends TestMember {
  organizationId: string;
  slug: string;
  /** The context of its owner. */
  ctx: Ctx;
}

const password = "correct horse battery";
let hashed: Promise<string> | undefined;

async function makeUser(organizationId: string, role: Role): Promise<TestMember> {
  const username = `u-${randomUUID().slice(0, 18)}`;
  const userId = uuidv7();
  const email = `${username}@example.com`;
  hashed ??= hashPassword(password);
  await prisma.user.create({ data: { uid: userId, username, email, passwordHash: await hashed } });
  await prisma.nameClaim.create({ data: { name: username, userId } });
  await prisma.membership.create({ data: { uid: uuidv7(), organizationId, userId, role } });
  return { userId, username, email, password, key: await makeKey(organizationId, userId) };
}

/** A key of a user; without scopes it has full access. */
export async function makeKey(
  organizationId: string,
  userId: string,
  options: { scopes?: string[]; expiresAt?: Date } = {},
): Promise<string> {
  const key = newToken("svk_");
  await prisma.apiKey.create({
    data: {
      uid: uuidv7(),
      organizationId,
      userId,
      name: "test key",
      hash: sha256(key),
      prefix: "svk_",
      lastFour: key.slice(-4),
      scopes: options.scopes ?? [],
      expiresAt: options.expiresAt ?? null,
    },
  });
  return key;
}

/** A new organization with an owner and the owner's unscoped key. */
export async function makeOrganization(): Promise<TestOrganization> {
  const organizationId = uuidv7();
  const slug = `o-${randomUUID().slice(0, 18)}`;
  await prisma.organization.create({ data: { uid: organizationId, name: slug, slug } });
  await prisma.nameClaim.create({ data: { name: slug, organizationId } });
  const owner = await makeUser(organizationId, "owner");
  const ctx: Ctx = {
    organizationId,
    actor: { type: "user", id: owner.userId, name: owner.username, userId: owner.userId, username: owner.username },
    permissions: { scopes: "all", role: "owner", staff: false, device: false },
    db: prisma,
    ip: null,
    requestId: null,
  };
  return { ...owner, organizationId, slug, ctx };
}

/** Another person in an organization. */
export const makeMember = (organizationId: string, role: Role = "member"): Promise<TestMember> =>
  makeUser(organizationId, role);

export interface TestRequest {
  key?: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestAnswer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** One request to the REST API through its whole pipeline, below /api/v1. */
export async function request<T = Record<string, unknown>>(
  method: string,
  path: string,
  { key, token, body, headers = {} }: TestRequest = {},
): Promise<TestAnswer<T>> {
  const response = await app.request(`http://127.0.0.1:3000/api/v1${path}`, {
    method,
    headers: {
      ...(key !== undefined && { "x-service-api-key": key }),
      ...(token !== undefined && { "x-service-device-token": token }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === "" ? null : JSON.parse(text)) as T };
}

/** A device registered through the API, with its token. */
export async function makeDevice(organization: { key: string }, input: Record<string, unknown> = {}): Promise<RegisteredDevice> {
  const { status, body } = await request<RegisteredDevice>("POST", "/fleet/devices/", {
    key: organization.key,
    body: { name: "arm", ...input },
  });
  if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A recording of a device, still uploading, through the API. */
export async function makeRecording(organization: { key: string }, deviceId: string): Promise<{ uid: string }> {
  const { status, body } = await request<{ uid: string }>("POST", "/fleet/recordings/", {
    key: organization.key,
    body: { device_id: deviceId },
  });
  if (status !== 201) throw new Error(`recording answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

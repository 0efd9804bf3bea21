import { encode } from "next-auth/jwt";
import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { underSettings } from "@/server/testing/settings";
import { readSession } from "@/server/transport/session/session";
import { endSession, startSession } from "@/server/transport/session/session-queries";

/** Cookies that somebody else put into a browser, or made: none of them is a session. */

const name = "next-auth.session-token";
const readToken = (cookie: string): string => cookie.slice(name.length + 1);
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

let org: TestOrganization;
let other: TestOrganization;
let token: string;
beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  token = readToken(await sessionCookie(org.owner));
});

const claims = async () => ({ sub: org.owner.uid, sid: await startRow(org) });
async function startRow({ owner }: TestOrganization): Promise<string> {
  const user = await prisma.user.findUniqueOrThrow({ where: { uid: owner.uid } });
  return (await startSession(user, { userAgent: null, ip: null })) ?? "";
}
const withClaims = async (given: Record<string, unknown>, secret = env.AUTH_SECRET ?? "") =>
  encode({ token: given, secret });

const forgeries: [string, () => Promise<string> | string][] = [
  ["a text", () => "x"],
  ["nothing", () => ""],
  ["a valid one with a changed end", () => `${token.slice(0, -4)}AAAA`],
  ["a valid one with a changed beginning", () => `e${token}`],
  ["one encrypted with another secret", async () => withClaims(await claims(), "another secret of 32 characters!")],
  ["an unsigned JWT", async () => `${base64({ alg: "none" })}.${base64(await claims())}.`],
  ["a JWT signed by the wrong algorithm", async () => `${base64({ alg: "HS256" })}.${base64(await claims())}.AAAA`],
  ["one without a session", async () => withClaims({ sub: org.owner.uid })],
  ["one with a session that does not exist", async () => withClaims({ sub: org.owner.uid, sid: org.uid })],
  [
    "one that names the session of another person",
    async () => withClaims({ sub: org.owner.uid, sid: await startRow(other) }),
  ],
  ["one without a person", async () => withClaims({ sid: await startRow(org) })],
  [
    "one of a session that was ended",
    async () => {
      const { sub, sid } = await claims();
      await endSession(sid);
      return withClaims({ sub, sid });
    },
  ],
  ["one that has expired", async () => encode({ token: await claims(), secret: env.AUTH_SECRET ?? "", maxAge: -60 })],
  ["an API key", () => org.key],
];

test.each(forgeries)("no session is read from a cookie with %s", async (_name, make) => {
  const forged = await make();
  expect(await readSession(`${name}=${forged}`)).toBeNull();
  await underSettings({ PUBLIC_URL: "https://muster.example" }, async () => {
    expect(await readSession(`__Host-${name}=${forged}`)).toBeNull();
  });
});

describe("under https", () => {
  const planted = [name, `__Secure-${name}`, `__host-${name}`, `__Host-${name}.0`, ` __Host-${name}x`];

  test.each(planted)("a valid session is not read from the cookie %j, which others can set", async (planted) => {
    await underSettings({ PUBLIC_URL: "https://muster.example" }, async () => {
      expect(await readSession(`${planted}=${token}`)).toBeNull();
    });
  });

  test("a planted session of another person does not replace the own one, before or after it", async () => {
    const attacker = await sessionCookie(other.owner);
    await underSettings({ PUBLIC_URL: "https://muster.example" }, async () => {
      const mine = `__Host-${name}=${token}`;
      for (const cookies of [`${attacker}; ${mine}`, `${mine}; ${attacker}`, `__Secure-${attacker}; ${mine}`]) {
        expect(await readSession(cookies)).toMatchObject({ userId: org.owner.uid });
      }
    });
  });
});

test("a planted choice of organization leads to none that the person is not a member of", async () => {
  for (const slug of [other.slug, `${other.slug}%00`, "' or true --", org.slug.toUpperCase(), "%%%", ""]) {
    const session = await readSession(`${name}=${token}; muster-organization=${slug}`);
    expect([slug, session?.organizationId]).toEqual([slug, org.uid]);
  }
});

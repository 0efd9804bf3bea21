import { beforeEach, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { flushAccesses } from "@/server/platform/observability/access-log";
import type { OidcSettings } from "@/server/platform/oidc-settings";
import {
  addMember,
  makeOrganization,
  makeSession,
  makeUser,
  sessionCookie,
  unique,
  type TestOrganization,
} from "@/server/testing/factories";
import { startIssuer, type IssuerPerson } from "@/server/testing/oidc-issuer";
import { request, trpcSignedOut } from "@/server/testing/requests";
import { setUpSecondFactor } from "@/server/testing/second-factor";
import { underSettings } from "@/server/testing/settings";
import { serveSignIn, SignInBrowser } from "@/server/testing/sign-in-browser";
import { readAwaitingSignIn, readSession } from "@/server/transport/session/session";

/** Signing in by OpenID Connect, over HTTP, against a real issuer. */

const app = await serveSignIn();
const callback = `${app}/api/auth/callback/oidc`;
const issuer = await startIssuer(callback);

let org: TestOrganization;
let domain: string;
beforeEach(async () => {
  org = await makeOrganization();
  domain = `${unique("d")}.example`;
});

const settings = (changes: Partial<OidcSettings> = {}): { OIDC: OidcSettings; SIGNUP: "closed" } => ({
  SIGNUP: "closed",
  OIDC: {
    issuer: issuer.url,
    clientId: issuer.clientId,
    clientSecret: issuer.clientSecret,
    name: "Acme",
    domains: new Map([[domain, org.slug]]),
    roleClaim: undefined,
    roles: new Map(),
    ...changes,
  },
});
const groups = {
  roleClaim: "groups",
  roles: new Map([
    ["heads", "owner"],
    ["robot-admins", "admin"],
    ["crew", "member"],
    ["guests", "viewer"],
  ] as const),
};

const newPerson = (more: Partial<IssuerPerson> = {}): IssuerPerson => ({
  sub: unique("sub"),
  email: `${unique("p")}@${domain}`,
  email_verified: true,
  ...more,
});

interface Result {
  browser: SignInBrowser;
  /** The page to which the browser is sent at the end. */
  path: string;
  session: Awaited<ReturnType<typeof readSession>>;
}

/** Ends a sign-in: requests the address of the callback. */
async function finish(browser: SignInBrowser, returned: string): Promise<Result> {
  let to = new URL(returned);
  while (to.pathname.startsWith("/api/auth/")) {
    to = new URL((await browser.send(to.href)).headers.get("location") ?? "", app);
    expect(to.origin).toBe(app);
  }
  return { browser, path: to.pathname + to.search, session: await readSession(browser.cookieHeader(app)) };
}

/** Signs a person in, from the button to the end. */
async function signIn(person: IssuerPerson, changes?: Partial<OidcSettings>, next = "/devices?a=1"): Promise<Result> {
  return underSettings(settings(changes), async () => {
    issuer.person = person;
    const browser = new SignInBrowser();
    return finish(browser, await browser.follow(await browser.start(app, `${app}${next}`), callback));
  });
}

const findUser = (email = "") => prisma.user.findUniqueOrThrow({ where: { email }, include: { memberships: true } });
const refusal = async (person: IssuerPerson, changes?: Partial<OidcSettings>) => {
  const { path, session } = await signIn(person, changes);
  expect(session).toBeNull();
  return path;
};

describe("signing in by OpenID Connect", () => {
  test("makes an account in the organization of the domain, also when sign-up is closed, and continues", async () => {
    const person = newPerson({ given_name: "Ann\0", family_name: "x".repeat(200) });
    const { path, session } = await signIn(person);
    expect(path).toBe("/devices?a=1");
    expect(session).toMatchObject({ email: person.email, organizationId: org.uid, role: "member", readOnly: false });
    const user = await findUser(person.email);
    expect(user).toMatchObject({ firstName: "Ann\ufffd", lastName: "x".repeat(150), passwordSet: false });
    expect(user.emailVerifiedAt).not.toBeNull();
    expect(user.memberships).toHaveLength(1);
    await flushAccesses();
    const entries = await prisma.auditEntry.findMany({ where: { organizationId: org.uid, targetId: user.uid } });
    expect(entries.map(({ action }) => action).sort()).toEqual([
      "user.identity_joined",
      "user.signed_in",
      "user.signed_up",
    ]);
  });

  test("starts a session of its own each time, listed and revocable like any other, of one account", async () => {
    const person = newPerson();
    const [first, second] = [await signIn(person), await signIn({ ...person, email: `other@${domain}` })];
    expect(second.session?.userId).toBe(first.session?.userId);
    expect(second.session?.uid).not.toBe(first.session?.uid);
    const rows = await prisma.session.findMany({ where: { userId: first.session?.userId ?? "" } });
    expect(rows.map(({ ip }) => ip)).toEqual(["127.0.0.1", "127.0.0.1"]);
    await prisma.session.update({ where: { uid: first.session?.uid ?? "" }, data: { revokedAt: new Date() } });
    expect(await readSession(first.browser.cookieHeader(app))).toBeNull();
  });

  test("makes one account of several first sign-ins at the same time", async () => {
    const person = newPerson();
    issuer.person = person;
    const results = await underSettings(settings(), () =>
      Promise.all(
        [1, 2, 3].map(async () => {
          const browser = new SignInBrowser();
          return finish(browser, await browser.follow(await browser.start(app, app), callback));
        }),
      ),
    );
    expect(new Set(results.map(({ session }) => session?.userId)).size).toBe(1);
    expect(results[0]?.session).not.toBeNull();
  });

  test("refuses an address that the issuer has not confirmed, and one of another domain", async () => {
    const { email, email_verified: _, ...person } = newPerson();
    const unverified: IssuerPerson[] = [
      { ...person, ...(email && { email }), email_verified: false },
      { ...person, ...(email && { email }) },
      { ...person, email_verified: true },
    ];
    for (const each of unverified) expect(await refusal(each)).toBe("/login?refused=unverified");
    const foreign = [`a@sub.${domain}`, `a@${domain}.evil.example`, `"${domain}"@evil.example`, "a@evil.example"];
    for (const email of foreign) expect(await refusal(newPerson({ email }))).toMatch(/refused=(domain|unverified)$/);
    expect(await prisma.user.count({ where: { email: { in: foreign } } })).toBe(0);
  });

  test("refuses a disabled account", async () => {
    const person = newPerson();
    await signIn(person);
    await prisma.user.update({ where: { email: person.email ?? "" }, data: { disabledAt: new Date() } });
    expect(await refusal(person)).toBe("/login?refused=disabled");
  });

  test("leads to a path of this site only", async () => {
    for (const next of ["https://evil.example/", "//evil.example/x"]) {
      const result = await underSettings(settings(), async () => {
        issuer.person = newPerson();
        const browser = new SignInBrowser();
        const start = await browser.start(app, next);
        return finish(browser, await browser.follow(start, callback));
      });
      expect(result.session).not.toBeNull();
    }
  });
});

describe("an existing account", () => {
  test("of a confirmed address is joined with its password, and becomes a member", async () => {
    const user = await makeUser({ email: `${unique("p")}@${domain}` });
    const home = await makeOrganization();
    await addMember(home, "member", { user });
    const { session } = await signIn(newPerson({ email: user.email.toUpperCase() }));
    expect(session?.userId).toBe(user.uid);
    const { memberships, passwordSet } = await findUser(user.email);
    expect(passwordSet).toBe(true);
    expect(memberships.map(({ organizationId, role }) => [organizationId, role])).toEqual(
      expect.arrayContaining([
        [home.uid, "member"],
        [org.uid, "member"],
      ]),
    );
  });

  test("of the organization keeps its role, whatever the claim says", async () => {
    const user = await makeUser({ email: `${unique("p")}@${domain}` });
    await addMember(org, "admin", { user });
    const { session } = await signIn(newPerson({ email: user.email, groups: ["guests"] }), groups);
    expect(session).toMatchObject({ userId: user.uid, role: "admin", readOnly: false });
  });

  test("whose address nobody confirmed loses what its maker could sign in and call with", async () => {
    const user = await makeUser({ email: `${unique("p")}@${domain}` });
    const home = await makeOrganization();
    const squatter = await addMember(home, "member", { user });
    await setUpSecondFactor(home, squatter);
    await prisma.user.update({ where: { uid: user.uid }, data: { emailVerifiedAt: null } });
    const cookie = await sessionCookie(user, { sessionUid: await makeSession(user) });
    const before = await prisma.user.findUniqueOrThrow({ where: { uid: user.uid } });
    const { session } = await signIn(newPerson({ email: user.email }));
    expect(session?.userId).toBe(user.uid);
    expect(await readSession(cookie)).toBeNull();
    expect((await request("GET", "/organizations/", { key: squatter.key })).status).toBe(401);
    const after = await findUser(user.email);
    expect(after).toMatchObject({ passwordSet: false });
    expect(after.passwordHash).not.toBe(before.passwordHash);
    expect(await prisma.secondFactor.count({ where: { userId: user.uid } })).toBe(0);
  });

  test("is joined to one identity of an issuer only", async () => {
    const person = newPerson();
    await signIn(person);
    expect(await refusal({ ...person, sub: unique("sub") })).toBe("/login?refused=other_identity");
  });

  test("that was removed from the organization does not come back by signing in", async () => {
    const person = newPerson();
    const { session } = await signIn(person);
    await addMember(await makeOrganization(), "member", { user: { ...(await findUser(person.email)) } });
    await prisma.membership.deleteMany({ where: { userId: session?.userId ?? "", organizationId: org.uid } });
    expect((await signIn(person)).session?.organizationId).not.toBe(org.uid);
  });

  test("with a second factor is asked for it, unless the issuer says that it was shown there", async () => {
    const person = newPerson();
    const { session } = await signIn(person);
    const member = await addMember(await makeOrganization(), "member", { user: await findUser(person.email) });
    await setUpSecondFactor(org, { ...member, uid: session?.userId ?? "" });
    const again = await signIn(person);
    expect(again.session).toBeNull();
    expect(await readAwaitingSignIn(again.browser.cookieHeader(app))).toMatchObject({ userId: session?.userId });
    expect((await signIn({ ...person, amr: ["pwd"] })).session).toBeNull();
    expect((await signIn({ ...person, amr: ["pwd", "mfa"] })).session).not.toBeNull();
  });

  test("meets an organization's requirement by a second factor that it showed at the issuer", async () => {
    await prisma.organization.update({ where: { uid: org.uid }, data: { settings: { require_second_factor: true } } });
    const person = newPerson();
    expect((await signIn(person)).session).toBeNull();
    expect((await signIn({ ...person, amr: ["mfa"] })).session).toMatchObject({ organizationId: org.uid });
  });
});

describe("the role of a new person", () => {
  test("is the highest of those that the claim gives", async () => {
    const cases: [string[], { role: string; readOnly: boolean }][] = [
      [["crew"], { role: "member", readOnly: false }],
      [["guests"], { role: "member", readOnly: true }],
      [["guests", "other", "robot-admins"], { role: "admin", readOnly: false }],
      [["heads"], { role: "admin", readOnly: false }],
    ];
    for (const [given, expected] of cases) {
      expect((await signIn(newPerson({ groups: given }), groups)).session).toMatchObject(expected);
    }
    expect(await prisma.membership.count({ where: { organizationId: org.uid, role: "owner" } })).toBe(1);
  });

  test("is needed where a claim is configured", async () => {
    for (const given of [{}, { groups: [] }, { groups: ["owner", "admin"] }]) {
      expect(await refusal(newPerson(given), groups)).toBe("/login?refused=role");
    }
  });

  test("is owner only of an organization that did not exist, and only where the settings give it", async () => {
    const slug = unique("acme");
    const place = { domains: new Map([[domain, slug]]) };
    expect(await refusal(newPerson({ groups: ["robot-admins"] }), { ...groups, ...place })).toBe(
      "/login?refused=organization",
    );
    const { session } = await signIn(newPerson({ email: `${slug}@${domain}`, groups: ["heads"] }), {
      ...groups,
      ...place,
    });
    expect(session).toMatchObject({ organizationSlug: slug, role: "owner" });
  });
});

describe("a response that is not the issuer's to this browser", () => {
  /** Runs the flow up to the callback, changes what returns, and expects that nobody is signed in. */
  const expectRefused = (change: (browser: SignInBrowser, returned: string) => Promise<string>) =>
    underSettings(settings(), async () => {
      issuer.person = newPerson();
      const browser = new SignInBrowser();
      const returned = await browser.follow(await browser.start(app, app), callback);
      const { path, session } = await finish(browser, await change(browser, returned));
      expect(session).toBeNull();
      expect(path).toMatch(/^\/login\?.*error=OAuthCallback$/);
      expect(await prisma.user.count({ where: { email: issuer.person.email ?? "" } })).toBe(0);
    });

  const withParameter = (url: string, name: string, value: string) => {
    const changed = new URL(url);
    changed.searchParams.set(name, value);
    return changed.href;
  };

  test("is refused with another state, another issuer or another code", async () => {
    await expectRefused(async (_browser, returned) => withParameter(returned, "state", "another"));
    await expectRefused(async (_browser, returned) => withParameter(returned, "iss", "http://evil.example"));
    await expectRefused(async (_browser, returned) => withParameter(returned, "code", "another"));
  });

  test("is refused with the nonce, the proof or the state of another sign-in, and in another browser", async () => {
    for (const name of ["next-auth.nonce", "next-auth.pkce.code_verifier", "next-auth.state"]) {
      await expectRefused(async (browser, returned) => {
        const other = new SignInBrowser();
        await other.start(app, app);
        const cookie = other.jar(app).get(name);
        expect(cookie).toBeDefined();
        browser.jar(app).set(name, cookie ?? "");
        return returned;
      });
    }
    await expectRefused(async (browser, returned) => {
      browser.jar(app).clear();
      return returned;
    });
  });

  test("is refused the second time", async () => {
    await underSettings(settings(), async () => {
      issuer.person = newPerson();
      const browser = new SignInBrowser();
      const returned = await browser.follow(await browser.start(app, app), callback);
      const cookies = new Map(browser.jar(app));
      expect((await finish(browser, returned)).session).not.toBeNull();
      const replaying = new SignInBrowser();
      for (const [name, value] of cookies) replaying.jar(app).set(name, value);
      const { path, session } = await finish(replaying, returned);
      expect([session, path]).toEqual([null, expect.stringMatching(/^\/login\?.*error=OAuthCallback$/)]);
    });
  });

  test("is refused when the issuer names itself differently from the setting", async () => {
    const other = await startIssuer(callback, "localhost");
    await underSettings(settings({ issuer: other.url }), async () => {
      other.person = newPerson();
      const browser = new SignInBrowser();
      const atIssuer = (await browser.start(app, app)).replace("//localhost:", "//127.0.0.1:");
      const { path, session } = await finish(browser, await browser.follow(atIssuer, callback));
      expect([session, path]).toEqual([null, "/login?error=OAuthCallback"]);
    });
  });

  test("leads back to the sign-in page when the issuer cannot be reached or is not configured", async () => {
    const browser = new SignInBrowser();
    await underSettings(settings({ issuer: "http://127.0.0.1:9" }), async () => {
      expect(await browser.start(app, app)).toContain("error=OAuthSignin");
    });
    await underSettings({ OIDC: undefined }, async () => {
      expect(await browser.start(app, app)).not.toContain(issuer.url);
      expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ single_sign_on: null });
    });
    await underSettings(settings(), async () => {
      expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ single_sign_on: "Acme" });
    });
  });
});

import { describe, expect, test } from "vitest";
import type { SignedUp } from "@/server/features/accounts/resource";
import { verifyCredentials } from "@/server/platform/auth/password";
import { prisma } from "@/server/platform/db";
import { makeOrganization, makeUser, testPassword, unique } from "@/server/testing/factories";
import { request, trpcSignedOut } from "@/server/testing/requests";

const signUp = (body: Record<string, unknown>) =>
  request<SignedUp & Record<string, string[]>>("POST", "/signup/", { body });
const address = (local = unique("ann")) => `${local}@example.com`;
const password = "long enough";

describe("signing up", () => {
  test("creates a user, a personal organization of the same name, and a valid key", async () => {
    const email = address();
    const { status, body } = await signUp({ email, password, first_name: "Ann", last_name: "Lee" });
    expect(status).toBe(201);
    const username = email.split("@")[0];
    expect(body).toEqual({
      user: { uid: body.user.uid, username, email, first_name: "Ann", last_name: "Lee" },
      api_key: expect.stringMatching(/^svk_[0-9A-Za-z]{49}$/),
    });
    const { body: list } = await request("GET", "/organizations/", { key: body.api_key });
    expect(list.results).toMatchObject([
      { slug: username, name: username, role: "owner", member_count: 1, logo_url: null },
    ]);
    const { body: members } = await request("GET", `/organizations/${username}/members/`, { key: body.api_key });
    expect(members.results).toMatchObject([{ username, email, role: "owner" }]);
  });

  test("gives the new organization its built-in rule", async () => {
    const { body } = await signUp({ email: address(), password });
    const { organizationId } = await prisma.apiKey.findFirstOrThrow({ where: { userId: body.user.uid } });
    const rules = await prisma.rule.findMany({ where: { organizationId }, include: { versions: true } });
    expect(rules).toMatchObject([
      { name: "Device offline", builtin: true, conditionType: "absence", enabled: true },
      { name: "Battery low", builtin: true, conditionType: "composite", enabled: false },
    ]);
    expect(rules[0]?.versions).toHaveLength(1);
  });

  test("names the personal organization as requested", async () => {
    const { body } = await signUp({ email: address(), password, organization_name: "Robots & Söhne" });
    const { body: list } = await request("GET", "/organizations/", { key: body.api_key });
    expect(list.results).toMatchObject([{ name: "Robots & Söhne", slug: body.user.username }]);
  });

  test("in the browser derives the slug from the name of the organization, as its preview said", async () => {
    const mark = unique("x");
    const wanted = [
      [`Nordhafen Robotics ${mark}`, `nordhafen-robotics-${mark}`],
      // The same again.
      [`Nordhafen Robotics ${mark}`, `nordhafen-robotics-${mark}-2`],
      [`Łódź & Größe ${mark}`, `lodz-grosse-${mark}`],
      [`Роботы Хорошо ${mark}`, `roboty-khorosho-${mark}`],
      [`Αθήνα ${mark}`, `athina-${mark}`],
    ] as const;
    for (const [name, slug] of wanted) {
      const email = address();
      expect(await trpcSignedOut().account.previewAddress({ name, email })).toMatchObject({ slug });
      const { username } = await trpcSignedOut().account.signUp({ email, password, organization_name: name });
      expect(username).toBe(email.split("@")[0]);
      const { organization } = await prisma.membership.findFirstOrThrow({
        where: { user: { email } },
        include: { organization: true },
      });
      expect(organization).toMatchObject({ name, slug });
    }
  });

  test("in the browser without a name that a slug could be made of takes the username, as the API does", async () => {
    for (const name of ["", "ロボット"]) {
      const email = address();
      const username = email.split("@")[0] ?? "";
      expect(await trpcSignedOut().account.previewAddress({ name, email })).toEqual({ slug: username, taken: null });
      await trpcSignedOut().account.signUp({ email, password, ...(name && { organization_name: name }) });
      expect(await prisma.organization.count({ where: { slug: username } })).toBe(1);
    }
  });

  test("a preview says what is taken", async () => {
    const { slug } = await makeOrganization();
    expect(await trpcSignedOut().account.previewAddress({ name: slug })).toEqual({ slug: `${slug}-2`, taken: slug });
    expect(await trpcSignedOut().account.previewAddress({ name: "List" })).toEqual({ slug: "list-2", taken: "list" });
  });

  test("an address that has an account is refused, whatever the case of its letters", async () => {
    const email = address();
    await signUp({ email, password });
    const again = await signUp({ email: ` ${email.toUpperCase()} `, password });
    expect(again.status).toBe(400);
    expect(again.body).toEqual({ email: ["A user with this email address already exists."] });
  });

  test("of concurrent sign-ups with one address exactly one succeeds", async () => {
    const email = address();
    const responses = await Promise.all(Array.from({ length: 5 }, () => signUp({ email, password })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    for (const { status, body } of responses) if (status === 400) expect(Object.keys(body)).toEqual(["email"]);
    expect(await prisma.user.count({ where: { email } })).toBe(1);
    const username = email.split("@")[0] ?? "";
    expect(await prisma.nameClaim.count({ where: { name: { startsWith: username } } })).toBe(1);
  });

  test("users with the same local part get different usernames, also when they sign up concurrently", async () => {
    const local = unique("bo");
    const responses = await Promise.all(
      ["a", "b", "c"].map((host) => signUp({ email: `${local}@${host}.example`, password })),
    );
    expect(responses.map(({ body }) => body.user.username).sort()).toEqual([local, `${local}-2`, `${local}-3`]);
  });

  test("a username never equals the slug of an organization", async () => {
    const { slug } = await makeOrganization();
    const { body } = await signUp({ email: `${slug}@example.com`, password });
    expect(body.user.username).toBe(`${slug}-2`);
  });

  test.each(["dataset", "list", "invitations", "create-from-existing", "018f3b1e-7c1a-7c1a-8c1a-0123456789ab"])(
    "%s is never a username",
    async (reserved) => {
      const { body } = await signUp({ email: `${reserved}@${unique("x")}.example`, password });
      expect(body.user.username).not.toBe(reserved);
      expect(body.user.username.startsWith(`${reserved}-`)).toBe(true);
    },
  );

  test("a local part becomes a valid path segment", async () => {
    const mark = unique("z");
    const { body } = await signUp({ email: `o'Brien+x.${mark}_@example.com`, password });
    expect(body.user.username).toBe(`o-brien-x-${mark}`);
    const symbols = await signUp({ email: `_+_@${mark}.example`, password });
    expect(symbols.body.user.username).toMatch(/^user(-|$)/);
  });

  test.each([
    [{}, { email: ["This field is required."], password: ["This field is required."] }],
    [
      { email: "", password: "" },
      { email: ["This field may not be blank."], password: ["This field may not be blank."] },
    ],
    [{ email: "no", password }, { email: ["Enter a valid email address."] }],
    [{ email: null, password }, { email: ["This field may not be null."] }],
    [{ email: 4, password }, { email: ["Not a valid string."] }],
    [{ email: `${"a".repeat(250)}@x.de`, password }, { email: ["Ensure this field has no more than 254 characters."] }],
    [{ email: "a@example.com", password: "7 chars" }, { password: ["Ensure this field has at least 8 characters."] }],
    [
      { email: "a@example.com", password: "a".repeat(129) },
      { password: ["Ensure this field has no more than 128 characters."] },
    ],
    [
      { email: "a@example.com", password: "a".repeat(10_240) },
      { password: ["Ensure this field has no more than 128 characters."] },
    ],
    [
      { email: "a@example.com", password, organization_name: " " },
      { organization_name: ["This field may not be blank."] },
    ],
    [{ email: "a\u0000@example.com", password }, { email: ["Null characters are not allowed."] }],
  ])("input %# is refused, naming its field", async (body, fields) => {
    const response = await signUp(body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual(fields);
  });

  test.each(["password", "12345678", "Password1", "QWERTYUIOP", "iloveyou1", "trustno1", "football1"])(
    "%s is refused as a password, because many people have it",
    async (common) => {
      const response = await signUp({ email: address(), password: common });
      expect([response.status, response.body]).toEqual([400, { password: ["This password is too common."] }]);
    },
  );

  test("fields the server owns are ignored", async () => {
    const { body } = await signUp({ email: address(), password, is_staff: true, uid: "x", username: "root" });
    const user = await prisma.user.findUniqueOrThrow({ where: { uid: body.user.uid } });
    expect(user.isStaff).toBe(false);
    expect(user.username).not.toBe("root");
  });

  test("a password is stored only as an Argon2id hash, and neither it nor the key in plain text", async () => {
    const { body } = await signUp({ email: address(), password });
    const user = await prisma.user.findUniqueOrThrow({ where: { uid: body.user.uid }, include: { apiKeys: true } });
    expect(user.passwordHash).toMatch(/^\$argon2id\$/);
    const audit = await prisma.auditEntry.findMany({
      where: { organizationId: user.apiKeys[0]?.organizationId ?? "" },
    });
    expect(audit.map(({ action }) => action).sort()).toEqual([
      "api_key.created",
      "organization.created",
      "user.signed_up",
    ]);
    expect(JSON.stringify([user, audit])).not.toContain(password);
    expect(JSON.stringify([user, audit])).not.toContain(body.api_key);
  });

  test("the browser creates the same account without an API key", async () => {
    const email = address();
    const made = await trpcSignedOut().account.signUp({ email, password });
    expect(Object.keys(made).sort()).toEqual(["email", "first_name", "last_name", "uid", "username"]);
    expect(await prisma.apiKey.count({ where: { userId: made.uid } })).toBe(0);
    expect(await verifyCredentials(email.toUpperCase(), password)).toMatchObject({ uid: made.uid });
  });
});

describe("credentials", () => {
  test("only the right password of a known address is accepted", async () => {
    const user = await makeUser();
    expect(await verifyCredentials(user.email, testPassword)).toMatchObject({ uid: user.uid });
    expect(await verifyCredentials(user.email, `${testPassword}!`)).toBeNull();
    expect(await verifyCredentials(user.email, testPassword.repeat(10))).toBeNull();
    expect(await verifyCredentials(`x${user.email}`, testPassword)).toBeNull();
    expect(await verifyCredentials("a\0b@example.com", testPassword)).toBeNull();
  });
});

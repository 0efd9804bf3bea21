import { beforeAll, describe, expect, test } from "vitest";
import type { MemberResource } from "@/server/features/membership/resource";
import type { OrganizationResource } from "@/server/features/organizations/resource";
import { prisma } from "@/server/platform/db";
import {
  addMember,
  makeKey,
  makeOrganization,
  makeUser,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { request, createTrpcCaller } from "@/server/testing/requests";

let own: TestOrganization;
let other: TestOrganization;
let admin: TestMember;
let member: TestMember;

beforeAll(async () => {
  [own, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  admin = await addMember(own, "admin");
  member = await addMember(own, "member");
});

const get = <T>(path: string, key = own.key) =>
  request<T & { results: T[]; next: string | null }>("GET", path, { key });

describe("organizations", () => {
  test("a key lists every organization of its user, and acts in its own only", async () => {
    const guest = await addMember(other, "member", { user: own.owner });
    const fromOwn = await get<OrganizationResource>("/organizations/");
    expect(fromOwn.body.results.map(({ slug, role }) => [slug, role])).toEqual([
      [own.slug, "owner"],
      [other.slug, "member"],
    ]);
    const fromOther = await get<OrganizationResource>("/organizations/", guest.key);
    expect(fromOther.body.results.map(({ slug }) => slug)).toEqual([own.slug, other.slug]);
    expect((await get(`/organizations/${other.slug}/`)).status).toBe(404);
    expect((await get(`/organizations/${other.slug}/`, guest.key)).status).toBe(200);
    await prisma.membership.deleteMany({ where: { organizationId: other.uid, userId: own.owner.uid } });
  });

  test("another organization is refused exactly like one that does not exist", async () => {
    const refusals = await Promise.all(
      [other.slug, "never-existed", "%00", "A".repeat(10_000), "..%2f", "%E2%82%AC", "invitations"].flatMap((slug) =>
        ["", "members/", "invitations/"].map((rest) => get(`/organizations/${slug}/${rest}`)),
      ),
    );
    for (const { status, body } of refusals) expect([status, body]).toEqual([404, { detail: "Not found." }]);
  });

  test.each(["name", "-name", "slug", "-slug", "created_at", "-created_at"])(
    "are listed ordered by %s, page by page",
    async (ordering) => {
      const user = await makeUser();
      const places: TestOrganization[] = [];
      for (const name of ["b", "a", "a", "c"]) places.push(await makeOrganization({ name }));
      for (const place of places) await addMember(place, "member", { user });
      const key = await makeKey(places[0]!, user);
      const complete = await get<OrganizationResource>(`/organizations/?ordering=${ordering}`, key);
      const field = ordering.replace("-", "") as "name" | "slug" | "created_at";
      const values = complete.body.results.map((each) => each[field]);
      expect(values).toEqual(ordering.startsWith("-") ? values.toSorted().toReversed() : values.toSorted());
      const paged: string[] = [];
      for (let url: string | null = `/organizations/?limit=1&ordering=${ordering}`; url !== null;) {
        const { body }: { body: { results: OrganizationResource[]; next: string | null } } =
          await get<OrganizationResource>(url, key);
        paged.push(...body.results.map(({ uid }) => uid));
        url = body.next;
      }
      expect(paged).toEqual(complete.body.results.map(({ uid }) => uid));
      expect(paged).toHaveLength(4);
    },
  );

  test.each(["password", "owner__email", "", "name;drop"])("an ordering by %j is refused", async (ordering) => {
    for (const path of ["/organizations/", `/organizations/${own.slug}/members/`]) {
      const { status, body } = await request("GET", `${path}?ordering=${ordering}`, { key: own.key });
      expect([status, Object.keys(body)]).toEqual([400, ["ordering"]]);
    }
  });

  test("a cursor is valid for its own list, filters and user only", async () => {
    const { body } = await get(`/organizations/${own.slug}/members/?limit=1`);
    const cursor = new URL(body.next ?? "").searchParams.get("cursor") ?? "";
    expect((await get(`/organizations/${own.slug}/members/?limit=1&cursor=${cursor}`)).status).toBe(200);
    for (const bad of [
      `ordering=email&cursor=${cursor}`,
      `search=a&cursor=${cursor}`,
      `cursor=${cursor.slice(1)}`,
      "cursor=x",
    ]) {
      const refused = await get(`/organizations/${own.slug}/members/?${bad}`);
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["cursor"]]);
    }
    expect((await get(`/organizations/?cursor=${cursor}`)).status).toBe(400);
  });

  test.each(["0", "-1", "abc", "10.5", ""])("limit %j is refused", async (limit) => {
    expect(Object.keys((await get(`/organizations/?limit=${limit}`)).body)).toEqual(["limit"]);
  });

  test("creating one makes the caller its owner and derives its slug from its name", async () => {
    const name = `New ${unique("Fleet")}`;
    const { status, body } = await request<OrganizationResource>("POST", "/organizations/", {
      key: member.key,
      body: { name },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name, slug: name.toLowerCase().replace(" ", "-"), role: "owner", member_count: 1 });
    expect(await prisma.rule.count({ where: { organizationId: body.uid, builtin: true } })).toBe(2);
    expect(await prisma.apiKey.count({ where: { organizationId: body.uid } })).toBe(0);
  });

  test("admins change name, logo and settings; only given fields change", async () => {
    const patch = (body: object, key = admin.key) =>
      request<OrganizationResource>("PATCH", `/organizations/${own.slug}/`, { key, body });
    const before = (await get<OrganizationResource>(`/organizations/${own.slug}/`, admin.key)).body;
    expect((await patch({})).body).toEqual(before);
    const named = await patch({ name: "Renamed", slug: "x", uid: "x", member_count: 9 });
    expect(named.body).toEqual({ ...before, name: "Renamed" });
    expect((await patch({ logo_url: "https://example.com/a.svg" })).body.logo_url).toBe("https://example.com/a.svg");
    expect((await patch({ logo_url: null })).body.logo_url).toBeNull();
    expect((await patch({ settings: { key_expiry_days: 30 } })).body.settings).toEqual({ key_expiry_days: 30 });
    expect((await patch({ settings: {} })).body.settings).toEqual({ key_expiry_days: 30 });
    expect((await patch({ settings: { key_expiry_days: null } })).body.settings).toEqual({ key_expiry_days: null });
    expect((await patch({ name: "x" }, member.key)).status).toBe(403);
    expect(
      (await request("PATCH", `/organizations/${other.slug}/`, { key: admin.key, body: { name: "" } })).status,
    ).toBe(404);
  });

  test.each([
    [{ name: " " }, "name"],
    [{ name: "a".repeat(256) }, "name"],
    [{ name: null }, "name"],
    [{ logo_url: "javascript:alert(1)" }, "logo_url"],
    [{ logo_url: "http://example.com/a.svg" }, "logo_url"],
    [{ settings: [] }, "settings"],
    [{ settings: { key_expiry_days: 0 } }, "settings"],
    [{ settings: { key_expiry_days: "30" } }, "settings"],
  ])("a change to %j is refused", async (body, field) => {
    const response = await request("PATCH", `/organizations/${own.slug}/`, { key: own.key, body });
    expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
  });

  test("tRPC returns the same", async () => {
    const trpc = createTrpcCaller(own, admin);
    expect((await trpc.organizations.list({})).results).toEqual((await get("/organizations/", admin.key)).body.results);
    expect(await trpc.organizations.current()).toEqual((await get(`/organizations/${own.slug}/`, admin.key)).body);
    expect((await trpc.members.list({})).results).toEqual(
      (await get(`/organizations/${own.slug}/members/`)).body.results,
    );
    await expect(createTrpcCaller(own, member).organizations.update({ name: "x" })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

describe("members", () => {
  const find = async (organization: TestOrganization, user: { uid: string }) => {
    const { body } = await get<MemberResource>(`/organizations/${organization.slug}/members/`, organization.key);
    return body.results.find(({ user_uid }) => user_uid === user.uid);
  };
  const countOwners = (organization: { uid: string }) =>
    prisma.membership.count({ where: { organizationId: organization.uid, role: "owner" } });
  const patch = (organization: TestOrganization, uid: string | undefined, body: object, key = organization.key) =>
    request<MemberResource>("PATCH", `/organizations/${organization.slug}/members/${uid}/`, { key, body });

  test("are visible to every member and to no other user", async () => {
    const { body } = await get<MemberResource>(`/organizations/${own.slug}/members/`, member.key);
    expect(body.results.map(({ role }) => role).sort()).toEqual(["admin", "member", "owner"]);
    expect((await get(`/organizations/${own.slug}/members/`, other.key)).status).toBe(404);
  });

  test("a search finds parts of names and addresses, and takes wildcards literally", async () => {
    const search = async (text: string) =>
      (await get<MemberResource>(`/organizations/${own.slug}/members/?search=${encodeURIComponent(text)}`)).body.results
        .length;
    expect(await search(member.username.slice(3))).toBe(1);
    expect(await search("%")).toBe(0);
    expect(await search("_")).toBe(0);
    expect(await search("'; drop table users --")).toBe(0);
  });

  test("a new role is effective from the next request", async () => {
    const place = await makeOrganization();
    const person = await addMember(place, "member");
    const invite = () =>
      request("POST", `/organizations/${place.slug}/invitations/`, {
        key: person.key,
        body: { email: `${unique()}@example.com`, role: "member" },
      });
    expect((await invite()).status).toBe(403);
    const changed = await patch(place, (await find(place, person))?.uid, { role: "admin" });
    expect([changed.status, changed.body.role]).toEqual([200, "admin"]);
    expect((await invite()).status).toBe(201);
  });

  test("ownership cannot be given or taken by a change of role", async () => {
    const place = await makeOrganization();
    const person = await addMember(place, "admin");
    const uid = (await find(place, person))?.uid;
    expect((await patch(place, uid, { role: "owner" })).body).toEqual({
      role: ['"owner" is not a valid choice. Choices: admin, member.'],
    });
    expect((await patch(place, uid, {})).body).toMatchObject({ uid, role: "admin" });
    const owner = (await find(place, place.owner))?.uid;
    expect(Object.keys((await patch(place, owner, { role: "member" }, person.key)).body)).toEqual(["role"]);
    const removal = await request("DELETE", `/organizations/${place.slug}/members/${owner}/`, { key: person.key });
    expect(removal.body).toEqual({ non_field_errors: ["The owner cannot be removed."] });
    const leaving = await request("POST", `/organizations/${place.slug}/leave/`, { key: place.key });
    expect(leaving.status).toBe(400);
    expect(await countOwners(place)).toBe(1);
  });

  test("members cannot change roles or remove members", async () => {
    const uid = (await find(own, admin))?.uid;
    expect((await patch(own, uid, { role: "member" }, member.key)).status).toBe(403);
    expect((await request("DELETE", `/organizations/${own.slug}/members/${uid}/`, { key: member.key })).status).toBe(
      403,
    );
  });

  test("another organization's member is refused like one that does not exist", async () => {
    const uid = (await find(other, other.owner))?.uid;
    for (const each of [uid, "01890000-0000-7000-8000-000000000000", "nope", "%00"]) {
      expect((await patch(own, each, { role: "bogus" })).body).toEqual({ detail: "Not found." });
      expect((await request("DELETE", `/organizations/${own.slug}/members/${each}/`, { key: own.key })).status).toBe(
        404,
      );
    }
  });

  test("removing a member immediately revokes their keys in this organization only", async () => {
    const place = await makeOrganization();
    const person = await addMember(place, "member", { user: other.owner });
    const uid = (await find(place, person))?.uid;
    expect((await request("DELETE", `/organizations/${place.slug}/members/${uid}/`, { key: place.key })).status).toBe(
      204,
    );
    const refused = await get("/organizations/", person.key);
    expect([refused.status, refused.body]).toEqual([401, { detail: "Invalid API key." }]);
    expect((await get("/organizations/", other.key)).status).toBe(200);
    // Joining again does not restore the revoked keys.
    await addMember(place, "member", { user: other.owner });
    expect((await get("/organizations/", person.key)).status).toBe(401);
  });

  test("a user who leaves their last organization gets a personal one", async () => {
    const place = await makeOrganization();
    const person = await addMember(place, "member");
    expect((await request("POST", `/organizations/${place.slug}/leave/`, { key: person.key })).status).toBe(204);
    expect(await prisma.membership.findMany({ where: { userId: person.uid } })).toMatchObject([{ role: "owner" }]);
  });

  test("only the owner transfers the ownership, and becomes an admin", async () => {
    const place = await makeOrganization();
    const person = await addMember(place, "admin");
    const uid = (await find(place, person))?.uid ?? "";
    await expect(createTrpcCaller(place, person).organizations.transferOwnership({ uid })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    expect(await createTrpcCaller(place).organizations.transferOwnership({ uid })).toMatchObject({
      uid,
      role: "owner",
    });
    expect((await find(place, place.owner))?.role).toBe("admin");
    expect(await countOwners(place)).toBe(1);
  });

  test("of concurrent transfers one succeeds, and there is one owner afterwards", async () => {
    const place = await makeOrganization();
    const people = await Promise.all(Array.from({ length: 4 }, () => addMember(place, "admin")));
    const uids = await Promise.all(people.map(async (person) => (await find(place, person))?.uid ?? ""));
    const trpc = createTrpcCaller(place);
    const outcomes = await Promise.allSettled(uids.map((uid) => trpc.organizations.transferOwnership({ uid })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await countOwners(place)).toBe(1);
  });

  test("two admins who demote each other concurrently leave one owner and one admin", async () => {
    const place = await makeOrganization();
    const [a, b] = [await addMember(place, "admin"), await addMember(place, "admin")];
    const [uidA, uidB] = [(await find(place, a))?.uid, (await find(place, b))?.uid];
    const responses = await Promise.all([
      patch(place, uidB, { role: "member" }, a.key),
      patch(place, uidA, { role: "member" }, b.key),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await countOwners(place)).toBe(1);
  });

  test("a concurrent transfer and removal of the same member never leave the organization without owner", async () => {
    const place = await makeOrganization();
    const [heir, remover] = [await addMember(place, "admin"), await addMember(place, "admin")];
    const uid = (await find(place, heir))?.uid ?? "";
    await Promise.allSettled([
      createTrpcCaller(place).organizations.transferOwnership({ uid }),
      request("DELETE", `/organizations/${place.slug}/members/${uid}/`, { key: remover.key }),
    ]);
    expect(await countOwners(place)).toBe(1);
  });
});

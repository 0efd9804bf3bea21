import { crc32, deflateSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { GET } from "@/app/organization-logos/[uid]/[logo]/route";
import { logoSide, maxLogoBytes, ownLogoPath } from "@/domain/organizations/logo";
import { setLogo } from "@/server/features/organizations/logo-service";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import {
  addMember,
  makeOrganization,
  sessionCookie,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  member = await addMember(org, "member");
});

/** A white PNG of a size, with `more` bytes of comment. */
function png(width: number, height = width, more = 0): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const rows = Buffer.concat(
    Array.from({ length: height }, () => Buffer.concat([Buffer.from([0]), Buffer.alloc(width, 255)])),
  );
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    ...(more > 0 ? [chunk("tEXt", Buffer.alloc(more, 65))] : []),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const set = (bytes: Buffer | null) => setLogo(org.ctx, org.slug, { png: bytes?.toString("base64") ?? null });
async function fetchLogo(path: string, user: { uid: string } | null): Promise<Response> {
  const [, , uid = "", logo = ""] = path.split("/");
  const headers = new Headers(user ? { cookie: await sessionCookie(user) } : undefined);
  return GET(new Request(`http://127.0.0.1${path}`, { headers }), { params: Promise.resolve({ uid, logo }) });
}

test("a logo is shown to members of its organization only, and another one has another address", async () => {
  const picture = png(32);
  const { logo_url } = await set(picture);
  const path = ownLogoPath(logo_url) ?? "";
  const shown = await fetchLogo(path, member);
  expect([shown.status, shown.headers.get("content-type"), shown.headers.get("x-content-type-options")]).toEqual([
    200,
    "image/png",
    "nosniff",
  ]);
  expect(shown.headers.get("cache-control")).toContain("private");
  expect(Buffer.from(await shown.arrayBuffer()).equals(picture)).toBe(true);
  const stranger = await makeOrganization();
  expect((await fetchLogo(path, stranger.owner)).status).toBe(404);
  expect((await fetchLogo(path, null)).status).toBe(401);
  expect((await fetchLogo(`/organization-logos/${org.uid}/..%2f..`, member)).status).toBe(404);

  const replaced = await set(png(16));
  expect(ownLogoPath(replaced.logo_url)).not.toBe(path);
  const prefix = `organizations/${org.uid}/logo/${path.split("/").at(-1)}`;
  expect(await runQueuedJobs(jobs.deleteStoredObjects, { prefix })).toBe(1);
  expect((await fetchLogo(path, member)).status).toBe(404);
  expect((await fetchLogo(ownLogoPath(replaced.logo_url) ?? "", member)).status).toBe(200);
  expect((await set(null)).logo_url).toBeNull();
  const entry = await prisma.auditEntry.findFirstOrThrow({
    where: { organizationId: org.uid, action: "organization.updated" },
    orderBy: { uid: "desc" },
  });
  expect([entry.before, entry.after]).toEqual([{ logo_url: replaced.logo_url }, { logo_url: null }]);
});

test.each<[string, () => Buffer, string]>([
  ["no picture", () => Buffer.from("<svg onload=alert(1)>".repeat(9)), "Upload a PNG."],
  ["a picture that was cut", () => png(32).subarray(0, 60), "Upload a PNG."],
  ["too many pixels", () => png(logoSide + 1, 4), `A logo may have at most ${logoSide} × ${logoSide} pixels.`],
  ["too many bytes", () => png(8, 8, maxLogoBytes), `A logo may have at most ${maxLogoBytes / 1024} kB.`],
])("%s is refused as a logo", async (_, bytes, message) => {
  await expect(set(bytes())).rejects.toMatchObject({ options: { issues: [{ path: ["png"], message }] } });
});

test("a logo at another address is not one that pages load", () => {
  expect(ownLogoPath("https://example.com/logo.png")).toBeNull();
  expect(ownLogoPath("not an address")).toBeNull();
  expect(ownLogoPath(null)).toBeNull();
  expect(ownLogoPath("https://muster.example.com/organization-logos/a/b")).toBe("/organization-logos/a/b");
});

test("only admins set a logo and count the keys that a limit would end sooner", async () => {
  const asMember = createTrpcCaller(org, member);
  const refusal = { code: "FORBIDDEN" };
  await expect(asMember.organizations.setLogo({ png: null })).rejects.toMatchObject(refusal);
  await expect(asMember.apiKeys.endingUnder({ days: 30 })).rejects.toMatchObject(refusal);
});

test("the keys that a limit would end sooner are those that it then ends", async () => {
  const own = await makeOrganization();
  const caller = createTrpcCaller(own);
  await caller.apiKeys.create({ name: "short", expiry: "30" });
  const { keys } = await caller.apiKeys.endingUnder({ days: 60 });
  expect(keys).toBe(1);
  const long = () =>
    prisma.apiKey.count({
      where: {
        organizationId: own.uid,
        OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(Date.now() + 60 * 86_400_000) } }],
      },
    });
  expect(await long()).toBe(keys);
  await caller.organizations.update({ settings: { key_expiry_days: 60 } });
  expect([await long(), (await caller.apiKeys.endingUnder({ days: 60 })).keys]).toEqual([0, 0]);
});

test("the default time zone has to exist", async () => {
  const caller = createTrpcCaller(org);
  const { settings } = await caller.organizations.update({ settings: { time_zone: "Europe/Berlin" } });
  expect(settings.time_zone).toBe("Europe/Berlin");
  await expect(caller.organizations.update({ settings: { time_zone: "Mars/Base" } })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
});

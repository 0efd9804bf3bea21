import { beforeEach, describe, expect, test } from "vitest";
import { sweepDeletions } from "@/server/features/organizations/purge-service";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { createWebhook } from "@/server/features/webhooks/service";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { jobs } from "@/server/platform/jobs/definitions";
import { Outbox } from "@/server/platform/outbox/outbox";
import { objectStore } from "@/server/platform/storage/current";
import { downloadLink } from "@/server/platform/storage/links";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  makeUser,
  sessionCookie,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { startMailServer } from "@/server/testing/mail-server";
import { queuedJobs, runQueuedJobs } from "@/server/testing/queued-jobs";
import { startReceiver } from "@/server/testing/receiver";
import { createPersonCaller, request, fetchApp } from "@/server/testing/requests";
import { readSession, readSignedIn } from "@/server/transport/session/session";

let own: TestOrganization;
let admin: TestMember;
beforeEach(async () => {
  own = await makeOrganization({ name: "Depot 7" });
  admin = await addMember(own, "admin");
});

const path = (suffix = "") => `/organizations/${own.slug}/${suffix}`;
const remove = (key = own.key, body: unknown = { confirm_name: "Depot 7" }) =>
  request<Record<string, unknown>>("DELETE", path(), { key, body });
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
/** Sets when the organization is deleted, as if time had passed. */
const setTime = (deletesAt: Date) => prisma.organization.update({ where: { uid: own.uid }, data: { deletesAt } });

describe("deleting an organization", () => {
  test("is for the owner alone, who types its name", async () => {
    expect((await remove(admin.key)).status).toBe(403);
    expect(await remove(own.key, {})).toMatchObject({
      status: 400,
      body: { confirm_name: ["This field is required."] },
    });
    expect(await remove(own.key, { confirm_name: "depot 7" })).toMatchObject({
      status: 400,
      body: { confirm_name: ["This is not the name of the organization."] },
    });
    const scoped = await makeKey(own, own.owner, { scopes: ["fleet.write"] });
    expect((await remove(scoped)).status).toBe(403);
    expect((await prisma.organization.findUniqueOrThrow({ where: { uid: own.uid } })).deletesAt).toBeNull();
    expect((await remove()).status).toBe(204);
  });

  test("refuses its keys, device tokens and sessions from the next request on", async () => {
    const device = await makeDevice(own);
    const cookies = await Promise.all([own.owner, admin].map((person) => sessionCookie(person)));
    const heartbeat = () =>
      request("POST", `/fleet/devices/${device.uid}/heartbeat/`, { token: device.device_token, body: {} });
    expect((await heartbeat()).status).toBe(200);
    expect((await remove()).status).toBe(204);

    for (const key of [own.key, admin.key]) {
      expect(await request("GET", "/fleet/devices/", { key })).toMatchObject({
        status: 401,
        body: { detail: "Invalid API key." },
      });
    }
    expect((await heartbeat()).status).toBe(401);
    for (const cookie of cookies) {
      expect(await readSession(cookie)).toBeNull();
      expect(await readSignedIn(cookie)).not.toBeNull();
    }
    const caller = await createPersonCaller(admin);
    await expect(caller.devices.list({})).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("leaves its members their other organizations", async () => {
    const other = await makeOrganization();
    const member = await addMember(other, "member", { user: admin });
    await remove();
    expect(await readSession(await sessionCookie(admin, { slug: own.slug }))).toMatchObject({
      organizationId: other.uid,
      role: "member",
    });
    expect((await request("GET", "/fleet/devices/", { key: member.key })).status).toBe(200);
  });

  test("is seen by its owner alone", async () => {
    const other = await makeOrganization();
    const [ownersKey, adminsKey] = await Promise.all([
      addMember(other, "member", { user: own.owner }).then(({ key }) => key),
      addMember(other, "member", { user: admin }).then(({ key }) => key),
    ]);
    await remove();
    const list = async (key: string) =>
      (await request<{ results: { slug: string; deletes_at: string | null }[] }>("GET", "/organizations/", { key }))
        .body.results;
    expect(await list(adminsKey)).toMatchObject([{ slug: other.slug, deletes_at: null }]);
    expect((await list(ownersKey)).find(({ slug }) => slug === own.slug)?.deletes_at).toMatch(/Z$/);
    expect(await (await createPersonCaller(admin)).organizations.deletions()).toEqual([]);
    const [deletion] = await (await createPersonCaller(own.owner)).organizations.deletions();
    expect(deletion).toMatchObject({ uid: own.uid, name: "Depot 7", slug: own.slug });
    const days = (new Date(deletion?.deletes_at ?? 0).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
  });

  test("lets nobody join by an invitation", async () => {
    const guest = await makeUser();
    const { body } = await request("POST", path("invitations/"), {
      key: own.key,
      body: { email: guest.email, role: "member" },
    });
    const token = String(body["accept_url"]).split("/").at(-1) ?? "";
    await remove();
    const caller = await createPersonCaller(guest);
    const accept = () => caller.invitations.accept({ token, invited_email: guest.email });
    await expect(accept()).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(caller.invitations.preview({ token })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await (await createPersonCaller(own.owner)).organizations.restore({ org_slug: own.slug });
    expect(await accept()).toMatchObject({ organization_slug: own.slug });
  });

  test("refuses signed links to its files", async () => {
    const device = await makeDevice(own);
    const recording = await request("POST", "/fleet/recordings/", { key: own.key, body: { device_id: device.uid } });
    const files = [{ path: "a.mcap", size_bytes: 5 }];
    const at = `/fleet/recordings/${recording.body.uid}/upload/`;
    const session = await request("POST", `${at}init/`, { key: own.key, body: { files } });
    const signed = await request<{ urls: { put_url: string }[] }>("POST", `${at}urls/`, {
      key: own.key,
      body: { session_uid: session.body.uid, file_paths: ["a.mcap"] },
    });
    const put = new URL(signed.body.urls[0]?.put_url ?? "");
    const upload = () => fetchApp(put.pathname + put.search, { method: "PUT", body: "bytes" });
    const key = `exports/${own.uid}/${uuidv7()}`;
    await objectStore().put(key, new Blob(["bytes"]).stream(), 5);
    const link = downloadLink({ key, fileName: "export.zip", by: null, ttlSeconds: 60 });
    expect((await fetchApp(link)).status).toBe(200);
    await remove();
    expect([(await fetchApp(link)).status, (await upload()).status]).toEqual([404, 404]);
    await (await createPersonCaller(own.owner)).organizations.restore({ org_slug: own.slug });
    expect([(await fetchApp(link)).status, (await upload()).status]).toEqual([200, 200]);
  });

  test("stops what is being sent until it is taken back", async () => {
    const receiver = await startReceiver();
    const restoreEgress = configureEgress({ allow: ["127.0.0.0/8"] });
    try {
      await createWebhook(own.ctx, { target_url: receiver.url, events: ["dataset.created"] });
      const body = { name: "d", slug: "d", data_type: "image" };
      expect((await request("POST", "/datasets/", { key: own.key, body })).status).toBe(201);
      await remove();
      const outbox = new Outbox(webhookDeliveries, own.uid);
      await outbox.drain(inDays(1));
      expect(receiver.received).toEqual([]);
      await (await createPersonCaller(own.owner)).organizations.restore({ org_slug: own.slug });
      await outbox.drain(inDays(1));
      expect(receiver.received).toHaveLength(1);
    } finally {
      restoreEgress();
      await receiver.close();
    }
  });

  test("is in the audit log and mailed to the owner, unless it was taken back before", async () => {
    const mails = await startMailServer();
    try {
      await remove();
      await runQueuedJobs(jobs.mailDeletion, { organizationId: own.uid });
      expect(mails.received).toMatchObject([{ to: [own.owner.email] }]);
      expect(mails.received[0]?.raw).toContain("Subject: Depot 7 will be deleted from Muster");
      expect(mails.received[0]?.raw).toContain("/organizations");
      const owner = await createPersonCaller(own.owner);
      await owner.organizations.restore({ org_slug: own.slug });
      await remove();
      await owner.organizations.restore({ org_slug: own.slug });
      await runQueuedJobs(jobs.mailDeletion, { organizationId: own.uid });
      expect(mails.received).toHaveLength(1);
    } finally {
      await mails.close();
    }
    const entries = await prisma.auditEntry.findMany({
      where: { organizationId: own.uid, action: { startsWith: "organization.deletion" } },
      orderBy: { uid: "asc" },
    });
    expect(entries.slice(0, 2)).toMatchObject([
      { action: "organization.deletion_requested", actorType: "api_key", targetName: "Depot 7" },
      { action: "organization.deletion_taken_back", actorType: "user", actorId: own.owner.uid },
    ]);
  });
});

describe("taking a deletion back", () => {
  test("lets keys, device tokens and sessions work again", async () => {
    const device = await makeDevice(own);
    const cookie = await sessionCookie(admin);
    await remove();
    const restored = await (await createPersonCaller(own.owner)).organizations.restore({ org_slug: own.slug });
    expect(restored).toMatchObject({ uid: own.uid, role: "owner", deletes_at: null });
    expect((await request("GET", "/fleet/devices/", { key: admin.key })).status).toBe(200);
    expect(
      (await request("POST", `/fleet/devices/${device.uid}/heartbeat/`, { token: device.device_token, body: {} }))
        .status,
    ).toBe(200);
    expect(await readSession(cookie)).toMatchObject({ organizationId: own.uid, role: "admin" });
  });

  test("is possible by a key that its owner has in another organization, and by nobody else's", async () => {
    const other = await makeOrganization();
    const [ownersKey, adminsKey] = await Promise.all([
      addMember(other, "member", { user: own.owner }).then(({ key }) => key),
      addMember(other, "member", { user: admin }).then(({ key }) => key),
    ]);
    expect(await request("POST", path("restore/"), { key: ownersKey })).toMatchObject({
      status: 409,
      body: { detail: "This organization is not being deleted." },
    });
    await remove();
    expect((await request("POST", path("restore/"), { key: own.key })).status).toBe(401);
    expect((await request("POST", path("restore/"), { key: adminsKey })).status).toBe(404);
    expect((await request("POST", path("restore/"), { key: other.key })).status).toBe(404);
    expect(await request("POST", path("restore/"), { key: ownersKey })).toMatchObject({
      status: 200,
      body: { slug: own.slug, role: "owner", deletes_at: null },
    });
  });

  test("is refused once its time has come", async () => {
    await remove();
    await setTime(inDays(-1));
    const owner = await createPersonCaller(own.owner);
    await expect(owner.organizations.restore({ org_slug: own.slug })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect((await createPersonCaller(admin)).organizations.restore({ org_slug: own.slug })).rejects.toMatchObject(
      { code: "NOT_FOUND" },
    );
  });
});

test("a person without an organization makes a new one", async () => {
  await remove();
  const owner = await createPersonCaller(own.owner);
  const made = await owner.organizations.create({ name: "Depot 8" });
  expect(await readSession(await sessionCookie(own.owner))).toMatchObject({ organizationId: made.uid, role: "owner" });
});

test("a deletion is queued once its time has come, and again when its job ended", async () => {
  await remove();
  const waiting = () => queuedJobs(jobs.deleteOrganization, { organizationId: own.uid });
  await sweepDeletions();
  expect(await waiting()).toHaveLength(0);
  await setTime(inDays(-1));
  await sweepDeletions();
  await sweepDeletions();
  expect(await waiting()).toHaveLength(1);
});

import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { ChannelType } from "@/domain/channels/channel-type";
import { make } from "@/server/features/captures/jobs";
import { toPictureKey } from "@/server/features/captures/service";
import { channelMessages } from "@/server/features/channels/delivery-service";
import { releaseNotifications } from "@/server/features/channels/jobs";
import { sign } from "@/server/platform/crypto";
import { prisma } from "@/server/platform/db";
import { Outbox } from "@/server/platform/outbox/outbox";
import { objectStore } from "@/server/platform/storage/current";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { allowLoopback } from "@/server/testing/egress";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startMailServer } from "@/server/testing/mail-server";
import { runJobs } from "@/server/testing/processing";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { request, fetchApp } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

const day = 86_400_000;
const triggeredNs = 1_770_000_000_500_000_000n;
const publicUrl = { PUBLIC_URL: "https://muster.example.com" };

let org: TestOrganization;
let receiver: Receiver;
allowLoopback();
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  await share(true);
});
afterEach(() => receiver.close());

const share = (isOn: boolean) =>
  request("PATCH", `/organizations/${org.slug}/`, {
    key: org.key,
    body: { settings: { pictures_in_messages: isOn } },
  });
const drain = (seconds: number, from = Date.now()) =>
  new Outbox(channelMessages, org.uid).drain(new Date(from + seconds * 1_000));
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

const Pictures = z.object({ pictures: z.array(z.object({ url: z.string(), expires: z.string() })) });
const listPictures = (body: unknown) => Pictures.parse(body).pictures;

/** Keeps two pictures of 640 × 480 for an alert, as its job does. */
async function keepPictures(alertId: string, organization = org): Promise<string> {
  const uid = uuidv7();
  const create = { width: 640, height: 480, channels: 3 as const, background: { r: 10, g: 200, b: 30 } };
  const jpeg = await sharp({ create }).jpeg().toBuffer();
  const size = { width: 640, height: 480, size_bytes: jpeg.length };
  const picture = (topic: string, ms: number) => ({
    topic,
    wanted_ms: ms,
    offset_ns: String(BigInt(ms) * 1_000_000n - 50_000_000n),
    ...size,
  });
  await prisma.alertCapture.create({
    data: {
      uid,
      organizationId: organization.uid,
      alertId,
      recordingId: "",
      triggeredNs,
      pictures: [picture("/camera/front", 0), picture("/camera/front", -1_000)],
      findings: { lines: [], errors: [], fix: null, notes: [] },
      expiresAt: new Date(Date.now() + day),
    },
  });
  for (const index of [0, 1])
    await objectStore().put(
      toPictureKey({ organizationId: organization.uid, uid }, index),
      new Blob([new Uint8Array(jpeg)]).stream(),
      jpeg.length,
    );
  return uid;
}

/** Sends the message of an alert with pictures over a new channel. */
async function sendWithPictures(type: ChannelType, config: Record<string, unknown>, message = "91.5 > 80") {
  const channel = await makeChannel(org, type, config);
  const { alertId } = await makeAlert(org, { channelIds: [channel.uid], severity: "error", message, triggeredNs });
  const uid = await keepPictures(alertId);
  await drain(31);
  return { alertId, uid };
}
const link = (uid: string, index: number, origin = "http://127.0.0.1:3000") =>
  expect.stringMatching(
    new RegExp(`^${origin}/files/alert-pictures/${uid}/${index}\\?expires=\\d{10}&signature=[\\w-]{43}$`),
  ) as string;

describe("what messages carry", () => {
  test("a webhook lists every picture with its time and a link of seven days", async () => {
    const { uid } = await sendWithPictures("webhook", { url: receiver.url });
    const [body] = bodies();
    expect(body?.evidence).toEqual({ value: 91.5 });
    expect(body?.pictures).toEqual([
      {
        topic: "/camera/front",
        at: "2026-02-02T02:40:00.450Z",
        offset_ms: -50,
        url: link(uid, 0),
        expires: expect.any(String) as string,
      },
      {
        topic: "/camera/front",
        at: "2026-02-02T02:39:59.450Z",
        offset_ms: -1_050,
        url: link(uid, 1),
        expires: expect.any(String) as string,
      },
    ]);
    const { expires } = listPictures(body)[0]!;
    expect(Math.abs(Date.parse(expires) - Date.now() - 7 * day)).toBeLessThan(60_000);
  });

  test("Slack shows the picture of the moment where it can get it, else a link", async () => {
    const images = () => JSON.stringify(bodies().at(-1)).match(/"type":"image"/g)?.length ?? 0;
    const { uid } = await sendWithPictures("slack", { webhook_url: receiver.url });
    expect(images()).toBe(0);
    expect(JSON.stringify(bodies()[0])).toContain(`"Open picture"`);
    await underSettings(publicUrl, () => sendWithPictures("slack", { webhook_url: receiver.url }));
    expect(images()).toBe(1);
    expect(JSON.stringify(bodies()[1])).toMatch(
      /"image_url":"https:\/\/muster\.example\.com\/files\/alert-pictures\/[^"]+","alt_text":"\/camera\/front, 0\.1 s before"/,
    );
    expect(JSON.stringify(bodies()[1])).not.toContain(uid);
  });

  test("Slack gets the message without the picture when it refuses it with one", async () => {
    receiver.respondWith(({ body }, response) =>
      body.includes('"type":"image"') ? response.writeHead(400).end("invalid_attachments") : response.end("ok"),
    );
    await underSettings(publicUrl, () => sendWithPictures("slack", { webhook_url: receiver.url }));
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]?.body).toContain("Open picture");
    expect(await prisma.notification.count({ where: { organizationId: org.uid, status: "delivered" } })).toBe(1);
  });

  test("Teams shows it in a card under 28 KB, whatever the texts are", async () => {
    await underSettings(publicUrl, () =>
      sendWithPictures("teams", { webhook_url: receiver.url }, "\u0001".repeat(4_000)),
    );
    const [text] = receiver.received.map(({ body }) => body);
    expect(Buffer.byteLength(text ?? "")).toBeLessThan(28_000);
    expect(text).toMatch(/"type":"Image","url":"https:\/\/muster\.example\.com\/files\/alert-pictures\//);
    await sendWithPictures("teams", { webhook_url: receiver.url });
    expect(receiver.received[1]?.body).not.toContain('"type":"Image"');
    expect(receiver.received[1]?.body).toContain('"title":"Open picture"');
  });

  test("PagerDuty gets the list, and the picture of the moment where it can get it", async () => {
    const config = { routing_key: "R".repeat(32), url: receiver.url };
    const { uid } = await sendWithPictures("pagerduty", config);
    await underSettings(publicUrl, () => sendWithPictures("pagerduty", config));
    const [first, second] = bodies();
    expect(first).toMatchObject({ payload: { custom_details: { pictures: [{ url: link(uid, 0) }, {}] } } });
    expect(first).not.toHaveProperty("images");
    expect(second).toMatchObject({ images: [{ alt: "/camera/front, 0.1 s before" }] });
  });

  test("a mail has the picture of the moment in it, 480 pixels wide", async () => {
    const mails = await startMailServer();
    try {
      await sendWithPictures("email", { recipients: ["a@example.com"] });
      const raw = mails.received[0]?.raw ?? "";
      expect(raw.replaceAll("=\r\n", "").replaceAll("=3D", "=")).toContain(
        '<img src="cid:picture@muster" alt="/camera/front, 0.1 s before"',
      );
      const part = /Content-Type: image\/jpeg.*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/s.exec(raw);
      expect(part?.[0]).toContain("Content-ID: <picture@muster>");
      expect(part?.[0]).toContain("Content-Disposition: inline");
      const { width, height, format } = await sharp(Buffer.from(part?.[1] ?? "", "base64")).metadata();
      expect([width, height, format]).toEqual([480, 360, "jpeg"]);
    } finally {
      await mails.close();
    }
  });

  test("a mail is sent without a picture that is gone", async () => {
    const mails = await startMailServer();
    try {
      const channel = await makeChannel(org, "email", { recipients: ["a@example.com"] });
      const { alertId } = await makeAlert(org, { channelIds: [channel.uid], triggeredNs });
      const uid = await keepPictures(alertId);
      await objectStore().delete(toPictureKey({ organizationId: org.uid, uid }, 0));
      await drain(31);
      expect(mails.received).toHaveLength(1);
      expect(mails.received[0]?.raw).not.toContain("cid:");
    } finally {
      await mails.close();
    }
  });

  test("nothing, until an admin turns it on, which is audited", async () => {
    const audited = await prisma.auditEntry.findFirst({
      where: { organizationId: org.uid, action: "organization.updated" },
    });
    expect(audited?.after).toEqual({ settings: { pictures_in_messages: true } });
    await share(false);
    await sendWithPictures("webhook", { url: receiver.url });
    expect(bodies()[0]).not.toHaveProperty("pictures");
  });
});

describe("the time of sending", () => {
  const raise = async (severity: "error" | "critical" = "error", recordingId: string | null = newUid("recording")) => {
    const channel = await makeChannel(org, "webhook", { url: receiver.url });
    return makeAlert(org, { channelIds: [channel.uid], severity, recordingId });
  };

  test("a message waits for the pictures of its recording, and is sent when they are kept", async () => {
    const before = Date.now();
    const { alertId } = await raise();
    await drain(9, before);
    expect(receiver.received).toHaveLength(0);
    await keepPictures(alertId);
    await runJobs([make, releaseNotifications]);
    await drain(7.9, before);
    expect(receiver.received).toHaveLength(0); // an action can be undone still
    await drain(9);
    expect(bodies()).toMatchObject([{ pictures: [{}, {}] }]);
  });

  test("it is sent without them after 30 seconds, a critical one after 10", async () => {
    const before = Date.now();
    await raise();
    await raise("critical");
    await drain(9.9, before);
    expect(receiver.received).toHaveLength(0);
    await drain(11);
    expect(bodies()).toMatchObject([{ alert: { severity: "critical" } }]);
    await drain(31);
    expect(bodies()).toMatchObject([{}, { alert: { severity: "error" } }]);
  });

  test("a recording that cannot be read releases it", async () => {
    await raise("critical");
    await runJobs([make, releaseNotifications]);
    await drain(1);
    expect(receiver.received).toHaveLength(1);
  });

  test("an alert without a recording, and one of an organization that wants no pictures, does not wait", async () => {
    await raise("critical", null);
    await share(false);
    await raise("critical");
    await drain(1);
    expect(receiver.received).toHaveLength(2);
  });
});

describe("the link to a picture", () => {
  const getLink = async (index = 0) => {
    const { uid } = await sendWithPictures("webhook", { url: receiver.url });
    const { url } = listPictures(bodies().at(-1))[index]!;
    return { uid, url: new URL(url) };
  };
  const open = (url: URL, method = "GET") => fetchApp(`${url.pathname}${url.search}`, { method });

  test("opens this one picture without a session", async () => {
    const { url } = await getLink(1);
    const response = await open(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "cache-control": "private, max-age=300",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    expect((await sharp(await response.arrayBuffer()).metadata()).width).toBe(640);
    const head = await open(url, "HEAD");
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
    expect((await open(url, "POST")).status).toBe(405);
  });

  test("opens nothing else when it is changed", async () => {
    const { uid, url } = await getLink();
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return open(copy);
    };
    const other = await getLink();
    const refusals = await Promise.all([
      changed((each) => (each.pathname = `/files/alert-pictures/${uid}/1`)),
      changed((each) => (each.pathname = `/files/alert-pictures/${uid}/`)),
      changed((each) => (each.pathname = `/files/alert-pictures/${uid}`)),
      changed((each) => (each.pathname = `/files/alert-pictures/${other.uid}/0`)),
      changed((each) => (each.pathname = `/files/alert-captures/${org.uid}/${uid}/0`)),
      changed((each) => each.searchParams.set("expires", String(Number(each.searchParams.get("expires")) + 1))),
      changed((each) => each.searchParams.set("signature", "A".repeat(43))),
      changed((each) => each.searchParams.delete("signature")),
      changed((each) => (each.search = "")),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual(Array(9).fill(404));
  });

  test("ends after seven days, with the alert, and when pictures are not wanted any more", async () => {
    const { uid, url } = await getLink();
    const openUntil = (seconds: number) => {
      const expires = Math.floor(Date.now() / 1_000) + seconds;
      const signature = sign("alert-picture", JSON.stringify([uid, 0, expires]));
      return open(new URL(`${url.origin}${url.pathname}?expires=${expires}&signature=${signature}`));
    };
    expect([(await openUntil(60)).status, (await openUntil(-60)).status]).toEqual([200, 404]);
    await share(false);
    expect((await open(url)).status).toBe(404);
    await share(true);
    expect((await open(url)).status).toBe(200);
    await prisma.alertCapture.update({ where: { uid }, data: { alertId: null } });
    expect((await open(url)).status).toBe(404);
  });
});

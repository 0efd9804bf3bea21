import { McapIndexedReader } from "@mcap/core";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import { deleteRecording } from "@/server/features/recordings/service";
import { openShare } from "@/server/features/shares/opening-service";
import { pool, prisma } from "@/server/platform/db";
import { deleteExpired } from "@/server/platform/expired-rows";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { flushAccesses } from "@/server/platform/observability/access-log";
import { ownStore } from "@/server/platform/storage/own";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeDevice,
  makeOrganization,
  makeRecording,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, second, temperatures } from "@/server/testing/processing";
import { createTrpcCaller, fetchApp } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

let org: TestOrganization;
let other: TestOrganization;
let member: TestMember;
let uid: string;

const side = 40;
/** Ten seconds of a motor, and of a camera at one picture a second, each lighter than the one before. */
async function robotRecording(): Promise<Buffer> {
  const channel: TestChannel = {
    topic: "/front",
    messageEncoding: "json",
    schemaName: "foxglove.CompressedImage",
    schemaEncoding: "jsonschema",
    schema: "{}",
  };
  const messages: TestMessage[] = [];
  for (let n = 0; n < 10; n++) {
    const background = { r: n * 20, g: n * 20, b: n * 20 };
    const jpeg = await sharp({ create: { width: side, height: side, channels: 3, background } })
      .jpeg()
      .toBuffer();
    const data = Buffer.from(JSON.stringify({ format: "jpeg", data: jpeg.toString("base64") }));
    messages.push({ topic: "/front", time: epoch + BigInt(n) * second, data });
  }
  const motor = temperatures([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  return jsonRecording({ "/motor": motor }, { more: { channels: [channel], messages } });
}

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  member = await addMember(org);
  uid = await processedRecording(org, (await makeDevice(org)).uid, [await robotRecording()], { name: "Night run" });
});

const at = (seconds: number): string => String(epoch + BigInt(seconds * 1e9));
const whole = { from: at(0), to: at(9) };
const as = (who?: TestMember, of = org) => createTrpcCaller(of, who).shares;
const tokenIn = (url: string): string => /\/share\/([\w-]{43})$/.exec(url)?.[1] ?? "";
const visit = { ip: "203.0.113.7", requestId: "visit" };

/** Makes a link, and resolves to its uid and token. */
async function share(range = whole, more: { note?: string; days?: "1" | "7" | "30" } = {}, of = uid) {
  const { uid: shareUid, url } = await as(member).create({ uid: of, ...range, ...more });
  return { uid: shareUid, token: tokenIn(url) };
}

async function open(token: string) {
  const shared = await openShare(token, visit);
  if (!shared) throw new Error("the link does not work");
  return shared;
}

/** The messages of a file by topic, and their seconds from the beginning. */
async function readMcap(bytes: Uint8Array) {
  const codecs = await recordingCodecs();
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (from, size) => Promise.resolve(bytes.subarray(Number(from), Number(from + size))),
    },
    decompressHandlers: { zstd: (packed, size) => codecs.zstd(packed, Number(size)) },
  });
  const messages: string[] = [];
  for await (const { channelId, logTime } of reader.readMessages())
    messages.push(`${reader.channelsById.get(channelId)!.topic} ${Number(logTime - epoch) / 1e9}`);
  return messages;
}

describe("a link to a recording", () => {
  test("shows its range to whoever has it, and says how often it was opened", async () => {
    const made = await as(member).create({ uid, from: at(2), to: at(4), note: " Look at the arm. " });
    expect(made.url).toMatch(/^http:\/\/[^/]+\/share\/[\w-]{43}$/);
    const token = tokenIn(made.url);
    const row = await prisma.recordingShare.findUniqueOrThrow({ where: { uid: made.uid } });
    expect(JSON.stringify(Object.values(row).map(String))).not.toContain(token);
    const shared = await open(token);
    expect(shared).toMatchObject({
      name: "Night run",
      organization_name: org.name,
      shared_by: member.username,
      note: "Look at the arm.",
      from_ns: at(2),
      to_ns: at(4),
      expires_at: made.expires_at,
      viewers: null,
    });
    expect(Object.keys(shared)).not.toContain("uid");
    const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);
    await open(token);
    const { results } = await as(member).list({ uid });
    expect(results.find((each) => each.uid === made.uid)).toMatchObject({ opened_count: 2, revocable: true });
    expect(JSON.stringify(results)).not.toContain(row.tokenHash);
  });

  test("is in the audit log with who made, opened and revoked it, and never with its token", async () => {
    const target = await processedRecording(org, (await makeDevice(org)).uid, [await robotRecording()]);
    const made = await share(whole, {}, target);
    await open(made.token);
    await open(made.token);
    await as(member).revoke({ uid: made.uid });
    await as(member).revoke({ uid: made.uid });
    await flushAccesses();
    const entries = await prisma.auditEntry.findMany({
      where: { targetId: target, action: { startsWith: "recording.share" } },
      orderBy: { uid: "asc" },
    });
    expect(entries.map(({ action, actorName, count }) => [action, actorName, count]).toSorted()).toEqual([
      ["recording.share_opened", visit.ip, 2],
      ["recording.share_revoked", member.username, 1],
      ["recording.shared", member.username, 1],
    ]);
    expect(JSON.stringify(entries.map(({ uid: _, ...entry }) => entry))).not.toContain(made.token);
  });

  test("is refused outside of the recording, and cut to it", async () => {
    const create = (from: string, to: string) => as(member).create({ uid, from, to });
    await expect(create(at(20), at(30))).rejects.toThrow("The recording ends before.");
    await expect(create(at(-20), at(-10))).rejects.toThrow("The recording begins later.");
    await expect(create(at(4), at(3))).rejects.toThrow("Must not be before `from`.");
    const shared = await open((await share({ from: at(-5), to: at(50) })).token);
    expect([shared.from_ns, shared.to_ns]).toEqual([at(0), at(9)]);
    const empty = await makeRecording(org, (await makeDevice(org)).uid);
    await expect(as(member).create({ uid: empty.uid, ...whole })).rejects.toThrow("holds no messages");
    await expect(as(member).create({ uid, ...whole, note: "n".repeat(501) })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  test("is made by members, not by those who can only view, and not for another organization's", async () => {
    const viewer = await addMember(org, "member", { readOnly: true });
    await expect(as(viewer).create({ uid, ...whole })).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect((await as(viewer).list({ uid })).results.every(({ revocable }) => !revocable)).toBe(true);
    const missing = { code: "NOT_FOUND" };
    await expect(as(undefined, other).create({ uid, ...whole })).rejects.toMatchObject(missing);
    await expect(as(undefined, other).list({ uid })).rejects.toMatchObject(missing);
    const { uid: made } = await share();
    await expect(as(undefined, other).revoke({ uid: made })).rejects.toMatchObject(missing);
  });

  test("is revoked by its author and by admins", async () => {
    const made = await share();
    const colleague = await addMember(org);
    await expect(as(colleague).revoke({ uid: made.uid })).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await openShare(made.token, visit)).not.toBeNull();
    await as(await addMember(org, "admin")).revoke({ uid: made.uid });
    expect(await openShare(made.token, visit)).toBeNull();
    expect((await as(member).list({ uid })).results.map((each) => each.uid)).not.toContain(made.uid);
  });

  test("that is wrong, expired, or of something deleted says nothing", async () => {
    for (const token of ["", "x", "x".repeat(43), `${"x".repeat(43)}\0`, "é".repeat(43)])
      expect(await openShare(token, visit)).toBeNull();
    const expired = await share(whole, { days: "1" });
    await prisma.recordingShare.update({ where: { uid: expired.uid }, data: { expiresAt: new Date() } });
    expect(await openShare(expired.token, visit)).toBeNull();

    const doomed = await processedRecording(org, (await makeDevice(org)).uid, [await robotRecording()]);
    const made = await share(whole, {}, doomed);
    await deleteRecording(org.ctx, doomed);
    expect(await openShare(made.token, visit)).toBeNull();
    expect(await prisma.recordingShare.count({ where: { uid: made.uid } })).toBe(0);

    const leaving = await makeOrganization();
    const theirs = await processedRecording(leaving, (await makeDevice(leaving)).uid, [await robotRecording()]);
    const { url } = await as(undefined, leaving).create({ uid: theirs, ...whole });
    const { download, cameras } = await open(tokenIn(url));
    await prisma.organization.update({ where: { uid: leaving.uid }, data: { deletesAt: new Date("2099-01-01") } });
    expect(await openShare(tokenIn(url), visit)).toBeNull();
    for (const link of [download?.url, cameras[0]?.stills[0]?.url])
      expect((await fetchApp(link ?? "")).status).toBe(404);
  });

  test("is one of at most a hundred of a recording, which are listed page by page", async () => {
    const { uid: recordingId } = await makeRecording(org, (await makeDevice(org)).uid, {
      startNs: BigInt(at(0)),
      endNs: BigInt(at(9)),
      messageCount: 10n,
    });
    const expiresAt = new Date(Date.now() + 86_400_000);
    const data = Array.from({ length: 100 }, (_, n) => ({
      uid: uuidv7(),
      organizationId: org.uid,
      recordingId,
      fromNs: 0n,
      toNs: BigInt(n),
      tokenHash: unique("hash"),
      createdByName: "somebody",
      expiresAt,
    }));
    await prisma.recordingShare.createMany({ data });
    await expect(as(member).create({ uid: recordingId, ...whole })).rejects.toThrow("There are 100 links");
    await prisma.recordingShare.update({ where: { uid: data[0]!.uid }, data: { revokedAt: new Date() } });
    await as(member).create({ uid: recordingId, ...whole });
    const first = await as(member).list({ uid: recordingId, limit: 60 });
    const second = await as(member).list({ uid: recordingId, limit: 60, cursor: first.next ?? "" });
    expect([first.results.length, second.results.length, second.next]).toEqual([60, 40, null]);
    expect(new Set([...first.results, ...second.results].map((each) => each.uid)).size).toBe(100);
  });

  test("is deleted 90 days after it expired", async () => {
    const made = await Promise.all([share(), share()]);
    const expire = (which: number, days: number) =>
      pool.query("update recording_shares set expires_at = now() - make_interval(days => $1) where uid = $2", [
        days,
        made[which]!.uid,
      ]);
    await expire(0, 89);
    await expire(1, 91);
    await deleteExpired("recording_shares");
    const left = await prisma.recordingShare.findMany({ where: { uid: { in: made.map((each) => each.uid) } } });
    expect(left.map((each) => each.uid)).toEqual([made[0].uid]);
  });
});

describe("the page of a link", () => {
  test("has pictures of the cameras along the range, for as long as it is shared", async () => {
    const made = await share({ from: at(3), to: at(9) });
    const { cameras } = await open(made.token);
    expect(cameras.map(({ topic, stills }) => [topic, stills.length])).toEqual([["/front", 12]]);
    const stills = cameras[0]!.stills;
    const response = await fetchApp(stills.at(-1)!.url);
    expect([response.status, response.headers.get("content-type"), response.headers.get("referrer-policy")]).toEqual([
      200,
      "image/jpeg",
      "no-referrer",
    ]);
    const { data, info } = await sharp(await response.arrayBuffer())
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([side, side]);
    expect(Math.abs(data[0]! - 8 * 20)).toBeLessThan(6);
    expect((await open(made.token)).cameras).toEqual(cameras);

    const wrong = new URL(stills[0]!.url, "http://localhost");
    wrong.searchParams.set("at", at(0));
    expect((await fetchApp(wrong.pathname + wrong.search)).status).toBe(404);
    const expired = new URL(stills[0]!.url, "http://localhost");
    expired.searchParams.set("expires", "1");
    expect((await fetchApp(expired.pathname + expired.search)).status).toBe(404);
    await as(member).revoke({ uid: made.uid });
    expect((await fetchApp(stills[0]!.url)).status).toBe(404);
  });

  test("has no picture from before the range", async () => {
    const { cameras } = await open((await share({ from: at(3.2), to: at(4.4) })).token);
    const statuses = await Promise.all(cameras[0]!.stills.map(async ({ url }) => (await fetchApp(url)).status));
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 200]);
    for (const { at_ns: moment } of cameras[0]!.stills) {
      expect(BigInt(moment)).toBeGreaterThanOrEqual(BigInt(at(3.2)));
      expect(BigInt(moment)).toBeLessThanOrEqual(BigInt(at(4.4)));
    }
  });

  test("has plots of the fields that were chosen, and only of its range", async () => {
    const plots = ["data.value", "no.such"].map((field) => ({ topic: "/motor", field }));
    const { url } = await as(member).create({ uid, from: at(3), to: at(6), plots });
    const shared = await open(tokenIn(url));
    expect(shared.plots.map(({ topic, field, from, to }) => [topic, field, from, to])).toEqual([
      ["/motor", "data.value", at(3), at(6)],
    ]);
    expect(shared.plots[0]?.points.map(([time, , , , last]) => [time, last])).toEqual(
      [3, 4, 5, 6].map((seconds) => [at(seconds), seconds]),
    );
    const five = Array.from({ length: 5 }, () => plots[0]!);
    await expect(as(member).create({ uid, ...whole, plots: five })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("opens without plots where what is stored of them is lost", async () => {
    const plots = [{ topic: "/motor", field: "data.value" }];
    const lost = await processedRecording(org, (await makeDevice(org)).uid, [await robotRecording()]);
    const { url } = await as(member).create({ uid: lost, ...whole, plots });
    const { storageKey } = await prisma.seriesPack.findUniqueOrThrow({ where: { recordingId: lost } });
    await ownStore().delete(storageKey);
    await prisma.series.deleteMany({ where: { recordingId: lost } });
    expect((await open(tokenIn(url))).plots).toEqual([]);
  });

  test("has the range as a file, and nothing around it, for as long as it is shared", async () => {
    const made = await share({ from: at(4), to: at(5) });
    const { download } = await open(made.token);
    expect(download?.file_name).toMatch(/^Night run .*\.mcap$/);
    const response = await fetchApp(download!.url);
    expect(response.status).toBe(200);
    const messages = await readMcap(new Uint8Array(await response.arrayBuffer()));
    expect(messages.toSorted()).toEqual(["/front 4", "/front 5", "/motor 4", "/motor 5"]);
    for (const [name, value] of [
      ["from", at(0)],
      ["by", `user:${member.uid}`],
      ["expires", "9999999999"],
    ] as const) {
      const changed = new URL(download!.url, "http://localhost");
      changed.searchParams.set(name, value);
      expect((await fetchApp(changed.pathname + changed.search)).status).toBe(404);
    }
    await flushAccesses();
    expect(
      await prisma.auditEntry.count({
        where: { targetId: uid, action: "file.downloaded", actorType: "anonymous", targetName: download!.file_name },
      }),
    ).toBe(1);
    await as(member).revoke({ uid: made.uid });
    expect((await fetchApp(download!.url)).status).toBe(404);
  });

  test("opens in other viewers what is shared as a whole, by a link that lives no longer than an hour", async () => {
    await underSettings({ PUBLIC_URL: "https://muster.example.com", LICHTBLICK_URL: undefined }, async () => {
      const { viewers } = await open((await share()).token);
      expect(viewers?.map(({ name, reason }) => [name, reason])).toEqual([["Foxglove", null]]);
      const link = new URL(new URL(viewers?.[0]?.href ?? "").searchParams.get("ds.url") ?? "");
      const seconds = Number(link.searchParams.get("expires")) - Date.now() / 1_000;
      expect(seconds).toBeGreaterThan(3_000);
      expect(seconds).toBeLessThanOrEqual(3_601);
    });
  });
});

import { Hono } from "hono";
import { beforeAll, describe, expect, test } from "vitest";
import { openRecordingPack } from "@/components/recording/thread/recording-source";
import { replacePack } from "@/server/features/recordings/pack-service";
import { prisma } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { unreachable } from "@/server/platform/storage/bucket-store";
import { objectStore } from "@/server/platform/storage/current";
import { newUid } from "@/server/platform/uid";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { createTrpcCaller, fetchApp } from "@/server/testing/requests";
import { respondWithMedia } from "@/server/transport/media/media-session";

let org: TestOrganization;
let other: TestOrganization;
let uid: string;
let cookie: string;
const trpc = (organization = org) => createTrpcCaller(organization).recordings;

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  cookie = await sessionCookie(org.owner, { slug: org.slug });
  const { uid: deviceId } = await makeDevice(org);
  uid = await processedRecording(org, deviceId, [
    await jsonRecording({ "/temp": temperatures([1, 2, 3]), "/late": temperatures([7]) }),
    await jsonRecording({ "/temp": temperatures([4, 5]) }),
  ]);
});

const fetchPart = async (address: string, by = cookie) => fetchApp(address, { headers: { cookie: by } });

/** Reads the latest message of a topic as a page does. */
async function readLatest(topic: string, get: (address: string) => Promise<Response> = fetchPart): Promise<unknown> {
  const { chunks } = await openRecordingPack(uid, await trpc().openPack({ uid }), await recordingCodecs(), (address) =>
    get(address),
  );
  const message = await chunks.findLatest(topic, chunks.range.end);
  return message && JSON.parse(Buffer.from(message.data).toString());
}

describe("a recording's pack", () => {
  test("lets a page read any message by addresses of parts of its files", async () => {
    expect(await readLatest("/temp")).toEqual({ data: { value: 3 } });
    expect(await readLatest("/late")).toEqual({ data: { value: 7 } });
    expect(await readLatest("/unknown")).toBeNull();
  });

  test("is made once for a recording that was processed before there were packs", async () => {
    const before = await trpc().openPack({ uid });
    await prisma.recordingPack.delete({ where: { recordingId: uid } });
    expect(await trpc().openPack({ uid })).toEqual(before);
    expect(await prisma.recordingPack.count({ where: { recordingId: uid } })).toBe(1);
    // The pack is of another version, or of files that are not there any more.
    await prisma.recordingPack.update({ where: { recordingId: uid }, data: { data: Buffer.from([0x80]) } });
    await expect(trpc().openPack({ uid })).resolves.toEqual(before);
  });

  test("of a recording that was deleted meanwhile is not kept", async () => {
    await replacePack(org.ctx, newUid("recording"), new Uint8Array([1]));
    expect(await prisma.recordingPack.count({ where: { data: Buffer.from([1]) } })).toBe(0);
  });

  test("and its files are those of its organization only", async () => {
    await expect(trpc(other).openPack({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { files } = await trpc().openPack({ uid });
    const [file] = files;
    const address = `/media/recordings/${uid}/${file!.version}/0-8?file=${file!.uid}`;
    const response = await fetchPart(address);
    expect([response.status, Buffer.from(await response.arrayBuffer()).toString("latin1")]).toEqual([
      200,
      "\x89MCAP0\r\n",
    ]);
    expect(response.headers.get("cache-control")).toBe("private, max-age=86400, immutable");
    const foreign = await sessionCookie(other.owner, { slug: other.slug });
    const refused = [
      fetchPart(address, foreign),
      fetchPart(address, ""),
      fetchPart(address.replace(file!.version, "another")),
      fetchPart(address.replace("/0-8?", `/${file!.size_bytes}-1?`)),
      fetchPart(`/media/recordings/${uid}/${file!.version}/0-8`),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([404, 401, 409, 416, 404]);
  });

  test("says why its bytes do not come: a session that ended, files that are gone, a bucket that refuses", async () => {
    await expect(readLatest("/temp", (address) => fetchPart(address, ""))).rejects.toThrow(
      "You are signed out. Reload the page.",
    );
    const bucket = new Hono().get("*", (c) =>
      respondWithMedia(c, () => Promise.reject(unreachable("yard-logs", "Access denied (403)"))),
    );
    await expect(
      readLatest("/temp", async (address) => bucket.request(address, { headers: { cookie } })),
    ).rejects.toThrow("Bucket yard-logs does not answer (403).");

    const stored = await prisma.storedFile.findMany({ where: { recordingId: uid }, select: { storageKey: true } });
    for (const { storageKey } of stored) await objectStore().delete(storageKey);
    await expect(readLatest("/temp")).rejects.toThrow("The files of this recording are gone; its evidence stays.");
  });
});

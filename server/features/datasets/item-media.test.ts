import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { maxItemMedia } from "@/domain/datasets/media";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, picture, readItems, uploadTo } from "@/server/testing/datasets";
import { addMember, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { fetchApp } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let dataset: DatasetResource;
let cookie: string;
let pictureUid: string;
let cloudUid: string;
let bytes: Buffer;

const cloud = Buffer.from(
  "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n",
);

const findUid = async (key: string): Promise<string> =>
  (await prisma.item.findFirstOrThrow({ where: { datasetId: dataset.uid, key } })).uid;

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  cookie = await sessionCookie(org.owner, { slug: org.slug });
  dataset = await makeDataset(org);
  bytes = await picture(64, 48, "jpeg");
  await uploadTo(org, dataset, { "yard/1.jpg": bytes, "1.ply": cloud });
  await readItems();
  [pictureUid, cloudUid] = [await findUid("yard/1.jpg"), await findUid("1.ply")];
});

const get = async (uid: string, kind: string, headers: Record<string, string> = {}, method = "GET") =>
  fetchApp(`/media/items/${uid}/${kind}`, { method, headers: { cookie, ...headers } });

describe("media of items", () => {
  test("are the thumbnail, the file and the poster, with the types that pages draw and an address that is cached", async () => {
    const data = await get(pictureUid, "data");
    expect([data.status, data.headers.get("content-type"), data.headers.get("cache-control")]).toEqual([
      200,
      "image/jpeg",
      "private, max-age=3600",
    ]);
    expect(data.headers.get("content-disposition")).toBeNull();
    expect(Buffer.from(await data.arrayBuffer())).toEqual(bytes);
    for (const kind of ["thumb", "poster"]) {
      const response = await get(pictureUid, kind);
      expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
        200,
        "image/webp",
        "private, max-age=86400, immutable",
      ]);
      expect((await sharp(await response.arrayBuffer()).metadata()).width).toBe(64);
    }
  });

  test("are saved instead of shown where pages do not draw them", async () => {
    const response = await get(cloudUid, "data");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="1.ply"/);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(cloud);
    expect((await get(cloudUid, "thumb")).status).toBe(404);
  });

  test("are not sent again to who has them, and the file in parts", async () => {
    const whole = await get(pictureUid, "data");
    await whole.arrayBuffer();
    const etag = whole.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect((await get(pictureUid, "data", { "if-none-match": `W/${etag}` })).status).toBe(304);
    const part = await get(pictureUid, "data", { range: "bytes=10-19" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 10-19/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20));
    expect((await get(pictureUid, "data", { range: `bytes=${bytes.length}-` })).status).toBe(416);
    const changed = await get(pictureUid, "data", { range: "bytes=10-19", "if-range": '"earlier"' });
    expect(changed.status).toBe(200);
    await changed.arrayBuffer();
    const head = await get(pictureUid, "data", {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), head.body]).toEqual([200, String(bytes.length), null]);
  });

  test("are for people who see the dataset alone", async () => {
    expect((await fetchApp(`/media/items/${pictureUid}/thumb`)).status).toBe(401);
    const theirs = await sessionCookie(other.owner, { slug: other.slug });
    expect((await get(pictureUid, "thumb", { cookie: theirs })).status).toBe(404);
    expect((await get(uuidv7(), "thumb")).status).toBe(404);
    expect((await get(pictureUid, "original")).status).toBe(404);
    const member = await addMember(org);
    const seen = await sessionCookie(member, { slug: org.slug });
    await (await get(pictureUid, "thumb", { cookie: seen })).arrayBuffer();
    await prisma.dataset.update({ where: { uid: dataset.uid }, data: { access: "assigned" } });
    expect((await get(pictureUid, "thumb", { cookie: seen })).status).toBe(404);
    await prisma.dataset.update({ where: { uid: dataset.uid }, data: { access: "organization" } });
    expect((await get(pictureUid, "thumb", { cookie: seen })).status).toBe(200);
  });

  test("are at most eight at a time for one person, until they were read or nobody reads them any more", async () => {
    const member = await addMember(org);
    const own = { cookie: await sessionCookie(member, { slug: org.slug }) };
    const open = await Promise.all(Array.from({ length: maxItemMedia }, () => get(pictureUid, "data", own)));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    const refused = await get(pictureUid, "data", own);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect((await get(pictureUid, "thumb")).status).toBe(200);
    await open[0]!.arrayBuffer();
    await open[1]!.body!.cancel();
    const [again, more, beyond] = [
      await get(pictureUid, "data", own),
      await get(pictureUid, "data", own),
      await get(pictureUid, "data", own),
    ];
    expect([again.status, more.status, beyond.status]).toEqual([200, 200, 429]);
    await Promise.all([...open.slice(2), again, more].map((response) => response.body!.cancel()));
  });

  test("in a bucket that is not connected any more are gone", async () => {
    const { storageKey } = await prisma.item.findUniqueOrThrow({ where: { uid: cloudUid } });
    await prisma.item.update({ where: { uid: cloudUid }, data: { storageKey: `bucket/${uuidv7()}/${storageKey}` } });
    const response = await get(cloudUid, "data");
    expect([response.status, await response.json()]).toEqual([
      410,
      { detail: "The bucket of this item is not connected any more." },
    ]);
    await prisma.item.update({ where: { uid: cloudUid }, data: { storageKey } });
  });
});

test("a picture's mean colour and the hash of its bytes are stored when it is read", async () => {
  const item = await prisma.item.findUniqueOrThrow({ where: { uid: pictureUid } });
  const [, red, green, blue] = /^#(..)(..)(..)$/.exec(item.tint ?? "") ?? [];
  const near = (channel: string | undefined, value: number) =>
    expect(Math.abs(Number.parseInt(channel ?? "", 16) - value)).toBeLessThan(6);
  near(red, 10);
  near(green, 120);
  near(blue, 200);
  expect(item.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect((await prisma.item.findUniqueOrThrow({ where: { uid: cloudUid } })).tint).toBeNull();
});

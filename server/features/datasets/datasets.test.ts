import { createHash } from "node:crypto";
import { createFile } from "mp4box";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sequenceStatuses } from "@/domain/datasets/schema";
import { writeMcap } from "@/engine/testing/write-mcap";
import { expireDatasetUploads } from "@/server/features/datasets/expiry-service";
import type {
  DatasetResource,
  DatasetUploadStatus,
  ItemResource,
  RecordingAdded,
  SequenceResource,
} from "@/server/features/datasets/resource";
import { deriveSequenceStatus } from "@/server/features/datasets/sequences-service";
import { parsePlace } from "@/server/features/datasets/sequencing-service";
import { deleteRecording } from "@/server/features/recordings/service";
import type { Confirmation, SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { Page } from "@/server/platform/pagination";
import { objectStore } from "@/server/platform/storage/current";
import { makeDataset, picture, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import { makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { processedRecording } from "@/server/testing/processing";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let server: Loopback;

beforeAll(async () => {
  [org, other, server] = await Promise.all([makeOrganization(), makeOrganization(), startLoopback()]);
});
afterAll(() => server.close());

const call = requestsWith(() => org.key);
const at = ({ owner_name, slug }: DatasetResource) => `/datasets/${owner_name}/${slug}`;
const listItems = async (dataset: DatasetResource, query = "ordering=key") =>
  (await call<Page<ItemResource>>("GET", `${at(dataset)}/items/?${query}`)).body.results;
const listEvents = async (uid: string) => {
  const rows = await prisma.webhookDelivery.findMany({ where: { organizationId: org.uid }, orderBy: { uid: "asc" } });
  return rows
    .filter(({ payload }) => (payload as { dataset_uid?: string }).dataset_uid === uid)
    .map(({ eventType }) => eventType);
};
const subscribe = () =>
  call("POST", "/webhooks/", {
    target_url: `https://example.com/${unique()}`,
    events: ["dataset.created", "dataset.updated", "dataset.deleted"],
  });

describe("a dataset", () => {
  test("is created, read, changed and deleted, with a platform event for each change", async () => {
    const hook = await subscribe();
    const made = await call<DatasetResource>("POST", "/datasets/", { name: "Höhle & Kran", data_type: "lidar" });
    expect([made.status, made.body.slug, made.body.status, made.body.item_count]).toEqual([
      201,
      "hohle-kran",
      "created",
      0,
    ]);
    expect(made.body).toMatchObject({ owner_name: org.slug, visibility: "private", is_sequence: false, size_bytes: 0 });
    const path = `${at(made.body)}/`;
    expect((await call<DatasetResource>("GET", path)).body).toEqual(made.body);
    const changed = await call<DatasetResource>("PATCH", path, { name: "Kran", slug: "another" });
    expect([changed.status, changed.body.name, changed.body.slug]).toEqual([200, "Kran", "hohle-kran"]);
    expect((await call("PATCH", path, {})).status).toBe(200);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", path)).status).toBe(404);
    expect(await listEvents(made.body.uid)).toEqual(["dataset.created", "dataset.updated", "dataset.deleted"]);
    await call("DELETE", `/webhooks/${String(hook.body.uid)}/`);
  });

  test("has a unique slug, made from its name or refused when it is taken", async () => {
    const name = unique("yard");
    const [first, second] = [
      await call<DatasetResource>("POST", "/datasets/", { name }),
      await call<DatasetResource>("POST", "/datasets/", { name }),
    ];
    expect([first.body.slug, second.body.slug]).toEqual([name, `${name}-2`]);
    const taken = await call("POST", "/datasets/", { name: "x", slug: name });
    expect([taken.status, taken.body.slug]).toEqual([400, ["A dataset with this slug already exists."]]);
    for (const slug of ["list", "Upper", "a/b", ""])
      expect((await call("POST", "/datasets/", { name: "x", slug })).status).toBe(400);
    // Slugs are unique within an organization only.
    expect((await call("POST", "/datasets/", { name, slug: name }, other.key)).status).toBe(201);
  });

  test("is 404 for another organization", async () => {
    const dataset = await makeDataset(org);
    for (const path of [
      `${at(dataset)}/`,
      `${at(dataset)}/items/`,
      `${at(dataset)}/sequences/`,
      `/datasets/${org.slug}/list/`,
    ]) {
      expect((await call("GET", path, undefined, other.key)).status).toBe(404);
    }
  });

  test("is listed page by page, in the requested order", async () => {
    const own = await makeOrganization();
    for (const name of ["b", "c", "a"]) await makeDataset(own, { name });
    const names = async (query: string) => {
      const seen: string[] = [];
      for (let url: string | null = `/datasets/${own.slug}/list/?limit=2&${query}`; url !== null;) {
        const { body }: { body: Page<DatasetResource> } = await call("GET", url, undefined, own.key);
        seen.push(...body.results.map(({ name }) => name));
        url = body.next && body.next.slice(body.next.indexOf("/datasets"));
      }
      return seen.join("");
    };
    expect([
      await names(""),
      await names("ordering=created_at"),
      await names("ordering=name"),
      await names("ordering=-name"),
    ]).toEqual(["acb", "bca", "abc", "cba"]);
    expect((await call("GET", "/datasets/?ordering=slug", undefined, own.key)).body.ordering).toBeDefined();
  });
});

describe("uploaded files", () => {
  test("become items through an upload session over HTTP", async () => {
    const dataset = await makeDataset(org);
    const hook = await subscribe();
    const [png, broken] = [await picture(), Buffer.from("\x89PNG\r\n\x1a\nand no more", "latin1")];
    const files = { "front/a.png": png, "b.png": broken, "c.exe": Buffer.from("MZ...") };
    const named = Object.entries(files).map(([path, bytes]) => ({ path, size_bytes: bytes.length }));
    const post = <T>(step: string, body: unknown) => call<T>("POST", `${at(dataset)}/upload/${step}/`, body);
    const session = await post<UploadSessionResource>("init", { files: named });
    expect([session.status, session.body.total_files]).toEqual([201, 3]);
    expect((await post<UploadSessionResource>("init", { files: named })).body.uid).toBe(session.body.uid);
    const session_uid = session.body.uid;
    expect((await post("finalize", { session_uid })).body.session_uid).toEqual(["3 files are not confirmed yet."]);

    const { body } = await post<SignedUrls>("urls", { session_uid, file_paths: Object.keys(files) });
    for (const { path, put_url, headers } of body.urls) {
      expect(
        (await fetch(server.here(put_url), { method: "PUT", headers, body: new Uint8Array(files[path as "b.png"]) }))
          .status,
      ).toBe(200);
    }
    const claims = named.map((file) => ({
      ...file,
      etag: createHash("md5")
        .update(files[file.path as "b.png"])
        .digest("hex"),
    }));
    const wrong = await post("confirm", { session_uid, files: [{ ...claims[0], etag: "0" }] });
    expect([wrong.status, wrong.body.files]).toEqual([400, ["0.etag: The stored bytes have another tag."]]);
    expect((await post<Confirmation>("confirm", { session_uid, files: claims })).body).toEqual({
      confirmed: 3,
      total_confirmed: 3,
      total_files: 3,
    });
    const given = (path: string, metadata: object) => ({ session_uid, files: [{ path, metadata }] });
    const refused = async (body: object) => (await post("finalize", body)).body.files;
    expect(await refused(given("a.png", {}))).toEqual(["0.path: It is not a file of this upload."]);
    expect(await refused(given("b.png", { width: 3 }))).toEqual(['0.metadata: "width" is read from the file.']);
    expect((await post("finalize", given("front/a.png", { weather: "rain", lane: null }))).body).toEqual({
      status: "finalized",
    });
    expect((await post("finalize", { session_uid })).status).toBe(200);
    expect((await listItems(dataset)).map(({ status }) => status)).toEqual(["pending", "pending", "pending"]);
    expect((await call<DatasetResource>("GET", `${at(dataset)}/`)).body).toMatchObject({
      status: "creating",
      item_count: 3,
    });

    await readItems();
    const [item, ...more] = await listItems(dataset);
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      key: "front/a.png",
      status: "unattempted",
      annotations_count: 0,
      metadata: { format: "png", width: 64, height: 48, channels: 3, weather: "rain" },
    });
    expect(item?.metadata).not.toHaveProperty("lane");
    const data = await fetch(server.here(item?.data_url ?? ""));
    expect(Buffer.from(await data.arrayBuffer()).equals(png)).toBe(true);
    const thumbnail = await fetch(server.here(item?.thumbnail_url ?? ""));
    expect((await sharp(await thumbnail.arrayBuffer()).metadata()).format).toBe("webp");
    expect((await call<ItemResource>("GET", `${at(dataset)}/items/${item?.uid}/`)).body.key).toBe("front/a.png");
    const status = await call<DatasetUploadStatus>("GET", `${at(dataset)}/upload/status/?session_uid=${session_uid}`);
    expect(status.body.failed_files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "b.png", error: "The image is damaged and cannot be read." },
      { path: "c.exe", error: "Unknown format. Datasets take JPEG, PNG, WebP, MP4, MOV, PCD, PLY, MCAP and ROS bags." },
    ]);
    expect((await call<DatasetResource>("GET", `${at(dataset)}/`)).body).toMatchObject({
      status: "created",
      item_count: 1,
      size_bytes: png.length,
    });
    expect(await listEvents(dataset.uid)).toEqual(["dataset.updated"]);
    const again = await post("init", { files: [{ path: "front/a.png", size_bytes: 1 }] });
    expect([again.status, again.body.files]).toEqual([400, ["0.path: The dataset has an item of this name."]]);
    await call("DELETE", `/webhooks/${String(hook.body.uid)}/`);
  });

  test("of every format are detected from their bytes and not from their names", async () => {
    const dataset = await makeDataset(org);
    const pcd =
      "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n0 0 0 1\n1 1 1 1\n";
    const ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    const movie = createFile();
    const track = movie.addTrack({ width: 320, height: 180, timescale: 1_000 });
    for (let frame = 0; frame < 3; frame++)
      movie.addSample(track, new Uint8Array(10), { duration: 40, dts: frame * 40, cts: frame * 40, is_sync: true });
    const mcap = await writeMcap(
      [{ topic: "/t", messageEncoding: "json", schemaName: "", schemaEncoding: "", schema: "" }],
      [{ topic: "/t", time: 5n, data: Buffer.from("{}") }],
    );
    await uploadTo(org, dataset, {
      "1.dat": await picture(40, 20, "jpeg"),
      "2.png": await picture(30, 10, "webp"),
      "3.txt": Buffer.from(pcd),
      "4": Buffer.from(ply),
      "5.mp4": Buffer.from(movie.getBuffer().buffer),
      "6.bin": mcap,
      "7.ply": Buffer.from("ply\nformat ascii 1.0\nelement vertex lots\nend_header\n"),
    });
    await readItems();
    expect((await listItems(dataset)).map(({ key, metadata }) => [key, metadata])).toEqual([
      ["1.dat", { format: "jpeg", width: 40, height: 20, channels: 3 }],
      ["2.png", { format: "webp", width: 30, height: 10, channels: 3 }],
      [
        "3.txt",
        { format: "pcd", width: 2, height: 1, point_count: 2, fields: ["x", "y", "z", "intensity"], encoding: "ascii" },
      ],
      ["4", { format: "ply", point_count: 3, fields: ["x", "y", "z"], encoding: "ascii", splat: false }],
      ["5.mp4", expect.objectContaining({ format: "mp4", width: 320, height: 180, frame_count: 3 })],
      ["6.bin", { format: "mcap", topic_count: 1, message_count: 1, duration_seconds: 0 }],
    ]);
  });

  test("that are clouds and end before their points are refused with the reason, and others beside them are not", async () => {
    const cloud = (points: number, data: string) =>
      `# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH ${points}\nHEIGHT 1\nPOINTS ${points}\nDATA ${data}\n`;
    const packed = (points: number) => Buffer.concat([Buffer.from(cloud(points, "binary")), Buffer.alloc(12 * 62)]);
    const files = {
      "short.pcd": packed(20_000),
      "text.pcd": Buffer.from(`${cloud(3, "ascii")}1 2 3\n4 5 6\n`),
      "packed.pcd": Buffer.from(cloud(3, "binary_compressed")),
      "whole.pcd": packed(62),
    };
    const dataset = await makeDataset(org, { data_type: "lidar" });
    const session = await uploadTo(org, dataset, files);
    await readItems();
    const { body } = await call<DatasetUploadStatus>("GET", `${at(dataset)}/upload/status/?session_uid=${session}`);
    expect(body.failed_files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "packed.pcd", error: "The file ends before its points." },
      { path: "short.pcd", error: "The file says 20,000 points but ends after 62." },
      { path: "text.pcd", error: "The file says 3 points but ends after 2." },
    ]);
    expect((await listItems(dataset)).map(({ key }) => key)).toEqual(["whole.pcd"]);
  });

  test("with too many pixels are refused from the header, before decoding", async () => {
    const dataset = await makeDataset(org);
    const valid = await picture(1, 1);
    const huge = Buffer.from(valid);
    // Width and height in the header, and the checksum of the header chunk.
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    huge.writeUInt32BE(crc32(huge.subarray(12, 29)), 29);
    const session = await uploadTo(org, dataset, { "huge.png": huge });
    await readItems();
    const { body } = await call<DatasetUploadStatus>("GET", `${at(dataset)}/upload/status/?session_uid=${session}`);
    expect(body.failed_files).toEqual([
      { path: "huge.png", error: "Images may have at most 100 megapixels; this one has 60000 × 60000." },
    ]);
    expect(body.dataset_status).toBe("failed");
  });

  test("whose paths that lead elsewhere are refused", async () => {
    const dataset = await makeDataset(org);
    for (const path of ["../a.png", "/a.png", "C:\\a.png", "a\u202egnp.exe", "a\nb.png"]) {
      const init = await call("POST", `${at(dataset)}/upload/init/`, { files: [{ path, size_bytes: 5 }] });
      expect([path, init.status, init.body]).toEqual([
        path,
        400,
        { files: [expect.stringMatching(/^0\.path: Must not /)] },
      ]);
    }
  });

  test("of an upload that is not finalized expire after a week", async () => {
    const dataset = await makeDataset(org);
    const init = await call<UploadSessionResource>("POST", `${at(dataset)}/upload/init/`, {
      files: [{ path: "a.png", size_bytes: 5 }],
    });
    await prisma.uploadSession.update({
      where: { uid: init.body.uid },
      data: { createdAt: new Date(Date.now() - 8 * 86_400_000) },
    });
    expect(await expireDatasetUploads()).toBe(1);
    const late = await call("POST", `${at(dataset)}/upload/urls/`, {
      session_uid: init.body.uid,
      file_paths: ["a.png"],
    });
    expect([late.status, late.body.session_uid]).toEqual([400, ["This upload was given up."]]);
  });
});

describe("sequences", () => {
  test("a folder is a sequence, its folders are views, and frames are numbered in natural order", async () => {
    const dataset = await makeDataset(org, { is_sequence: true });
    const bytes = await picture();
    await uploadTo(
      org,
      dataset,
      Object.fromEntries(
        ["d1/front/f10.png", "d1/front/f9.png", "d1/rear/f1.png", "d2/1.png"].map((path) => [path, bytes]),
      ),
    );
    await readItems();
    const { results } = (await call<Page<SequenceResource>>("GET", `${at(dataset)}/sequences/?ordering=key`)).body;
    expect(
      results.map(({ key, status, number_of_frames, views }) => [
        key,
        status,
        number_of_frames,
        views.map((view) => [view.key, view.metrics]),
      ]),
    ).toEqual([
      [
        "d1",
        "unattempted",
        2,
        [
          ["front", { frames: 2 }],
          ["rear", { frames: 1 }],
        ],
      ],
      ["d2", "unattempted", 1, [["main", { frames: 1 }]]],
    ]);
    expect((await fetch(server.here(results[0]?.featured_image ?? ""))).status).toBe(200);
    const load = results[0]?.views[0]?.load ?? "";
    const frames = await call<Page<ItemResource>>("GET", load.slice(load.indexOf("/datasets")));
    expect(frames.body.results.map(({ key, view, frame }) => [key, view, frame])).toEqual([
      ["d1/front/f10.png", "front", 1],
      ["d1/front/f9.png", "front", 0],
      ["d1/rear/f1.png", "rear", 0],
    ]);
    // Later frames of a sequence are numbered among the existing ones.
    await uploadTo(org, dataset, { "d1/front/f2.png": bytes });
    await readItems();
    const now = await call<Page<ItemResource>>("GET", load.slice(load.indexOf("/datasets")));
    expect(now.body.results.filter(({ view }) => view === "front").map(({ frame }) => frame)).toEqual([2, 0, 1]);
    const path = `${at(dataset)}/sequences/${results[0]?.uid}/`;
    expect((await call<SequenceResource>("PATCH", path, { status: "labeling_4d" })).body.status).toBe("labeling_4d");
    expect((await call("PATCH", path, { status: "nope" })).body.status).toEqual([
      `"nope" is not a valid choice. Choices: ${sequenceStatuses.join(", ")}.`,
    ]);
    expect((await call<SequenceResource>("GET", path)).body.status).toBe("labeling_4d");
  });

  test.each([
    ["a/b/1.png", "image/png", { sequence: "a", view: "b" }],
    ["a/b/c/1.png", "image/png", { sequence: "a", view: "b/c" }],
    ["1.png", "image/png", { sequence: "yard", view: "main" }],
    ["a/clip.mp4", "video/mp4", { sequence: "a/clip.mp4", view: "main" }],
  ])("%s of type %s has its sequence and view", (key, type, place) =>
    expect(parsePlace(key, type, "yard")).toEqual(place),
  );

  test("the status of a sequence is derived from its items", () => {
    const derive = (
      counts: Parameters<typeof deriveSequenceStatus>[0] extends ReadonlyMap<infer K, number>
        ? Partial<Record<K & string, number>>
        : never,
    ) => deriveSequenceStatus(new Map(Object.entries(counts)) as Parameters<typeof deriveSequenceStatus>[0]);
    expect([
      derive({ pending: 1, completed: 1 }),
      derive({ unattempted: 2 }),
      derive({ ready_for_annotation: 1, completed: 1 }),
      derive({ completed: 1, customer_approved: 1 }),
      derive({ customer_approved: 2 }),
      derive({ rework_required: 1, customer_approved: 2 }),
    ]).toEqual(["pending", "unattempted", "ready_for_annotation", "completed", "customer_approved", "rework_required"]);
  });
});

describe("a recording", () => {
  test("is added once with its files, which stay when the recording is deleted", async () => {
    const device = await makeDevice(org);
    const bytes = await writeMcap(
      [{ topic: "/t", messageEncoding: "json", schemaName: "", schemaEncoding: "", schema: "" }],
      [{ topic: "/t", time: 5n, data: Buffer.from("{}") }],
    );
    const recording = await processedRecording(org, device.uid, [bytes], { name: "Run 7" });
    const path = `/fleet/recordings/${recording}/to-dataset/`;
    const first = await call<RecordingAdded>("POST", path, {});
    expect([first.status, first.body.items_added, first.body.dataset.name, first.body.dataset.data_type]).toEqual([
      201,
      1,
      "Run 7",
      "mcap",
    ]);
    const again = await call<RecordingAdded>("POST", path, { dataset: first.body.dataset.uid });
    expect([again.body.items_added, again.body.dataset.item_count]).toEqual([0, 1]);
    await readItems();
    await deleteRecording(org.ctx, recording);
    const [item] = await listItems(first.body.dataset);
    expect(item).toMatchObject({
      key: `${recording}/file-0.mcap`,
      status: "unattempted",
      metadata: { format: "mcap", message_count: 1 },
    });
    expect((await fetch(server.here(item?.data_url ?? ""))).status).toBe(200);
    const otherDataset = await makeDataset(other);
    const foreign = await processedRecording(org, device.uid, [bytes]);
    const refused = await call("POST", `/fleet/recordings/${foreign}/to-dataset/`, { dataset: otherDataset.uid });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["dataset"]]);
  });
});

test("deleting a dataset deletes its files", async () => {
  const dataset = await pictures(org, 2);
  const [item] = await prisma.item.findMany({ where: { datasetId: dataset.uid } });
  expect(await objectStore().head(item?.storageKey ?? "")).not.toBeNull();
  await call("DELETE", `${at(dataset)}/`);
  const queued = await queuedJobs(jobs.deleteStoredObjects, { prefix: `datasets/${org.uid}/${dataset.uid}/` });
  expect([queued.length, await prisma.item.count({ where: { datasetId: dataset.uid } })]).toEqual([1, 0]);
});

function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ -1) >>> 0;
}

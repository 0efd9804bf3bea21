import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { DatasetResource, ItemResource, RecordingAdded } from "@/server/features/datasets/resource";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import type { RecordingDetail, RecordingFile, RecordingResource } from "@/server/features/recordings/resource";
import type { StorageConfigResource } from "@/server/features/storage-configs/resource";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredObjects } from "@/server/platform/storage/jobs";
import type { BucketPlace } from "@/server/testing/bucket-scenarios";
import { picture, readItems } from "@/server/testing/datasets";
import { writeDb3WithLog } from "@/server/testing/db3";
import { makeDevice, makeOrganization, unique } from "@/server/testing/factories";
import { jsonRecording, runJobs, temperatures } from "@/server/testing/processing";
import { request, requestsWith } from "@/server/testing/requests";

/** Tests of recordings, datasets and exports that are stored in a bucket. */
export function keptInABucket(place: () => BucketPlace): void {
  const call = requestsWith(() => place().org.key);
  async function connect(): Promise<StorageConfigResource> {
    const made = await call<StorageConfigResource>("POST", "/storage-configs/", {
      name: unique("bucket"),
      ...place().fields,
    });
    expect([made.status, made.body.is_verified]).toEqual([201, true]);
    return made.body;
  }
  /** Deletes the object at a path and expects that its files are deleted from the bucket. */
  async function expectDeleted(at: string, session: UploadSessionResource): Promise<void> {
    expect((await call("DELETE", `${at}/`)).status).toBe(204);
    await runJobs([deleteStoredObjects]);
    expect(await place().names(session.s3_prefix)).toEqual([]);
  }
  const upload = (at: string, name: string, bytes: Buffer, init: object) => uploadAll(at, { [name]: bytes }, init);
  /** Uploads files as a client does: the bytes go directly to the bucket. */
  async function uploadAll(at: string, files: Record<string, Buffer>, init: object): Promise<UploadSessionResource> {
    const declared = Object.entries(files).map(([path, { length }]) => ({ path, size_bytes: length }));
    const session = await call<UploadSessionResource>("POST", `${at}/upload/init/`, { files: declared, ...init });
    expect(session.status).toBe(201);
    for (const [name, bytes] of Object.entries(files)) await uploadFile(at, session.body, name, bytes);
    const session_uid = session.body.uid;
    expect((await call("POST", `${at}/upload/finalize/`, { session_uid })).status).toBe(200);
    return session.body;
  }
  async function uploadFile(at: string, session: UploadSessionResource, name: string, bytes: Buffer): Promise<void> {
    const session_uid = session.uid;
    const { urls } = (await call<SignedUrls>("POST", `${at}/upload/urls/`, { session_uid, file_paths: [name] })).body;
    const [file] = urls;
    if (!file) throw new Error("no upload URL");
    expect(file.put_url.startsWith(place().endpoint)).toBe(true);
    expect(file.s3_key.startsWith(session.s3_prefix)).toBe(true);
    const put = await fetch(file.put_url, { method: "PUT", body: new Uint8Array(bytes), headers: file.headers });
    expect(put.status).toBe(200);
    const wrong = await call("POST", `${at}/upload/confirm/`, {
      session_uid,
      files: [{ path: name, etag: "0".repeat(32), size_bytes: bytes.length }],
    });
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ["files"]]);
    const confirmed = await call("POST", `${at}/upload/confirm/`, {
      session_uid,
      files: [{ path: name, etag: put.headers.get("etag"), size_bytes: bytes.length }],
    });
    expect(confirmed.status).toBe(200);
  }

  test("a recording is uploaded, processed, downloaded and deleted", async () => {
    const config = await connect();
    const { uid: device_id } = await makeDevice(place().org);
    const { uid } = (await call<RecordingResource>("POST", "/fleet/recordings/", { device_id })).body;
    const bytes = await jsonRecording({ "/motor": temperatures([40, 50, 60]) });
    const at = `/fleet/recordings/${uid}`;
    const session = await upload(at, "run.mcap", bytes, { storage_config_uid: config.uid });
    expect(session.s3_prefix).toBe(`ours/recordings/${place().org.uid}/${uid}/`);
    await runJobs();
    const ready = (await call<RecordingDetail>("GET", `${at}/`)).body;
    expect([ready.status, ready.topics.map(({ name }) => name), ready.message_count]).toEqual(["ready", ["/motor"], 3]);
    const { results } = (await call<{ results: RecordingFile[] }>("GET", `${at}/files/`)).body;
    const url = results[0]?.download_url ?? "";
    expect(url.startsWith(`${place().address}/ours/recordings/`)).toBe(true);
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true);
    const stored = await place().names(session.s3_prefix);
    // The recording, and its signals beside it.
    const signals = stored.filter((name) => name.startsWith(`${session.s3_prefix}signals/`));
    expect([signals.length, stored.length]).toEqual([1, 2]);
    await expectDeleted(at, session);
  });

  test("a recording of files that belong together is decompressed and converted there", async () => {
    const config = await connect();
    const { uid: device_id } = await makeDevice(place().org);
    const { uid } = (await call<RecordingResource>("POST", "/fleet/recordings/", { device_id })).body;
    const data = Buffer.from("00010000000000000000f83f", "hex");
    const messages = [0n, 1n, 2n, 3n].map((time) => ({ topic: 1, time, data }));
    const contents = { topics: [{ name: "/level", type: "std_msgs/msg/Float64" }], messages };
    const { db3, wal } = writeDb3WithLog(contents, 2);
    const at = `/fleet/recordings/${uid}`;
    const files = { "run_0.db3.gz": gzipSync(db3), "run_0.db3-wal": wal };
    const session = await uploadAll(at, files, { storage_config_uid: config.uid });
    await runJobs();
    const ready = (await call<RecordingDetail>("GET", `${at}/`)).body;
    expect([ready.status, ready.message_count, ready.warnings]).toEqual(["ready", 4, []]);
    const stored = await place().names(session.s3_prefix);
    // Both files, what the first holds, the MCAP file made of that, and the signals.
    expect(stored.length).toBe(5);
    await expectDeleted(at, session);
  });

  test("a dataset stores its pictures, thumbnails and copies of recordings there", async () => {
    const config = await connect();
    const dataset = (
      await call<DatasetResource>("POST", "/datasets/", { name: unique("dataset"), storage_config_uid: config.uid })
    ).body;
    expect(dataset.storage_config_uid).toBe(config.uid);
    const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
    const bytes = await picture();
    const session = await upload(at, "a.png", bytes, {});
    await readItems();
    const [item] = (await call<{ results: ItemResource[] }>("GET", `${at}/items/`)).body.results;
    expect([item?.status, item?.metadata]).toEqual([
      "unattempted",
      { format: "png", width: 64, height: 48, channels: 3 },
    ]);
    for (const url of [item?.data_url, item?.thumbnail_url])
      expect([url?.startsWith(place().endpoint), (await fetch(url ?? "")).status]).toEqual([true, 200]);
    expect((await place().names(session.s3_prefix)).length).toBe(2);

    // A recording becomes an item, of which the dataset stores a copy.
    const { uid: device_id } = await makeDevice(place().org);
    const recording = (await call<RecordingResource>("POST", "/fleet/recordings/", { device_id })).body.uid;
    await upload(`/fleet/recordings/${recording}`, "run.mcap", await jsonRecording({ "/motor": temperatures([40]) }), {
      storage_config_uid: config.uid,
    });
    await runJobs();
    const added = await call<RecordingAdded>("POST", `/fleet/recordings/${recording}/to-dataset/`, {
      dataset: dataset.uid,
    });
    expect(added.body.items_added).toBe(1);
    await readItems();
    expect((await place().names(session.s3_prefix)).length).toBe(3);

    await expectDeleted(at, session);
  });

  test("an export is written there and downloaded from there", async () => {
    const config = await connect();
    const dataset = (
      await call<DatasetResource>("POST", "/datasets/", { name: unique("dataset"), storage_config_uid: config.uid })
    ).body;
    await upload(`/datasets/${dataset.owner_name}/${dataset.slug}`, "a.png", await picture(), {});
    await readItems();
    const body = {
      name: unique("export"),
      format: "avala-json-external",
      datasets: [dataset.uid],
      projects: [],
      slices: [],
      storage_config_uid: config.uid,
    };
    const made = (await call<ExportResource>("POST", "/exports/", body)).body;
    await runJobs([exportJobs.start, exportJobs.run]);
    const done = (await call<ExportResource>("GET", `/exports/${made.uid}/`)).body;
    expect([done.status, done.storage_config_uid, done.download_url?.startsWith(place().endpoint)]).toEqual([
      "exported",
      config.uid,
      true,
    ]);
    const download = await fetch(done.download_url ?? "");
    expect(((await download.json()) as { datasets: { uid: string }[] }).datasets.map(({ uid }) => uid)).toEqual([
      dataset.uid,
    ]);
    expect((await place().names(`ours/exports/${place().org.uid}/${made.uid}`)).length).toBe(1);
  });

  test("no file is found after the configuration is deleted, and new files go to the installation", async () => {
    const config = await connect();
    const dataset = (
      await call<DatasetResource>("POST", "/datasets/", { name: unique("dataset"), storage_config_uid: config.uid })
    ).body;
    const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
    const session = await upload(at, "a.png", await picture(), {});
    await readItems();
    expect((await call("DELETE", `/storage-configs/${config.uid}/`)).status).toBe(204);
    const [item] = (await call<{ results: ItemResource[] }>("GET", `${at}/items/`)).body.results;
    expect([item?.data_url, item?.thumbnail_url]).toEqual(["", ""]);
    const { storageKey } = await prisma.item.findFirstOrThrow({ where: { datasetId: dataset.uid } });
    expect(await objectStore().head(storageKey)).toBeNull();
    // The objects in the customer's bucket remain.
    expect((await place().names(session.s3_prefix)).length).toBe(2);
    const again = await call<UploadSessionResource>("POST", `${at}/upload/init/`, {
      files: [{ path: "b.png", size_bytes: 1 }],
    });
    expect(again.body.s3_prefix).toBe(`datasets/${place().org.uid}/${dataset.uid}/`);
  });

  test("an upload to another organization's bucket or of too large a file is refused", async () => {
    const config = await connect();
    const { uid: device_id } = await makeDevice(place().org);
    const { uid } = (await call<RecordingResource>("POST", "/fleet/recordings/", { device_id })).body;
    const at = `/fleet/recordings/${uid}/upload/init/`;
    const files = [{ path: "a.mcap", size_bytes: 6 * 1024 ** 3 }];
    const large = await call("POST", at, { files, storage_config_uid: config.uid });
    expect([large.status, large.body.files]).toEqual([
      400,
      ["0.size_bytes: A bucket takes at most 5 GiB in one file."],
    ]);
    const other = await makeOrganization();
    const device = await makeDevice(other);
    const otherRecording = (
      await request<RecordingResource>("POST", "/fleet/recordings/", {
        key: other.key,
        body: { device_id: device.uid },
      })
    ).body.uid;
    const foreign = await request<Record<string, string[]>>(
      "POST",
      `/fleet/recordings/${otherRecording}/upload/init/`,
      {
        key: other.key,
        body: { files: [{ path: "a", size_bytes: 1 }], storage_config_uid: config.uid },
      },
    );
    expect([foreign.status, foreign.body.storage_config_uid]).toEqual([
      400,
      [`Invalid pk "${config.uid}" - object does not exist.`],
    ]);
  });

  test("an unreachable bucket is reported, and no file is confirmed", async () => {
    const config = await connect();
    const { uid: device_id } = await makeDevice(place().org);
    const { uid } = (await call<RecordingResource>("POST", "/fleet/recordings/", { device_id })).body;
    const at = `/fleet/recordings/${uid}/upload`;
    const session = await call<UploadSessionResource>("POST", `${at}/init/`, {
      files: [{ path: "a", size_bytes: 1 }],
      storage_config_uid: config.uid,
    });
    const body = { session_uid: session.body.uid, files: [{ path: "a", etag: "x", size_bytes: 1 }] };
    const undo = configureEgress({ allow: [] });
    const response = await call("POST", `${at}/confirm/`, body).finally(undo);
    expect([response.status, response.body.storage_config_uid?.[0]]).toEqual([
      400,
      expect.stringContaining("blocked address"),
    ]);
    expect((await call("POST", `${at}/confirm/`, body)).body.files).toEqual([
      "0.path: Nothing was uploaded for it yet.",
    ]);
  });
}

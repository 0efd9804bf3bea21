import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pMap from "p-map";
import sharp from "sharp";
import { upload } from "@/bench/made-file";
import { until, type Product } from "@/bench/product";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { toByteStream } from "@/server/platform/storage/byte-stream";
import { DiskStore } from "@/server/platform/storage/disk";
import { walkFiles } from "@/server/platform/storage/walk-files";

export interface FaultDataset {
  uid: string;
  name: string;
  slug: string;
  owner_name: string;
}

export const makeDataset = ({ call }: Product, name: string): Promise<FaultDataset> =>
  call<FaultDataset>("POST", "/datasets/", { name });

/** The keys of the files that the product stored for a dataset, in order. */
export async function listFiles(product: Product, { uid }: FaultDataset): Promise<string[]> {
  const root = path.join(product.dataDir, "files");
  const keys: string[] = [];
  for await (const { key } of walkFiles(root, path.join(root, "datasets", product.organizationId, uid))) keys.push(key);
  return keys.sort();
}

const start = 1_760_000_000_000_000_000n;
const frameNs = 10_000_000n;

export interface Camera {
  recording: string;
  /** The range of its frames. */
  from: string;
  to: string;
  /** The SHA-256 of each frame's file by its time. */
  frames: Map<string, string>;
}

/** Uploads a recording of a camera of so many JPEGs, each with bytes of its own. */
export async function makeCamera(product: Product, folder: string, count: number): Promise<Camera> {
  const channel: TestChannel = {
    topic: "/camera",
    messageEncoding: "json",
    schemaName: "foxglove.CompressedImage",
    schemaEncoding: "jsonschema",
    schema: "{}",
  };
  const picture = await sharp({ create: { width: 160, height: 120, channels: 3, background: "#357" } })
    .jpeg()
    .toBuffer();
  const frames = new Map<string, string>();
  const messages = Array.from({ length: count }, (_, n): TestMessage => {
    const time = start + BigInt(n) * frameNs;
    // What follows the end of a JPEG is no part of its picture.
    const bytes = Buffer.concat([picture, Buffer.from(`frame ${n}`)]);
    frames.set(String(time), createHash("sha256").update(bytes).digest("hex"));
    const message = { format: "jpeg", data: bytes.toString("base64") };
    return { topic: "/camera", time, data: Buffer.from(JSON.stringify(message)) };
  });
  const bytes = await writeMcap([channel], messages);
  const location = path.join(folder, "camera.mcap");
  fs.writeFileSync(location, bytes);
  const { uid } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "camera" });
  const { recording } = await upload(product, uid, { location, path: "camera.mcap", size: bytes.length });
  const read = () => product.call<{ status: string }>("GET", `/fleet/recordings/${recording}/`);
  await until("the camera's recording", 120, async () => (await read()).status === "ready");
  return { recording, from: String(start), to: String(start + BigInt(count) * frameNs), frames };
}

/** One file in so many items is really there. */
const filedShare = 50;

/** Fills a dataset: one half of its items is in the folder `front`, the other in `rear`. Resolves to the keys of its files. */
export async function fillDataset(
  { database, dataDir, organizationId }: Product,
  { uid }: FaultDataset,
  count: number,
): Promise<{ front: string[]; rear: string[] }> {
  const prefix = `datasets/${organizationId}/${uid}/`;
  await database.query(
    `insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, size_bytes)
     select gen_random_uuid(), $1, $2, (array['front','rear'])[1 + n % 2] || '/' || n || '.jpg', 'unattempted', 'image/jpeg',
       jsonb_build_object('width', n, 'height', 480), $3 || n, 10 from generate_series(0, $4::int - 1) n`,
    [organizationId, uid, prefix, count],
  );
  await database.query(
    "update datasets set item_count = $1::int, size_bytes = $1::int * 10, status = 'created' where uid = $2",
    [count, uid],
  );
  const store = new DiskStore(path.join(dataDir, "files"));
  const numbers = Array.from({ length: Math.ceil(count / filedShare) }, (_, n) => n * filedShare + (n % 2));
  const filed = numbers.filter((n) => n < count);
  await pMap(filed, (n) => store.put(`${prefix}${n}`, toByteStream(Buffer.alloc(10, n)), 10), { concurrency: 8 });
  const listKeys = (rest: number) => filed.filter((n) => n % 2 === rest).map((n) => `${prefix}${n}`);
  return { front: listKeys(0), rear: listKeys(1) };
}

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "@/bench/product";
import type { LocalFile } from "@/cli/client/put-file";
import { runUpload } from "@/cli/upload-run";
import { generateRecording } from "@/engine/testing/generate-recording";
import { int4, queryRows } from "@/server/platform/rows";

/** Approximate compression ratio of the generator's files. */
const packed = 0.486;

/** Generates a zstd MCAP of about `megabytes`; `seconds` is the recorded time. */
export async function makeFile(product: Product, megabytes: number): Promise<{ file: LocalFile; seconds: number }> {
  const name = `${megabytes}-mb.mcap`;
  const location = path.join(product.dataDir, name);
  const { seconds } = await generateRecording({
    path: location,
    bytes: (megabytes * 1e6) / packed,
    compression: "zstd",
  });
  return { file: { location, path: name, size: fs.statSync(location).size }, seconds };
}

let uploads = 0;

/** Uploads a file as the command line does. Resolves to the recording and the time of its finalize request. */
export async function upload(
  product: Product,
  device: string,
  file: LocalFile,
): Promise<{ recording: string; finalizedAt: number }> {
  let finalizedAt = 0;
  const { recording } = await runUpload(
    {
      origin: product.url,
      credential: { header: "x-service-api-key", secret: product.key },
      device,
      files: [file],
      name: undefined,
      tags: [],
      wait: false,
      stateFolder: path.join(product.dataDir, "uploads", String(uploads++)),
    },
    // The last file is confirmed when the screen ends; finalize is the next request.
    { line: () => {}, begin: () => {}, progress: () => {}, end: () => (finalizedAt = performance.now()) },
  );
  return { recording, finalizedAt };
}

/** Waits until so many recordings of a device are processed and their signals stored. */
export async function untilStored(product: Product, device: string, count: number): Promise<void> {
  for (;;) {
    const [row] = await queryRows(
      product.database,
      { stored: int4 },
      `select count(*)::int as stored from recordings r join signal_sets s on s.recording_id = r.uid
       where r.device_id = $1 and r.status = 'ready' and s.error is null`,
      [device],
    );
    if (row?.stored === count) return;
    await sleep(200);
  }
}

// Runs in its own thread: unpacks chunks of recordings beside the thread that processes them, and compares their files
// with their tags.
import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { loadLz4 } from "@/engine/formats/codecs/lz4";
import { claimJob, unpackJob } from "@/engine/formats/mcap/chunk-job";
import { fastestCrc32 } from "@/server/platform/files/crc32";
import { openZstd } from "@/server/platform/files/zstd";
import type { Answer, HelperSettings, Order } from "@/server/platform/pass/pass-helper";
import { TagCheck, type TaggedFile } from "@/server/platform/storage/tag-check";

const settings = workerData as HelperSettings;
const [lz4, zstd, { crc32 }] = await Promise.all([loadLz4(), openZstd(settings.zstd), fastestCrc32()]);
if (zstd === null) throw new Error(`${settings.zstd} cannot be loaded a second time`);
const bz2 = (): never => {
  throw new Error("MCAP has no bz2");
};
const codecs = { lz4, zstd, bz2, crc32 };
const answer = (it: Answer) => parentPort?.postMessage(it);

/** Less than a millisecond's work, after which chunks that came meanwhile are next. */
const piece = Buffer.allocUnsafeSlow(512 * 1024);
/** The files that are compared, each by a piece at a time. */
const files = new Map<number, { file: TaggedFile; check: TagCheck; position: number }>();

function compareNext(): void {
  const [first] = files;
  if (!first) return;
  const [id, each] = first;
  files.delete(id);
  try {
    const length = fs.readSync(each.file.descriptor, piece, 0, piece.length, each.position);
    each.position += length;
    each.check.update(piece.subarray(0, length));
    if (length === 0) answer({ id, matches: each.check.matches() });
    else files.set(id, each);
  } catch (error) {
    answer({ id, error });
  }
  if (files.size > 0) setImmediate(compareNext);
}

parentPort?.on("message", (order: Order) => {
  const { id } = order;
  if ("job" in order) {
    if (claimJob(order.job) && unpackJob(order.job, codecs)) answer({ id });
  } else if ("file" in order) {
    const { file } = order;
    if (files.size === 0) setImmediate(compareNext);
    files.set(id, { file, check: new TagCheck(file.etag, file.sizeBytes), position: 0 });
  } else if (files.delete(id)) answer({ id });
});

// Runs in its own thread: unpacks chunks of recordings beside the thread that processes them.
import { parentPort, workerData } from "node:worker_threads";
import * as zlib from "node:zlib";
import { claimJob, unpackJob } from "@/engine/formats/chunk-job";
import { loadLz4 } from "@/engine/formats/lz4";
import type { HandedOver, UnpackerSettings } from "@/server/platform/chunk-unpacker";
import { openZstd } from "@/server/platform/zstd";

const settings = workerData as UnpackerSettings;
const [lz4, zstd] = await Promise.all([loadLz4(), openZstd(settings.zstd)]);
if (zstd === null) throw new Error(`${settings.zstd} cannot be loaded a second time`);
const bz2 = (): never => {
  throw new Error("MCAP has no bz2");
};
const codecs = { lz4, zstd, bz2, crc32: zlib.crc32 };

parentPort?.on("message", ({ id, job }: HandedOver) => {
  if (claimJob(job) && unpackJob(job, codecs)) parentPort?.postMessage(id);
});

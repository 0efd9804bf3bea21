import path from "node:path";
import { env } from "@/server/env";
import { processWide } from "@/server/process-wide";
import { DiskStore } from "@/server/storage/disk";
import type { ObjectStore } from "@/server/storage/store";

/** The local disk, below DATA_DIR/files. */
export const diskStore = (): DiskStore => processWide("diskStore", () => new DiskStore(path.join(env.DATA_DIR, "files")));

/** Where this installation keeps what is uploaded to it. */
export const objectStore = (): ObjectStore => diskStore();

import path from "node:path";
import { env } from "@/server/env";
import { processWide } from "@/server/process-wide";
import { DiskStore } from "@/server/storage/disk";
import { RoutedStore } from "@/server/storage/routed";
import type { ObjectStore } from "@/server/storage/store";

/** The local disk, below DATA_DIR/files. */
export const diskStore = (): DiskStore => processWide("diskStore", () => new DiskStore(path.join(env.DATA_DIR, "files")));

/** Where what is uploaded is kept: on this installation's disk, or in the customer's bucket that its key names. */
export const objectStore = (): ObjectStore => processWide("objectStore", () => new RoutedStore(diskStore()));

import fs from "node:fs/promises";
import { env } from "@/server/platform/env";
import { metrics, onScrape } from "@/server/platform/metrics";

/** Adds the space of the file system of DATA_DIR to the metrics of this process. */
export function observeDisk(): void {
  onScrape("disk", async () => {
    const { bavail, blocks, bsize } = await fs.statfs(env.DATA_DIR);
    metrics.diskFree.set(bavail * bsize);
    metrics.diskTotal.set(blocks * bsize);
  });
}

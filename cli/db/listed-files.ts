import pMap from "p-map";
import { CommandError } from "@/cli/client/api-client";
import { readFileList } from "@/cli/db/file-list";
import type { ArchiveSource } from "@/cli/db/source";
import { checkContent } from "@/server/platform/storage/content-check";
import type { OwnStore } from "@/server/platform/storage/own-store";
import { storeConcurrency } from "@/server/platform/storage/store";

/** How the store has the files that a backup without files names. */
export interface ListedInStore {
  named: number;
  bytes: number;
  /** What is not there as the backup names it, with the reason. */
  found: Record<"damaged" | "missing", string[]>;
}

/**
 * Compares a store with the files that a backup names, by size and tag; the bytes of a file are read where its tag differs.
 * Throws a CommandError when the store has none of them.
 */
export async function compareWithList(archive: ArchiveSource, store: OwnStore): Promise<ListedInStore> {
  const result: ListedInStore = { named: 0, bytes: 0, found: { damaged: [], missing: [] } };
  await pMap(
    readFileList(archive),
    async ({ key, size_bytes: sizeBytes, etag, damaged }) => {
      result.named += 1;
      result.bytes += sizeBytes;
      const content = await checkContent(store, { key, etag, sizeBytes }, { trusted: true });
      if (content === "missing" || (content === "damaged" && !damaged)) result.found[content].push(key);
    },
    { concurrency: storeConcurrency },
  );
  if (result.named > 0 && result.found.missing.length === result.named)
    throw new CommandError(
      `${store.location} has none of the ${result.named.toLocaleString("en")} files that ${archive.name} names, and nothing was changed. Name the store that has them by STORAGE (or DATA_DIR), or by --files-at.`,
    );
  return result;
}

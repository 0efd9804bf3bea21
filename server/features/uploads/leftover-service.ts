import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { inBucket } from "@/server/platform/storage/keys";
import { ownStore } from "@/server/platform/storage/own";

/** Deletes what was received of the unconfirmed files of a recording whose upload has expired. */
export async function removeUnconfirmed(organizationId: string, recordingId: string): Promise<void> {
  const files = await prisma.storedFile.findMany({
    where: { organizationId, recordingId, confirmedAt: null, session: { status: "expired" } },
    select: { storageKey: true },
  });
  for (const { storageKey } of files) {
    if (!inBucket(storageKey)) await ownStore().discard(storageKey);
    await objectStore().delete(storageKey);
  }
}

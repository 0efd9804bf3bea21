import { prisma } from "@/server/db";
import { processWide } from "@/server/process-wide";
import { openCredentials } from "@/server/storage/bucket-credentials";
import { S3Store } from "@/server/storage/s3";

/** How long a process may go on with a configuration that another one deleted. */
const staleMs = 5_000;

interface Known {
  store: S3Store | null;
  mark: string;
  readAt: number;
}

const known = processWide("buckets", () => new Map<string, Known>());

/** The customer's bucket of a storage configuration; null when there is none any more. */
export async function bucketStore(configUid: string): Promise<S3Store | null> {
  const before = known.get(configUid);
  if (before && performance.now() - before.readAt < staleMs) return before.store;
  const row = await prisma.storageConfig.findUnique({ where: { uid: configUid } });
  const mark = row?.credentialsSealed ?? "";
  const readAt = performance.now();
  if (before?.mark === mark) {
    before.readAt = readAt;
    return before.store;
  }
  let store: S3Store | null = null;
  if (row?.provider === "aws_s3") {
    const { accessKeyId = "", secretAccessKey = "" } = openCredentials(row);
    store = new S3Store({ ...row, region: row.region ?? "", accessKeyId, secretAccessKey });
  }
  known.set(configUid, { store, mark, readAt });
  return store;
}

/** Forgets what this process knows of a configuration. */
export const forgetBucket = (configUid: string): void => void known.delete(configUid);

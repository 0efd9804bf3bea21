import sharp from "sharp";
import type { CreateDataset } from "@/domain/datasets/schema";
import * as datasetJobs from "@/server/features/datasets/jobs";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { createDataset } from "@/server/features/datasets/service";
import {
  confirmDatasetUpload,
  finalizeDatasetUpload,
  initDatasetUpload,
} from "@/server/features/datasets/upload-service";
import * as projectJobs from "@/server/features/projects/jobs";
import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { unique, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";

/** An image file of one color. */
export const picture = (width = 64, height = 48, format: "png" | "jpeg" | "webp" = "png"): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: 10, g: 120, b: 200 } } })
    .toFormat(format)
    .toBuffer();

export const makeDataset = (
  organization: TestOrganization,
  options: Partial<CreateDataset> = {},
): Promise<DatasetResource> =>
  createDataset(organization.ctx, {
    name: unique("dataset"),
    data_type: "image",
    is_sequence: false,
    visibility: "private",
    access: "organization",
    ...options,
  });

/** Uploads files to a dataset; its items are pending until `readItems`. */
export async function uploadTo(
  organization: TestOrganization,
  dataset: DatasetResource,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const { ctx } = organization;
  const path = { owner: dataset.owner_name, slug: dataset.slug };
  const named = Object.entries(files).map(([name, bytes]) => ({ path: name, size_bytes: bytes.length }));
  const session = await initDatasetUpload(ctx, path, { files: named });
  const stored = await prisma.storedFile.findMany({ where: { sessionId: session.uid } });
  const confirmed: { path: string; etag: string; size_bytes: number }[] = [];
  for (const { path: name, storageKey } of stored) {
    const bytes = files[name] ?? Buffer.alloc(0);
    const { etag } = await objectStore().put(storageKey, new Blob([new Uint8Array(bytes)]).stream(), bytes.length);
    confirmed.push({ path: name, etag, size_bytes: bytes.length });
  }
  await confirmDatasetUpload(ctx, path, { session_uid: session.uid, files: confirmed });
  await finalizeDatasetUpload(ctx, path, { session_uid: session.uid });
  return session.uid;
}

/** Examines pending items and creates their tasks. */
export const readItems = (): Promise<void> => runJobs([datasetJobs.examine, projectJobs.make]);

/** Creates a dataset with `count` pictures that were examined. */
export async function pictures(
  organization: TestOrganization,
  count: number,
  options: Partial<CreateDataset> = {},
): Promise<DatasetResource> {
  const dataset = await makeDataset(organization, options);
  const bytes = await picture();
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${String(at).padStart(4, "0")}.png`, bytes]),
  );
  await uploadTo(organization, dataset, files);
  await readItems();
  return dataset;
}

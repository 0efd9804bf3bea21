import type { StartImport } from "@/domain/annotation-imports/schema";
import * as importJobs from "@/server/features/imports/jobs";
import type { ImportResource, ImportUpload } from "@/server/features/imports/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset } from "@/server/testing/datasets";
import { unique, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { fetchApp, request } from "@/server/testing/requests";

export interface ImportProject {
  uid: string;
  dataset: string;
  tasks: string[];
  items: string[];
}

const labels = ["car", "person"].map((name, number) => ({
  id: String(number),
  number,
  name,
  color: "#0891b2",
  types: [],
  attributes: [],
  points: [],
  edges: [],
  description: "",
  retired: false,
  aliases: [],
}));

/** An active project with a task for each key of a picture of 640 × 480 pixels, all in one batch. */
export async function makeImportProject(
  org: TestOrganization,
  keys: readonly string[],
  of: { dataset?: string; review?: string; labels?: boolean } = {},
): Promise<ImportProject> {
  const organizationId = org.uid;
  const dataset = of.dataset ?? (await makeDataset(org)).uid;
  if (of.dataset === undefined) {
    await prisma.item.createMany({
      data: keys.map((key) => ({
        uid: uuidv7(),
        organizationId,
        datasetId: dataset,
        key,
        status: "ready_for_annotation",
        mediaType: "image/png",
        metadata: { width: 640, height: 480 },
        storageKey: `imports/${uuidv7()}`,
        sizeBytes: 10n,
      })),
    });
    await prisma.dataset.update({ where: { uid: dataset }, data: { itemCount: keys.length } });
  }
  const found = await prisma.item.findMany({ where: { datasetId: dataset }, orderBy: { uid: "asc" } });
  const uid = uuidv7();
  await prisma.project.create({
    data: {
      uid,
      organizationId,
      name: unique("p"),
      taskType: "image-annotation",
      status: "active",
      taskCount: found.length,
      labels: of.labels === false ? [] : labels,
      review: of.review ?? "all",
      datasets: { create: { datasetId: dataset } },
    },
  });
  const batch = { organizationId, projectId: uid, uid: uuidv7(), number: 1, taskCount: found.length };
  await prisma.workBatch.create({ data: batch });
  const tasks = found.map(({ uid: itemId, key }) => ({
    uid: uuidv7(),
    organizationId,
    projectId: uid,
    itemId,
    batchId: batch.uid,
    type: "image-annotation",
    name: key,
  }));
  await prisma.task.createMany({ data: tasks });
  return { uid, dataset, tasks: tasks.map((task) => task.uid), items: found.map((item) => item.uid) };
}

/** Sends a file for an import, and asks for a look at it. Returns the uid of the import. */
export async function sendFile(
  { key }: { key: string },
  project: string,
  file: string | Uint8Array<ArrayBuffer>,
  { name = "instances.json", format = null }: { name?: string; format?: string | null } = {},
): Promise<string> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const body = { file_name: name, size_bytes: bytes.length };
  const begun = await request<ImportUpload>("POST", `/projects/${project}/imports/`, { key, body });
  if (begun.status !== 201) throw new Error(JSON.stringify(begun.body));
  const sent = await fetchApp(begun.body.put_url, { method: "PUT", body: bytes });
  if (sent.status !== 200) throw new Error(`sending it: ${sent.status}`);
  await request("POST", `/imports/${begun.body.uid}/check/`, { key, body: format === null ? {} : { format } });
  return begun.body.uid;
}

/** Sends a file for an import and has it looked at. */
export async function checkFile(...given: Parameters<typeof sendFile>): Promise<ImportResource> {
  const uid = await sendFile(...given);
  await runJobs([importJobs.check]);
  return readImport(given[0], uid);
}

export const readImport = async ({ key }: { key: string }, uid: string): Promise<ImportResource> =>
  (await request<ImportResource>("GET", `/imports/${uid}/`, { key })).body;

/** Sends a file, starts its import and runs it to its end. */
export async function importFile(
  who: { key: string },
  project: string,
  file: string | Uint8Array<ArrayBuffer>,
  { start, ...of }: { start: Partial<StartImport>; name?: string; format?: string | null },
): Promise<ImportResource> {
  const { uid, status, error_message: error } = await checkFile(who, project, file, of);
  if (status !== "ready") throw new Error(`${status}: ${error}`);
  const body = { mode: "accepted", ...start };
  const started = await request("POST", `/imports/${uid}/start/`, { key: who.key, body });
  if (started.status !== 200) throw new Error(JSON.stringify(started.body));
  await runJobs([importJobs.run]);
  return readImport(who, uid);
}

/** A document of COCO with boxes of so many pictures. */
export function cocoDocument(
  names: readonly string[],
  { boxes = 1, width = 640, height = 480, categories = ["car", "person"] } = {},
): string {
  return JSON.stringify({
    images: names.map((name, at) => ({ id: at + 1, file_name: name, width, height })),
    categories: categories.map((name, at) => ({ id: at + 1, name })),
    annotations: names.flatMap((_, image) =>
      Array.from({ length: boxes }, (_each, at) => ({
        id: image * boxes + at + 1,
        image_id: image + 1,
        category_id: (at % categories.length) + 1,
        bbox: [at + 1, 2, 30, 40],
        area: 1_200,
        iscrowd: 0,
      })),
    ),
  });
}

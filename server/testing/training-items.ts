import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import yauzl from "yauzl";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, picture } from "@/server/testing/datasets";
import { unique, type TestOrganization } from "@/server/testing/factories";

export interface TrainingItem {
  key: string;
  recording?: string;
  /** The hash of its content; without one it has content of its own. */
  sha256?: string;
  /** The state of the result of each project that labelled it, in the order of the projects. */
  results?: readonly ("submitted" | "accepted" | "rejected" | null)[];
  /** What its results hold; without it a box. */
  annotations?: readonly { type: string; coordinates: object }[];
  mediaType?: string;
  metadata?: object;
}

export interface TrainingData {
  dataset: DatasetResource;
  projects: string[];
  /** The uids of the items, in the order in which they were given. */
  uids: string[];
}

const labels = ["robot", "car"];
/** Of the pictures, in pixels. */
const size = { width: 64, height: 48 };

/** The box of the nth item in a project, which no other of 1,000 items has. */
const makeBox = (at: number, project = 0) => ({
  label: labels[project % 2] ?? "",
  type: "bbox",
  coordinates: { x: at / 32, y: project, width: 8, height: 12 },
  attributes: {},
});

/** The line of a label file that says `makeBox`. */
export const toLine = (at: number, project = 0): number[] => [
  project % 2,
  ...[(at / 32 + 4) / size.width, (project + 6) / size.height, 8 / size.width, 12 / size.height].map((value) =>
    Number(value.toFixed(6)),
  ),
];

/**
 * A dataset of pictures that share a stored file, each with a box in every project that labelled it: states that would
 * take many uploads. Projects have the classes `robot` and `car`.
 */
export async function trainingItems(
  { uid: organizationId, ...org }: TestOrganization,
  items: readonly TrainingItem[],
  projectCount = 1,
): Promise<TrainingData> {
  const dataset = await makeDataset({ uid: organizationId, ...org });
  const bytes = await picture();
  const storageKey = `datasets/${organizationId}/${uuidv7()}`;
  await objectStore().put(storageKey, new Blob([new Uint8Array(bytes)]).stream(), bytes.length);
  const uids = items.map(() => uuidv7());
  await prisma.item.createMany({
    data: items.map(({ key, recording, sha256, mediaType = "image/png", metadata = size }, at) => ({
      uid: uids[at] ?? "",
      organizationId,
      datasetId: dataset.uid,
      key,
      status: "completed",
      mediaType,
      metadata,
      storageKey,
      sizeBytes: bytes.length,
      sha256: sha256 ?? `content of ${uids[at]}`,
      recordingId: recording ?? null,
    })),
  });
  const projects: string[] = [];
  for (let project = 0; project < projectCount; project++) {
    const [uid, batchId] = [uuidv7(), uuidv7()];
    projects.push(uid);
    await prisma.project.create({
      data: {
        uid,
        organizationId,
        name: unique("p"),
        taskType: "image-annotation",
        labels: labels.map((name) => ({ name, color: "#112233" })),
        datasets: { create: [{ datasetId: dataset.uid }] },
      },
    });
    await prisma.workBatch.create({ data: { uid: batchId, organizationId, projectId: uid, number: 1 } });
    const tasks = uids.map((itemId) => ({ uid: uuidv7(), itemId }));
    await prisma.task.createMany({
      data: tasks.map((task) => ({
        ...task,
        organizationId,
        projectId: uid,
        batchId,
        type: "image-annotation",
        name: "t",
      })),
    });
    await prisma.result.createMany({
      data: items.flatMap(({ results = ["submitted"], annotations: given }, at) => {
        const status = results[project] ?? null;
        const task = tasks[at];
        if (status === null || !task) return [];
        const of = { taskId: task.uid, itemId: task.itemId, datasetId: dataset.uid, projectId: uid };
        const annotations = given?.map((each) => ({ ...makeBox(at, project), ...each })) ?? [makeBox(at, project)];
        const annotationCount = annotations.length;
        return [{ uid: uuidv7(), organizationId, ...of, status, annotations, annotationCount, labels }];
      }),
    });
  }
  return { dataset, projects, uids };
}

/** Unpacks an archive to a folder. */
export function unpack(archive: Buffer, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on("entry", (entry: yauzl.Entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed);
          const chunks: Buffer[] = [];
          stream
            .on("data", (chunk: Buffer) => chunks.push(chunk))
            .on("error", reject)
            .on("end", () => {
              const file = path.join(folder, entry.fileName);
              mkdirSync(path.dirname(file), { recursive: true });
              writeFileSync(file, Buffer.concat(chunks), { flag: "wx" });
              zip.readEntry();
            });
        });
      });
      zip.on("end", () => resolve()).on("error", reject);
      zip.readEntry();
    });
  });
}

/** Keys as people have them, which a rule about paths or names may break on. */
export function listOddKeys(count: number): string[] {
  const parts = [
    "images",
    "labels",
    "Images",
    "images.",
    "train",
    ".hidden",
    "..",
    "a.b.c",
    "with space",
    " images ",
    "日本語",
    "café",
    "cafe\u0301",
    "🤖",
    "a'b\"c",
    "100%",
    "[x]*?",
    "con",
    "back\\slash",
    "ф".repeat(180),
  ];
  const endings = ["png", "jpg", "PNG", "tar.gz", "txt", ""];
  return Array.from({ length: count }, (_, at) => {
    const [a, b, c] = [at, Math.floor(at / 7), Math.floor(at / 3)].map((each) => parts[each % parts.length] ?? "");
    const ending = endings[at % endings.length];
    // Pairs have the same stem, with different endings.
    return `${[a, b].slice(0, at % 3).join("/")}${at % 3 > 0 ? "/" : ""}${c}${Math.floor(at / 2)}${ending ? `.${ending}` : ""}`;
  }).map((key, at, all) => (all.indexOf(key) === at ? key : `${key}/${at}`));
}

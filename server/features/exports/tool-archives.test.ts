import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { trainingItems, unpack, type TrainingData } from "@/server/testing/training-items";
import { findAll, readXml, type XmlElement } from "@/server/testing/xml-reader";

let org: TestOrganization;
let server: Loopback;
let folder: string;
const call = requestsWith(() => org.key);

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
  folder = mkdtempSync(path.join(tmpdir(), "tool-archives-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

/** Exports and unpacks the archive. */
async function order(data: TrainingData, format: "CVAT" | "LabelStudio") {
  const named = { datasets: [data.dataset.uid], projects: [], slices: [] };
  const { uid } = (await call<ExportResource>("POST", "/exports/", { name: unique("export"), format, ...named })).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const done = (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
  expect(done).toMatchObject({ status: "exported", error_message: null });
  const response = await fetch(server.here(done.download_url ?? ""));
  const place = mkdtempSync(path.join(folder, "archive-"));
  await unpack(Buffer.from(await response.arrayBuffer()), place);
  const { formats } = await createTrpcCaller(org).exports.preview(named);
  const preview = formats.find((each) => each.format === format);
  expect([preview?.items, preview?.losses]).toEqual([done.contents?.items, done.contents?.losses]);
  return { place, contents: done.contents, shown: preview?.first ?? [] };
}

const box = { type: "bbox", coordinates: { x: 10, y: 10, width: 20, height: 10 } };
const line = {
  type: "polyline",
  coordinates: {
    points: [
      [0, 0],
      [9, 9],
    ],
  },
};
const items = () =>
  trainingItems(
    org,
    [
      { key: "drive & <1>/a.png", annotations: [box, line], results: ["submitted", "accepted"] },
      { key: "b.png", results: [null, null] },
      { key: "c.png", annotations: [], results: ["submitted", null] },
      { key: "d.mp4", mediaType: "video/mp4", results: ["submitted", null] },
    ],
    2,
  );

/** The elements that docs.cvat.ai/docs/other/xml_format lists for images, with what may stand in them. */
const elements: Readonly<Record<string, readonly string[]>> = {
  annotations: ["version", "meta", "image"],
  meta: ["task", "dumped"],
  task: ["name", "size", "mode", "overlap", "bugtracker", "flipped", "created", "updated", "labels"],
  labels: ["label"],
  label: ["name", "color", "type", "attributes", "svg", "parent"],
  attributes: ["attribute"],
  image: ["box", "polygon", "polyline", "points", "skeleton", "mask", "tag"],
  box: ["attribute"],
  polyline: ["attribute"],
};

function checkElements({ name, children }: XmlElement): void {
  for (const child of children) {
    if (!elements[name]?.includes(child.name)) throw new Error(`${name} holds ${child.name}`);
    checkElements(child);
  }
}

describe("an archive for CVAT", () => {
  test("has every picture under its name, with its shapes, in a document as CVAT describes it", async () => {
    const { place, contents, shown } = await order(await items(), "CVAT");
    const text = readFileSync(path.join(place, "annotations.xml"), "utf8");
    const document = readXml(text);
    checkElements(document);
    const images = findAll(document, "image");
    expect(images.map(({ attributes }) => attributes.id)).toEqual(["0", "1", "2", "3"]);
    for (const { attributes } of images) {
      expect(attributes).toMatchObject({ width: "64", height: "48" });
      expect(existsSync(path.join(place, "images", attributes.name ?? ""))).toBe(true);
    }
    // Two projects labelled the first.
    expect(images.map(({ children }) => children.map(({ name }) => name).join()).toSorted()).toEqual([
      "",
      "",
      "box,polyline",
      "box,polyline",
    ]);
    expect(findAll(document, "size")[0]?.text).toBe("4");
    expect(findAll(document, "label").map(({ children }) => children[0]?.text)).toEqual(["robot", "car"]);
    expect(contents).toMatchObject({
      items: 3,
      results: 3,
      losses: [
        { what: "item_dropped", count: 1 },
        { what: "item_repeated", count: 1 },
      ],
    });
    const first = readXml(shown[0]?.text ?? "");
    expect(findAll(first, "image").map(({ children }) => children)).toEqual(
      images.filter(({ attributes }) => attributes.name?.includes("a_")).map(({ children }) => children),
    );
  });
});

const Tasks = z.array(
  z.strictObject({
    data: z.strictObject({ image: z.string(), key: z.string(), uid: z.guid() }),
    annotations: z.array(
      z.strictObject({
        was_cancelled: z.literal(false),
        ground_truth: z.literal(false),
        result: z.array(
          z.looseObject({ id: z.string(), type: z.string(), from_name: z.string(), to_name: z.literal("image") }),
        ),
      }),
    ),
  }),
);

describe("an archive for Label Studio", () => {
  test("has a task for every picture, an annotation for each result, and the labeling configuration", async () => {
    const { place, contents, shown } = await order(await items(), "LabelStudio");
    const tasks = Tasks.parse(JSON.parse(readFileSync(path.join(place, "tasks.json"), "utf8")));
    expect(tasks.map(({ data }) => data.key).toSorted()).toEqual(["b.png", "c.png", "drive & <1>/a.png"]);
    for (const { data } of tasks) {
      const address = new URL(data.image, "http://127.0.0.1");
      expect(address.pathname).toBe("/data/local-files/");
      expect(existsSync(path.join(place, address.searchParams.get("d") ?? ""))).toBe(true);
    }
    const config = readXml(readFileSync(path.join(place, "labeling-config.xml"), "utf8"));
    const controls = new Set(config.children.map(({ attributes }) => attributes.name));
    const regions = tasks.flatMap(({ annotations }) => annotations.flatMap(({ result }) => result));
    expect(regions.filter(({ from_name, to_name }) => !controls.has(from_name) || !controls.has(to_name))).toEqual([]);
    expect(new Set(regions.map(({ id }) => id)).size).toBe(2);
    const labelled = tasks.find(({ data }) => data.key.startsWith("drive"));
    expect(labelled?.annotations.map(({ result }) => result.length)).toEqual([1, 1]);
    expect(contents).toMatchObject({
      items: 3,
      results: 3,
      losses: [
        { what: "polyline_dropped", count: 2 },
        { what: "item_dropped", count: 1 },
      ],
    });
    expect(Tasks.parse(JSON.parse(shown[1]?.text ?? "[]"))).toEqual([labelled]);
  });
});

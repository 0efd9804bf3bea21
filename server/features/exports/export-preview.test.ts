import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import { pool, prisma } from "@/server/platform/db";
import { annotatedPictures, box, shape } from "@/server/testing/annotated-pictures";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { trainingItems } from "@/server/testing/training-items";

let org: TestOrganization;
let server: Loopback;
let made: Awaited<ReturnType<typeof annotatedPictures>>;
const call = requestsWith(() => org.key);

/** Beside the picture by a pixel: nothing of it is left once it is clipped. */
const outside = { ...box, coordinates: { x: 64, y: 0, width: 1, height: 48 } };
const keypoints = { label: "person", type: "keypoints", coordinates: { points: [[1, 1]] } };
const tagged = { ...box, attributes: { occluded: true } };

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
  made = await annotatedPictures(org, [box, shape, shape, outside, keypoints, tagged], 7);
  await made.submit(2, [box]);
});
afterAll(() => server.close());

const nothing = { datasets: [], projects: [], slices: [] };
const preview = (input: object) => createTrpcCaller(org).exports.preview({ ...nothing, ...input });

/** Makes an export and resolves to its final state with the bytes of its file. */
async function finish(body: object): Promise<ExportResource & { bytes: Buffer }> {
  const { uid } = (await call<ExportResource>("POST", "/exports/", { name: unique("e"), ...nothing, ...body })).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const done = (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
  const response = await fetch(server.here(done.download_url ?? ""));
  return { ...done, bytes: Buffer.from(await response.arrayBuffer()) };
}

test("labels keep their class numbers when others are added, renamed, moved and left out", async () => {
  const { project, dataset } = await annotatedPictures(org, [box, shape], 1);
  const change = async (...labels: object[]) => {
    const changed = await call<ProjectResource>("PATCH", `/projects/${org.slug}/${project.uid}/`, { labels });
    return changed.body.labels.map(({ name, number, retired, aliases }) => [name, number, retired, ...aliases]);
  };
  const [person, car] = project.labels;
  expect([person?.number, car?.number]).toEqual([0, 1]);
  expect(await change({ name: "bus" }, { name: "lorry", id: car?.id })).toEqual([
    ["bus", 2, false],
    ["lorry", 1, false, "car"],
    ["person", 0, true],
  ]);
  const done = await finish({ datasets: [dataset.uid], format: "YOLO" });
  expect(done.contents?.classes.map(({ name }) => name)).toEqual(["person", "lorry", "bus"]);
  const text = (await preview({ datasets: [dataset.uid] })).formats.find(({ format }) => format === "YOLO");
  expect(
    text?.first
      .at(-1)
      ?.text.split("\n")
      .map((line) => line.split(" ")[0]),
  ).toEqual(["1", "0", ""]);
  // What nobody used is gone, and what is retired can come back.
  expect(await change({ name: "person" }, { name: "van" })).toEqual([
    ["person", 0, false],
    ["van", 3, false],
    ["lorry", 1, true, "car"],
  ]);
  const gaps = await finish({ datasets: [dataset.uid], format: "YOLO" });
  expect(gaps.contents?.classes.map(({ name }) => name)).toEqual(["person", "lorry", "class 2", "van"]);
  const refused = await call("PATCH", `/projects/${org.slug}/${project.uid}/`, { labels: [{ name: "car" }] });
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["labels"]]);
});

describe("the preview of an export", () => {
  test("counts items, items without an accepted result and shapes per label", async () => {
    expect(await preview({ datasets: [made.dataset.uid] })).toMatchObject({
      count: 7,
      without_accepted: 6,
      examined: 7,
      labels: [
        { label: "person", shapes: 3 },
        { label: "car", shapes: 4 },
      ],
    });
    expect(await preview({ projects: [made.project.uid], filter_query_string: "key = 0002*" })).toMatchObject({
      count: 1,
      labels: [
        { label: "person", shapes: 0 },
        { label: "car", shapes: 1 },
      ],
    });
  });

  test("leaves out undecided results where only accepted ones are exported", async () => {
    const { labels, count } = await preview({ datasets: [made.dataset.uid], results: "accepted" });
    expect([count, labels.map(({ shapes }) => shapes)]).toEqual([7, [3, 3]]);
  });

  test.each(["avala-json-external", "YOLO"] as const)(
    "of %s names the losses, classes and first file that the export then has",
    async (format) => {
      const expected = await preview({ datasets: [made.dataset.uid] });
      const done = await finish({ datasets: [made.dataset.uid], format });
      const of = expected.formats.find((each) => each.format === format);
      expect(done.contents?.losses).toEqual(of?.losses);
      expect(done.contents).toMatchObject({ items: of?.items, results: 2, ...(of?.split && { split: of.split }) });
      expect(of?.items).toBe(format === "YOLO" ? 2 : 7);
      const text = of?.first.at(-1)?.text ?? "";
      if (format === "YOLO") {
        expect(of?.losses).toEqual([
          { what: "polygon_to_box", count: 2 },
          { what: "keypoints_dropped", count: 1 },
          { what: "outside_dropped", count: 1 },
          { what: "attributes_dropped", count: 1 },
          { what: "unlabelled_dropped", count: 5 },
        ]);
        expect(done.contents?.classes).toEqual([
          { name: "person", count: 2 },
          { name: "car", count: 3 },
        ]);
        // The archive stores its files as they are.
        expect(done.bytes.includes(text)).toBe(true);
        expect(done.bytes.includes(of?.first[0]?.text ?? "-")).toBe(true);
        expect(done.bytes.includes(of?.first[1]?.name ?? "-")).toBe(true);
      } else {
        expect(of?.losses).toEqual([]);
        expect(done.contents?.classes).toEqual([
          { name: "person", count: 3 },
          { name: "car", count: 4 },
        ]);
        const document = JSON.parse(done.bytes.toString()) as { results: unknown[]; projects: unknown };
        const shown = JSON.parse(text) as { results: unknown[]; projects: unknown };
        expect(shown).toMatchObject({ projects: document.projects, results: [document.results[0]] });
      }
    },
  );

  test("counts items that are no pictures as losses of YOLO", async () => {
    const dataset = await pictures(org, 1);
    await prisma.item.updateMany({ where: { datasetId: dataset.uid }, data: { mediaType: "video/mp4" } });
    const { formats, count } = await preview({ datasets: [dataset.uid] });
    expect(count).toBe(1);
    const losses = Object.fromEntries(formats.map((each) => [each.format, each.losses]));
    expect(losses["avala-json-external"]).toEqual([]);
    expect(losses.YOLO).toEqual([{ what: "item_dropped", count: 1 }]);
  });

  test("counts an item with very many corners, and shows another one", async () => {
    const points = Array.from({ length: 10_000 }, (_, at) => [at % 2 === 0 ? 0 : 64, (at * 48) / 10_000]);
    const zigzag = { type: "polygon", coordinates: { points } };
    const data = await trainingItems(org, [
      { key: "large.png", annotations: [zigzag, zigzag, zigzag] },
      { key: "small.png" },
    ]);
    const { formats, examined } = await preview({ datasets: [data.dataset.uid] });
    expect(examined).toBe(2);
    for (const { format, items, first } of formats) {
      if (format === "YOLO-pose" || format === "COCO-panoptic") continue;
      expect([format, items]).toEqual([format, format === "YOLO-segment" ? 1 : 2]);
      // It has no area of the small one's box.
      if (format === "YOLO-segment") continue;
      expect(first.map(({ name, text }) => `${name} ${text}`).join(" ")).toMatch(/small/);
    }
  });

  test("stops after two seconds and leaves open what it could not count", async () => {
    const blocker = await pool.connect();
    try {
      await blocker.query("begin");
      await blocker.query("lock table items in access exclusive mode");
      const open = { count: null, without_accepted: null, examined: 0, labels: [], formats: [] };
      expect(await preview({ datasets: [made.dataset.uid] })).toEqual(open);
    } finally {
      await blocker.query("rollback");
      blocker.release();
    }
  });

  test("is refused as the export itself is", async () => {
    await expect(preview({})).rejects.toThrow();
    await expect(preview({ datasets: [(await makeDataset(await makeOrganization())).uid] })).rejects.toThrow();
    await expect(preview({ datasets: [made.dataset.uid], filter_query_string: "status ~ x" })).rejects.toThrow();
  });
});

test("the hash of an export is that of its file", async () => {
  const done = await finish({ datasets: [made.dataset.uid], format: "YOLO" });
  expect(done.sha256).toBe(createHash("sha256").update(done.bytes).digest("hex"));
});

test("an export of accepted results holds no undecided ones", async () => {
  const done = await finish({ datasets: [made.dataset.uid], format: "avala-json-external", results: "accepted" });
  const { results } = JSON.parse(done.bytes.toString()) as { results: { uid: string }[] };
  expect(results.map(({ uid }) => uid)).toEqual([made.accepted.uid]);
  expect(done.results).toBe("accepted");
});

describe("a repeated export", () => {
  test("has the sources, filter, results and format of the first, and is another member's own", async () => {
    const filter = "key = 0002*";
    const body = { datasets: [made.dataset.uid], format: "YOLO", results: "accepted", filter_query_string: filter };
    const first = await finish(body);
    const member = await addMember(org);
    const again = await createTrpcCaller(org, member).exports.repeat({ uid: first.uid });
    expect(again).toMatchObject({ ...body, name: first.name, status: "requested", created_by_uid: member.uid });
    expect(again.uid).not.toBe(first.uid);
  });

  test("is refused once its dataset is deleted; others of the same call are made", async () => {
    const dataset = await makeDataset(org);
    const gone = await finish({ datasets: [dataset.uid], format: "YOLO" });
    const kept = await finish({ datasets: [made.dataset.uid], format: "YOLO" });
    await call("DELETE", `/datasets/${org.slug}/${dataset.slug}/`);
    const { results } = await createTrpcCaller(org).exports.repeatMany({ uids: [gone.uid, kept.uid] });
    expect(results.map(({ ok }) => ok)).toEqual([false, true]);
  });
});

test("several exports are deleted in one call, each by its author or an admin only", async () => {
  const member = await addMember(org);
  const body = { name: unique("e"), ...nothing, datasets: [made.dataset.uid], format: "YOLO" };
  const own = (await call<ExportResource>("POST", "/exports/", body, member.key)).body;
  const other = (await call<ExportResource>("POST", "/exports/", body)).body;
  const { results } = await createTrpcCaller(org, member).exports.deleteMany({ uids: [own.uid, other.uid] });
  expect(results.map(({ ok }) => ok)).toEqual([true, false]);
});

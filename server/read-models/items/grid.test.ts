import { beforeAll, describe, expect, test } from "vitest";
import type { ItemStatus } from "@/domain/datasets/item-status";
import type { ItemOrdering } from "@/domain/items/grid-schema";
import { formatRuns } from "@/domain/masks/run-lengths";
import type { DatasetResource } from "@/server/features/datasets/resource";
import type { Prisma } from "@/server/platform/database/generated/client";
import { pool, prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { listFacets } from "@/server/read-models/items/facets";
import { surveyItems } from "@/server/read-models/items/grid";
import { makeDataset } from "@/server/testing/datasets";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let dataset: DatasetResource;
const total = 450;
const statuses: ItemStatus[] = ["unattempted", "completed", "customer_approved"];

/** Items whose names are in another order than they were made in. */
async function addItems(to: DatasetResource, count: number, start = 0): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => {
    const at = start + n;
    return {
      uid: uuidv7(),
      organizationId: org.uid,
      datasetId: to.uid,
      key: `${String((at * 7919) % 1_000).padStart(4, "0")}-${at}.png`,
      mediaType: "image/png",
      storageKey: uuidv7(),
      status: statuses[at % 3]!,
      annotationCount: at % 5,
      tint: "#0a78c8",
      metadata: {
        width: 64,
        height: 48,
        weather: at % 2 === 0 ? "rain" : "sun",
        serial: `n${at}`,
        lane: String(at % 4),
        source: { device_name: `arm-0${at % 3}`, topic: "/camera" },
      },
    };
  });
  await prisma.item.createMany({ data: rows });
  await prisma.dataset.update({ where: { uid: to.uid }, data: { itemCount: { increment: count } } });
  return rows.map(({ uid }) => uid);
}

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  dataset = await makeDataset(org);
  await addItems(dataset, total);
});

const call = (by = org) => createTrpcCaller(by).items;

async function survey(ordering: ItemOrdering, filter = "") {
  const found = await call().survey({ dataset: dataset.uid, filter, ordering });
  if (found.timed_out) throw new Error("the survey timed out");
  return found;
}

/** Every page of a survey, one after the other. */
async function readAll(ordering: ItemOrdering, filter = "") {
  const found = await survey(ordering, filter);
  const rows = [];
  for (const [at, from] of found.anchors.entries()) {
    const page = await call().window({
      dataset: dataset.uid,
      filter,
      ordering,
      newest: found.newest!,
      from,
      until: found.anchors[at + 1] ?? null,
    });
    rows.push(...page.rows);
  }
  return { found, rows };
}

describe("the grid of items", () => {
  test("has an anchor at every 200th item, and its pages are all items once, in each order", async () => {
    const sorted: Record<string, (row: { uid: string; key: string; annotations_count: number }) => string> = {
      created_at: ({ uid }) => uid,
      key: ({ key }) => key,
      annotations_count: ({ uid, annotations_count }) => `${annotations_count} ${uid}`,
    };
    for (const [column, by] of Object.entries(sorted)) {
      for (const descending of [false, true]) {
        const { found, rows } = await readAll(`${descending ? "-" : ""}${column}` as ItemOrdering);
        expect([found.count, found.every, found.anchors.length, rows.length]).toEqual([total, 200, 3, total]);
        const expected = rows.map(by).sort();
        expect(rows.map(by)).toEqual(descending ? expected.reverse() : expected);
        expect(new Set(rows.map(({ uid }) => uid)).size).toBe(total);
      }
    }
  });

  test("holds what its filter holds, with what a cell shows", async () => {
    const { found, rows } = await readAll("-created_at", "metadata.weather = rain AND status = completed");
    expect([found.count, rows.length]).toEqual([75, 75]);
    expect(rows[0]).toMatchObject({
      status: "completed",
      media_type: "image/png",
      width: 64,
      height: 48,
      extent: null,
      tint: "#0a78c8",
      has_thumbnail: false,
      label: null,
    });
    expect((await survey("key", "metadata.weather = snow")).count).toBe(0);
  });

  test("finds the place of an item in each order", async () => {
    for (const ordering of ["-created_at", "key", "annotations_count"] as const) {
      const { found, rows } = await readAll(ordering);
      const at = rows[321]!.uid;
      expect(await call().place({ dataset: dataset.uid, ordering, newest: found.newest!, at })).toEqual({ place: 321 });
    }
  });

  test("stays as it was surveyed: what is added waits, and what is deleted is missing from its page alone", async () => {
    const own = await makeDataset(org);
    const uids = await addItems(own, 401);
    const found = await call().survey({ dataset: own.uid, ordering: "created_at" });
    if (found.timed_out) throw new Error("the survey timed out");
    const page = (at: number) =>
      call().window({
        dataset: own.uid,
        ordering: "created_at",
        newest: found.newest!,
        from: found.anchors[at]!,
        until: found.anchors[at + 1] ?? null,
      });
    await addItems(own, 3, 401);
    await prisma.item.deleteMany({ where: { uid: { in: [uids[0]!, uids[200]!] } } });
    expect((await Promise.all([page(0), page(1), page(2)])).map(({ rows }) => rows.length)).toEqual([199, 199, 1]);
    expect(await call().fresh({ dataset: own.uid, newest: found.newest })).toEqual({ count: 3 });
    expect(await call().fresh({ dataset: own.uid, newest: found.newest, filter: "status = completed" })).toEqual({
      count: 1,
    });
  });

  test("is empty without items, and refuses what is no anchor", async () => {
    const empty = await makeDataset(org);
    expect(await call().survey({ dataset: empty.uid })).toEqual({
      timed_out: false,
      count: 0,
      every: 200,
      anchors: [],
      newest: null,
    });
    const ordering = "annotations_count";
    await expect(
      call().window({ dataset: dataset.uid, ordering, newest: uuidv7(), from: "x", until: null }),
    ).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("says so when finding the pages takes too long", async () => {
    const blocker = await pool.connect();
    try {
      await blocker.query("begin");
      await blocker.query("lock table items in access exclusive mode");
      const survey = { dataset: dataset.uid, filter: "key ~ 1", ordering: "key" } as const;
      expect(await surveyItems(org.ctx, survey, 50)).toEqual({ timed_out: true });
    } finally {
      await blocker.query("rollback");
      blocker.release();
    }
  });
});

describe("the facets of items", () => {
  const facets = async (filter = "") => {
    const found = await call().facets({ dataset: dataset.uid, filter });
    if (found.timed_out) throw new Error("counting timed out");
    return found;
  };

  test("split what matches by state, device, day and keys with few values", async () => {
    const { exact, facets: all } = await facets();
    expect(exact).toBe(true);
    const of = (field: string) => all.find((each) => each.field === field)?.values;
    expect(of("status")?.map(({ value, count }) => [value, count])).toEqual([
      ["completed", 150],
      ["customer_approved", 150],
      ["unattempted", 150],
    ]);
    expect(of("metadata.source.device_name")?.map(({ value }) => value)).toEqual(["arm-00", "arm-01", "arm-02"]);
    expect(of("metadata.weather")?.map(({ value, count }) => [value, count])).toEqual([
      ["rain", 225],
      ["sun", 225],
    ]);
    // A text that looks like a number is marked, as a filter has to quote it.
    expect(of("metadata.lane")?.every(({ quoted }) => quoted)).toBe(true);
    expect(of("metadata.serial")).toBeUndefined();
    expect(of("created_at")?.reduce((sum, { count }) => sum + count, 0)).toBe(total);
    const rain = await facets("metadata.weather = rain");
    expect(rain.facets.find(({ field }) => field === "metadata.weather")?.values).toHaveLength(1);
  });
});

describe("the facets of numbers and of nested keys", () => {
  let own: DatasetResource;
  const makeItems = async (metadata: readonly Prisma.InputJsonObject[]) => {
    own = await makeDataset(org);
    await prisma.item.createMany({
      data: metadata.map((each, at) => ({
        uid: uuidv7(),
        organizationId: org.uid,
        datasetId: own.uid,
        key: `${at}.png`,
        mediaType: "image/png",
        storageKey: uuidv7(),
        metadata: each,
      })),
    });
    await prisma.dataset.update({ where: { uid: own.uid }, data: { itemCount: metadata.length } });
  };
  const of = async (field: string, filter = "") => {
    const found = await call().facets({ dataset: own.uid, filter });
    if (found.timed_out) throw new Error("counting timed out");
    return found.facets.find((each) => each.field === field);
  };

  test("are values in their order where they are few, else ranges that hold every item once", async () => {
    await makeItems(
      Array.from({ length: 300 }, (_, n) => ({
        lane: [10, 9, 9, 100][n % 4]!,
        speed: n % 42,
        load: n / 1_000,
        mixed: n % 12 === 0 ? "none" : n % 12,
        huge: 1e15 + n,
      })),
    );
    expect((await of("metadata.lane"))?.values.map(({ value, count }) => [value, count])).toEqual([
      ["9", 150],
      ["10", 75],
      ["100", 75],
    ]);
    const speed = await of("metadata.speed");
    expect(speed).toMatchObject({ values: [], range: { min: 0, max: 41, step: 5, whole: true } });
    expect(speed?.range?.bins.map(({ from }) => from)).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40]);
    expect(speed?.range?.bins.reduce((sum, { count }) => sum + count, 0)).toBe(300);
    // A bin holds what a filter of it holds.
    for (const { from, count } of speed?.range?.bins ?? []) {
      const filter = `metadata.speed >= ${from} AND metadata.speed <= ${from + 4}`;
      const counted = await call().survey({ dataset: own.uid, filter });
      expect([from, counted]).toMatchObject([from, { count }]);
    }
    expect((await of("metadata.load"))?.range).toMatchObject({ min: 0, max: 0.299, step: 0.02, whole: false });
    expect((await of("metadata.load"))?.range?.bins[1]).toEqual({ from: 0.02, count: 20 });
    // Texts among them make it a key of values; a filter cannot write longer numbers.
    expect((await of("metadata.mixed"))?.values.map(({ value }) => value)).toContain("none");
    expect(await of("metadata.huge")).toBeUndefined();
  });

  test("are those of objects too, but not of what is no value or has no name in the filter", async () => {
    await makeItems(
      Array.from({ length: 60 }, (_, n) => ({
        camera: { name: `cam${n % 3}`, lens: { mm: n }, k: [1, n], "a b": "x", "c.d": "x" },
        source: { device_name: "arm", pose: { x: n } },
      })),
    );
    expect((await of("metadata.camera.name"))?.values.map(({ value, count }) => [value, count])).toEqual([
      ["cam0", 20],
      ["cam1", 20],
      ["cam2", 20],
    ]);
    expect((await of("metadata.camera.lens.mm"))?.range).toMatchObject({ min: 0, max: 59, step: 5 });
    expect((await of("metadata.camera.lens.mm", "metadata.camera.name = cam0"))?.range).toMatchObject({ max: 57 });
    for (const field of ["metadata.camera.k", "metadata.camera.a b", "metadata.camera.c.d", "metadata.source.pose.x"])
      expect(await of(field)).toBeUndefined();
  });

  test("of objects are left out where they take too long, and it is said", async () => {
    await makeItems(Array.from({ length: 2_000 }, (_, n) => ({ weather: "rain", camera: { name: `cam${n % 3}` } })));
    const read = (nested: number) => listFacets(org.ctx, { dataset: own.uid, filter: "" }, { all: 60_000, nested });
    const names = ["created_at", "metadata.camera.name", "metadata.weather", "status"];
    for (const [ms, has_nested] of [
      [60_000, true],
      [1, false],
    ] as const) {
      const found = await read(ms);
      expect(found).toMatchObject({ timed_out: false, has_nested });
      const fields = found.timed_out ? [] : found.facets.map(({ field }) => field).sort();
      expect(fields).toEqual(has_nested ? names : names.filter((name) => name !== "metadata.camera.name"));
    }
  });

  test("are at most 24 keys, those that most items have, however many there are", async () => {
    await makeItems(
      Array.from({ length: 40 }, (_, n) => ({
        ...Object.fromEntries(Array.from({ length: 30 }, (__, key) => [`k${String(key).padStart(2, "0")}`, n % 2])),
        marks: { [`m${n}`]: { [`deep${n}`]: true } },
        ...(n < 39 && { z: "a" }),
      })),
    );
    const found = await call().facets({ dataset: own.uid, filter: "" });
    const fields = found.timed_out ? [] : found.facets.map(({ field }) => field);
    expect(fields.filter((field) => field.startsWith("metadata."))).toEqual(
      Array.from({ length: 24 }, (_, key) => `metadata.k${String(key).padStart(2, "0")}`),
    );
  });
});
const ring = (low: number, high: number): [number, number][] => [
  [low, low],
  [high, low],
  [high, high],
  [low, high],
];
/** The same, as masks are followed: down their left side first. */
const frame = (low: number, high: number) => [
  [low, low],
  [low, high],
  [high, high],
  [high, low],
];

test("labels of cells and shapes have the colours that their project gives them", async () => {
  const own = await makeDataset(org);
  const [uid = ""] = await addItems(own, 1);
  const of = { organizationId: org.uid };
  const project = uuidv7();
  const labels = [{ name: "car", color: "#112233" }];
  await prisma.project.create({ data: { ...of, uid: project, name: "Yard", taskType: "image-annotation", labels } });
  const batch = await prisma.workBatch.create({ data: { ...of, uid: uuidv7(), projectId: project, number: 1 } });
  const item = { ...of, projectId: project, itemId: uid };
  const task = await prisma.task.create({
    data: { ...item, uid: uuidv7(), batchId: batch.uid, type: "image-annotation", name: "t" },
  });
  const coordinates = { x: 1, y: 2, width: 3, height: 4 };
  const counts = formatRuns([0, 4, 1, 4]);
  await prisma.result.create({
    data: {
      ...item,
      uid: uuidv7(),
      taskId: task.uid,
      datasetId: own.uid,
      status: "submitted",
      labels: ["car", "cone"],
      annotations: [
        ...["car", "cone"].map((label) => ({ label, type: "bbox", coordinates, attributes: {} })),
        { label: "car", type: "polygon", coordinates: { points: ring(0, 9), holes: [ring(3, 6)] }, attributes: {} },
        // The pixels of a frame of three by three around one.
        { label: "car", type: "mask", coordinates: { size: [9, 9], box: [2, 2, 3, 3], counts }, attributes: {} },
        { label: "car", type: "mask", coordinates: { size: [9, 9], box: [2, 2, 3, 3], counts: "?" }, attributes: {} },
      ],
      annotationCount: 5,
    },
  });
  const { rows } = await call().window({ dataset: own.uid, newest: uid, from: null, until: null });
  expect(rows).toMatchObject([{ label: "car", label_color: "#112233" }]);
  const [found] = await call().shapes({ dataset: own.uid, uids: [uid] });
  expect(found?.shapes).toMatchObject([
    { label: "car", color: "#112233", closed: true },
    { label: "cone", color: null, rings: [] },
    { label: "car", points: ring(0, 9), rings: [ring(3, 6)] },
    { label: "car", closed: true, points: frame(2, 5), rings: [frame(3, 4)] },
  ]);
});

test("nothing of it is for people who do not see the dataset", async () => {
  const seen = await survey("key");
  const of = { dataset: dataset.uid };
  const member = await addMember(org);
  await prisma.dataset.update({ where: { uid: dataset.uid }, data: { access: "assigned" } });
  for (const items of [call(other), createTrpcCaller(org, member).items]) {
    const refused = [
      () => items.survey(of),
      () => items.window({ ...of, newest: seen.newest!, from: null, until: null }),
      () => items.place({ ...of, newest: seen.newest!, at: seen.newest! }),
      () => items.fresh({ ...of, newest: null }),
      () => items.facets(of),
      () => items.shapes({ ...of, uids: [seen.newest!] }),
    ];
    for (const each of refused) await expect(each()).rejects.toMatchObject({ code: "NOT_FOUND" });
  }
  await prisma.dataset.update({ where: { uid: dataset.uid }, data: { access: "organization" } });
});

describe("the first items", () => {
  test("are those that the order and the filter begin with", async () => {
    for (const filter of ["", "metadata.weather = rain"]) {
      const { rows } = await call().first({ dataset: dataset.uid, filter, ordering: "-key" });
      expect(rows).toEqual((await readAll("-key", filter)).rows.slice(0, 60));
    }
  });

  test("of another organization's dataset are not found", async () => {
    await expect(call(other).first({ dataset: dataset.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

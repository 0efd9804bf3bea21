import { beforeAll, describe, expect, test } from "vitest";
import { parseFilter } from "@/domain/items/filter";
import { FilterError } from "@/domain/items/filter-tokens";
import { filterSql } from "@/server/features/datasets/filter-queries";
import type { DatasetResource, SliceItem } from "@/server/features/datasets/resource";
import { countSlices } from "@/server/features/slices/count-service";
import type { NameCheck, SliceResource } from "@/server/features/slices/resource";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { makeDevice, makeOrganization, makeRecording, unique, type TestOrganization } from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;

beforeAll(async () => {
  org = await makeOrganization();
  dataset = await pictures(org, 3);
});

const call = requestsWith(() => org.key);
const create = (body: object) =>
  call<SliceResource>("POST", "/slices/", { name: unique("slice"), dataset: dataset.uid, ...body });

describe("a slice", () => {
  test("is created, counted in the background, found and listed with its items", async () => {
    const name = unique("Night shift");
    const made = await create({ name, description: "dark ones", filter_query_string: "key = 000*" });
    expect([made.status, made.body.item_count, made.body.name, made.body.description]).toEqual([
      201,
      0,
      name,
      "dark ones",
    ]);
    await countSlices(dataset.uid);
    const path = `/slices/${org.slug}/${made.body.slug}/`;
    expect((await call<SliceResource>("GET", path)).body.item_count).toBe(3);
    const first = (await call<Page<SliceItem>>("GET", `${path}items/list/?limit=2`)).body;
    expect([first.count, first.results.map(({ key, dataset: of }) => [key, of])]).toEqual([
      3,
      [
        ["0002.png", dataset.uid],
        ["0001.png", dataset.uid],
      ],
    ]);
    const rest = (await call<Page<SliceItem>>("GET", first.next?.slice(first.next.indexOf("/slices")) ?? "")).body;
    expect(rest.results.map(({ key }) => key)).toEqual(["0000.png"]);
    const ofDataset = (await call<Page<SliceResource>>("GET", `/slices/dataset/${dataset.uid}/`)).body;
    expect([ofDataset.count, ofDataset.results[0]?.uid]).toEqual([ofDataset.results.length, made.body.uid]);
    const all = (await call<Page<SliceResource>>("GET", `/slices/${org.slug}/list/?ordering=name`)).body;
    expect([all.count, all.results.map(({ uid }) => uid)]).toEqual([
      all.results.length,
      expect.arrayContaining([made.body.uid]),
    ]);
  });

  test("without a filter holds its whole dataset", async () => {
    const { body } = await create({});
    const items = (await call<Page<SliceItem>>("GET", `/slices/${org.slug}/${body.slug}/items/list/`)).body;
    expect(items.results).toHaveLength(3);
  });

  test("is refused without a dataset of the organization, with a taken name, or with an invalid filter", async () => {
    const foreign = await makeDataset(await makeOrganization());
    for (const uid of [foreign.uid, uuidv7()]) {
      const { status, body } = await create({ dataset: uid });
      expect([status, body.dataset]).toEqual([400, [`Invalid pk "${uid}" - object does not exist.`]]);
    }
    const { body } = await create({});
    expect((await create({ name: body.name.toUpperCase() })).body.name).toEqual([
      "A slice with this name already exists.",
    ]);
    expect((await create({ name: "list" })).body.name).toEqual(["This name is reserved."]);
    expect((await create({ name: "x".repeat(256) })).status).toBe(400);
    const bad = await create({ filter_query_string: "status = lost" });
    expect([bad.status, bad.body.filter_query_string]).toEqual([
      400,
      [
        '"lost" is not a status. Statuses: unattempted, pending, ready_for_annotation, in_progress, completed, rework_required, customer_approved (at position 10).',
      ],
    ]);
  });

  test("has a name that can be validated first, with and without a trailing slash", async () => {
    const { body } = await create({});
    const check = async (name: unknown, path = "/slice/validate/name") =>
      (await call<NameCheck>("POST", path, { name })).body;
    expect(await check("Fresh Start 7", "/slice/validate/name/")).toEqual({
      valid: true,
      slug: "fresh-start-7",
      errors: [],
    });
    expect(await check(body.name)).toEqual({
      valid: false,
      slug: body.slug,
      errors: ["A slice with this name already exists."],
    });
    expect(await check(" ")).toMatchObject({ valid: false, errors: ["This field may not be blank."] });
    expect((await check("x".repeat(256))).valid).toBe(false);
    expect((await check("list")).errors).toEqual(["This name is reserved."]);
    expect((await call("POST", "/slice/validate/name", { name: 5 })).status).toBe(400);
  });

  test("has a slug also when its name has no character that a slug allows", async () => {
    const name = "🤖".repeat(255);
    const { status, body } = await create({ name });
    expect([status, body.name, body.slug]).toEqual([201, name, expect.stringMatching(/^slice-[0-9a-f]{8}$/)]);
    expect((await call<SliceResource>("GET", `/slices/${org.slug}/${body.slug}/`)).body.uid).toBe(body.uid);
    expect((await create({ name })).body.name).toEqual(["A slice with this name already exists."]);
    expect((await create({ name: "写真" })).status).toBe(201);
  });
});

describe("the filter language", () => {
  const uids: string[] = [];
  beforeAll(async () => {
    const own = await makeDataset(org);
    const of = { organizationId: org.uid };
    const rule = await prisma.rule.create({
      data: { ...of, uid: uuidv7(), name: "Overheated", conditionType: "threshold", condition: {}, actions: [] },
    });
    const { uid: deviceId } = await makeDevice(org, { name: "Arm-7" });
    const recording = await makeRecording(org, deviceId, { name: "Morning" });
    const sequence = await prisma.sequence.create({
      data: { ...of, uid: uuidv7(), datasetId: own.uid, key: "drive-1" },
    });
    const rows = [
      {
        key: "front/a.png",
        status: "completed",
        mediaType: "image/png",
        annotationCount: 3,
        recordingId: recording.uid,
        metadata: { width: 1280, camera: { name: "Front" }, night: true },
      },
      {
        key: "rear/b%.png",
        status: "unattempted",
        mediaType: "image/jpeg",
        annotationCount: 0,
        metadata: { width: 640, camera: { name: "Rear" }, source: { device_name: "Arm-7", rule_id: rule.uid } },
      },
      {
        key: "rear/c_.jpg",
        status: "rework_required",
        mediaType: "pointcloud/pcd",
        annotationCount: 1,
        sequenceId: sequence.uid,
        metadata: { width: "wide" },
      },
    ];
    for (const [at, row] of rows.entries()) {
      const uid = uuidv7();
      uids.push(uid);
      await prisma.item.create({
        data: {
          ...row,
          uid,
          organizationId: org.uid,
          datasetId: own.uid,
          storageKey: uid,
          createdAt: new Date(Date.UTC(2026, 0, at + 1, 12)),
        },
      });
    }
    const nodes = (label: string, attributes: object) => [
      { annotation: { object: label, data: { type: "bbox", attributes } }, children: [] },
    ];
    const model = { modelTypeName: "detector", name: "Detector", uid: uuidv7() };
    const integration = { uid: uuidv7(), provider: "builtin", name: "i", configUid: uuidv7() };
    await prisma.model.create({ data: { ...of, ...model, integrations: { create: [integration] } } });
    const run = { ...of, uid: uuidv7(), integrationId: integration.uid, datasetId: own.uid };
    await prisma.run.create({ data: run });
    for (const [at, predicted] of [
      nodes("robot", { confidence: 0.9, depth: 0.1 }),
      [],
      nodes("crane", { score: 0.4 }),
    ].entries()) {
      const [itemId = "", datasetId] = [uids[at], own.uid];
      await prisma.prediction.create({ data: { runId: run.uid, itemId, datasetId, nodes: predicted } });
    }
    const project = await prisma.project.create({
      data: { uid: uuidv7(), organizationId: org.uid, name: "Cranes", taskType: "image-annotation" },
    });
    const batch = await prisma.workBatch.create({
      data: { uid: uuidv7(), organizationId: org.uid, projectId: project.uid, number: 1 },
    });
    for (const [at, [labels, status]] of [
      [["car", "traffic light"], "accepted"],
      [["car"], "rejected"],
    ].entries()) {
      const of = { organizationId: org.uid, projectId: project.uid, itemId: uids[at] ?? "" };
      const task = await prisma.task.create({
        data: { ...of, uid: uuidv7(), batchId: batch.uid, type: "image-annotation", name: "t" },
      });
      await prisma.result.create({
        data: {
          ...of,
          uid: uuidv7(),
          taskId: task.uid,
          datasetId: own.uid,
          labels: labels as string[],
          status: status as string,
        },
      });
    }
  });

  const held = async (source: string): Promise<string> => {
    const rows = await query(
      { db: prisma },
      { uid: text },
      Prisma.sql`select i.uid from items i where i.uid = any(${uids}) and ${filterSql(parseFilter(source))} order by i.uid`,
    );
    return rows.map(({ uid }) => "abc"[uids.indexOf(uid)]).join("");
  };

  test.each([
    ["", "abc"],
    ["status = completed", "a"],
    ["status != completed", "bc"],
    ["status IN (completed, unattempted)", "ab"],
    ["status NOT IN (completed, unattempted)", "c"],
    ["status = re*", "c"],
    ['key = "rear/b%.png"', "b"],
    ["key = rear/*", "bc"],
    ["key = *_.jpg", "c"],
    ["key ~ FRONT", "a"],
    ["key ~ %", "b"],
    ["key > front/z AND key < rear/c", "b"],
    ["annotations_count >= 1", "ac"],
    ["annotations_count IN (0, 3)", "ab"],
    ["created_at >= 2026-01-02", "bc"],
    ["created_at < 2026-01-02T12:00:00Z", "a"],
    ["metadata.width > 700", "a"],
    ["metadata.width = wide", "c"],
    ['metadata.width = "640"', "b"],
    ["metadata.width != 640", "ac"],
    ["metadata.camera.name = Rear", "b"],
    ["metadata.camera.name ~ r", "ab"],
    ["metadata.night = true", "a"],
    ["NOT metadata.night = true", "bc"],
    ['label = "traffic light"', "a"],
    ["label = car", "a"],
    ["label = c*", "a"],
    ["NOT label = car", "bc"],
    ["project = Cranes", "ab"],
    ["project ~ crane AND NOT status = completed", "b"],
    ["status = completed OR key = rear/* AND annotations_count = 0", "ab"],
    ["(status = completed OR key = rear/*) AND annotations_count = 0", "b"],
    ["not (status = completed or status = unattempted)", "c"],
    ["media = image", "ab"],
    ["media IN (points, video)", "c"],
    ["media != image", "c"],
    ["device = Arm-7", "ab"],
    ["device ~ ARM", "ab"],
    ["recording = Morning", "a"],
    ["NOT recording = Morning", "bc"],
    ["rule = Overheated", "b"],
    ["sequence = drive-1", "c"],
    ["result = accepted", "a"],
    ["result IN (accepted, rejected)", "ab"],
    ["NOT result = rejected", "ac"],
    ["prediction = robot", "a"],
    ["prediction ~ ROB", "a"],
    ["score >= 0.8", "a"],
    ["score < 0.8", "c"],
  ])("%s holds %s", async (source, expected) => expect(await held(source)).toBe(expected));

  test.each([
    ["status", "Expected an operator (at position 7)"],
    ["status = ", "Expected a value (at position 10)"],
    [
      "owner = me",
      'Unknown field "owner". Fields: status, key, created_at, annotations_count, label, project, uid, media, sequence, device, recording, rule, result, prediction, score, metadata.<path> (at position 1)',
    ],
    ["status > completed", "status is compared by = != IN only (at position 8)"],
    ["created_at > yesterday", '"yesterday" is not a time (at position 14)'],
    ["annotations_count = many", '"many" is not a number (at position 21)'],
    ["media = sound", '"sound" is not a kind of media. Kinds: image, video, points, recording (at position 9)'],
    [
      "result IN (accepted, open)",
      '"open" is not a status of results. Statuses: submitted, accepted, rejected (at position 22)',
    ],
    ["score > high", '"high" is not a number (at position 9)'],
    ["uid ~ a", "uid is compared by = != IN only (at position 5)"],
    ["(status = completed", "Expected a closing parenthesis (at position 20)"],
    ["status = completed)", 'Expected AND, OR or the end, not ")" (at position 19)'],
    ["status IN completed", 'Expected ( after IN, not "completed" (at position 11)'],
    ["status IN (completed", "Expected a comma or ) (at position 21)"],
    ['key = "front', "This quotation mark is never closed (at position 7)"],
    ["status = completed AND", "Expected a field, NOT or ( (at position 23)"],
    ["key = a key = b", 'Expected AND, OR or the end, not "key" (at position 9)'],
    [`${"(".repeat(40)}key = a${")".repeat(40)}`, "At most 32 levels of NOT and parentheses (at position 33)"],
  ])("%s is refused with the position", (source, message) => {
    expect(() => parseFilter(source)).toThrow(FilterError);
    expect(() => parseFilter(source)).toThrow(message);
  });
});

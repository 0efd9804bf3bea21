import { beforeAll, expect, test } from "vitest";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

/** The shapes of a result and the picture that they are of, which is 64 × 48. */

let org: TestOrganization;
beforeAll(async () => (org = await makeOrganization()));
const call = requestsWith(() => org.key);

/** A task on a picture. */
async function makeTask(): Promise<TaskResource> {
  const dataset = await pictures(org, 1);
  const input = { name: unique("p"), task_type: "image-annotation", datasets: [dataset.uid] };
  const project = (await call<ProjectResource>("POST", "/projects/", input)).body;
  await call("POST", `/projects/${project.uid}/approve/`);
  const [task] = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project.uid}`)).body.results;
  if (!task) throw new Error("the project has no task");
  return task;
}

const submit = ({ uid }: TaskResource, ...annotations: object[]) =>
  call<ResultResource>("POST", `/tasks/${uid}/results/`, { annotations });
const box = { label: "car", type: "bbox", coordinates: { x: 1, y: 2, width: 3, height: 4 } };

const points = (...given: [number, number][]) => ({ points: given, frame: 7 });
const shapes = [
  ["bbox", { x: -1, y: 40, width: 65.5, height: 9 }, { x: 0, y: 40, width: 64, height: 8 }],
  ["bbox", { x: 64.5, y: 0, width: 0.5, height: 4 }, { x: 64, y: 0, width: 0, height: 4 }],
  ["polygon", points([-0.5, 0], [65, 0], [32, 49]), points([0, 0], [64, 0], [32, 48])],
  ["polyline", points([0, -1], [64.25, 48]), points([0, 0], [64, 48])],
  ["keypoints", points([64, 48], [65, 49]), points([64, 48], [64, 48])],
  ["bbox", { x: 1, y: 2, width: 3, height: 4, rotation: 359.5 }, null],
  ["keypoints", { points: [[1, 1]], visibility: [2] }, null],
  [
    "polygon",
    {
      ...points([0, 0], [64, 0], [32, 48]),
      holes: [
        [
          [30, 5],
          [34, 5],
          [32, 9],
        ],
      ],
    },
    null,
  ],
  ["mask", { size: [48, 64], box: [10, 20, 2, 2], counts: "04" }, null],
  ["cuboid", { center: [900, -900, 0], size: [1, 1, 1], rotation: [0, 0, 0, 1] }, null],
  ["classification", { x: 900 }, null],
] as const;
test.each(shapes)(
  "a %s is clipped to its picture where it sticks out by a pixel at most: %j",
  async (type, given, clipped) => {
    const { status, body } = await submit(await makeTask(), { label: "car", type, coordinates: given });
    expect([status, body.annotations?.[0]?.coordinates]).toEqual([201, clipped ?? given]);
  },
);

test.each([
  ["bbox", { x: -50, y: 0, width: 99_999, height: 10 }],
  ["bbox", { x: 64, y: 0, width: 1.001, height: 10 }],
  ["polygon", points([0, 0], [64, 0], [32, 49.1])],
  ["polyline", points([0, -1.5], [64, 48])],
  ["keypoints", points([1, 1], [70, 1])],
  ["bbox", { x: 0, y: 20, width: 64, height: 8, rotation: 90 }],
])("a %s that sticks out of its picture by more is refused with the size of that: %j", async (type, given) => {
  const { status, body } = await submit(await makeTask(), box, { label: "car", type, coordinates: given });
  expect([status, body]).toEqual([
    400,
    { annotations: ["1.coordinates: The shape sticks out of its picture of 64 × 48 pixels."] },
  ]);
});

test.each([{ metadata: {} }, { mediaType: "pointcloud/pcd" }, { mediaType: "video/mp4" }])(
  "shapes of an item whose size in pixels is not known stay as they are: %j",
  async (data) => {
    const task = await makeTask();
    await prisma.item.update({ where: { uid: task.dataset_item }, data });
    const wide = { ...box, attributes: {}, coordinates: { x: -50, y: 0, width: 99_999, height: 10 } };
    const { status, body } = await submit(task, wide);
    expect([status, body.annotations]).toEqual([201, [wide]]);
  },
);

test("a mask of a picture that is larger than any is refused, also where its size is not known", async () => {
  const task = await makeTask();
  await prisma.item.update({ where: { uid: task.dataset_item }, data: { metadata: {} } });
  const mask = (size: [number, number]) => ({
    label: "car",
    type: "mask",
    coordinates: { size, box: [10, 20, 2, 2], counts: "04" },
  });
  expect(await submit(task, mask([16_384, 16_385]))).toMatchObject({
    status: 400,
    body: { annotations: ["0.coordinates.size: Ensure that the picture has at most 268435456 pixels."] },
  });
  expect((await submit(task, mask([16_384, 16_384]))).status).toBe(201);
});

test.each([
  ["bbox", { ...box.coordinates, rotation: 360 }],
  ["bbox", { ...box.coordinates, rotation: -1 }],
  ["bbox", { ...box.coordinates, x: 1e300 }],
  ["keypoints", { points: [[1, 1]], visibility: [2, 2] }],
  ["keypoints", { points: [[1, 1]], visibility: [3] }],
  ["polygon", { points: Array.from({ length: 10_001 }, () => [1, 1]) }],
  [
    "polygon",
    {
      ...points([0, 0], [64, 0], [32, 48]),
      holes: [
        [
          [30, 5],
          [34, 5],
        ],
      ],
    },
  ],
  ["polygon", { ...points([0, 0], [64, 0], [32, 48]), holes: [Array.from({ length: 9_998 }, () => [1, 1])] }],
  ["mask", { size: [48, 65], box: [10, 20, 2, 2], counts: "04" }],
  ["mask", { size: [48, 64], box: [10, 20, 2, 2], counts: "05" }],
  ["mask", { size: [48, 64], box: [63, 20, 2, 2], counts: "04" }],
  ["mask", { size: [48, 64], box: [10, 20, 0, 2], counts: "" }],
  ["mask", { size: [48, 64], box: [10, 20, 2, 2], counts: "/4" }],
  ["mask", { size: [48, 64], box: [10, 20, 2, 2], counts: "O" }],
  ["mask", { size: [48, 64], box: [10.5, 20, 2, 2], counts: "04" }],
])("a %s whose coordinates mean nothing is refused: %j", async (type, coordinates) => {
  const { status, body } = await submit(await makeTask(), { label: "car", type, coordinates });
  expect([status, Object.keys(body)]).toEqual([400, ["annotations"]]);
});

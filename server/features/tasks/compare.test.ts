import { beforeAll, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { annotatedPictures, box } from "@/server/testing/annotated-pictures";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let submit: Awaited<ReturnType<typeof annotatedPictures>>["submit"];
beforeAll(async () => {
  org = await makeOrganization();
  ({ submit } = await annotatedPictures(org, [box], 4));
});

const compare = (a: string, b: string) => createTrpcCaller(org).results.compare({ a, b });
const at = (x: number, more: object = {}) => ({ ...box, coordinates: { ...box.coordinates, x }, ...more });

test("two rounds of a task are compared shape by shape: moved, renamed, gone, new and the same", async () => {
  const tag = { label: "car", type: "classification", coordinates: {} };
  const person = {
    label: "person",
    type: "polyline",
    coordinates: {
      points: [
        [1, 1],
        [9, 9],
      ],
    },
  };
  const first = await submit(2, [at(0), at(20, { attributes: { id: "one" } }), tag], "reject");
  const second = await submit(2, [tag, at(30, { attributes: { id: "one" } }), at(0, { label: "person" }), person]);
  expect(await compare(first.uid, second.uid)).toEqual([
    { a_shape: 0, b_shape: 2, iou: 1, differs: ["label"] },
    { a_shape: 1, b_shape: 1, iou: (22 * 24) / (42 * 24), differs: ["place"] },
    { a_shape: 2, b_shape: 0, iou: 1, differs: [] },
    { a_shape: null, b_shape: 3, iou: null, differs: ["missing"] },
  ]);
});

test("results of other tasks, and those that the caller does not see, are not compared", async () => {
  const [one, other] = [await submit(3, [box], "reject"), await submit(1, [box], "reject")];
  await expect(compare(one.uid, other.uid)).rejects.toThrow("This is a result of another task.");
  await expect(compare(one.uid, other.task)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await prisma.project.update({ where: { uid: one.project }, data: { access: "assigned" } });
  const outside = createTrpcCaller(org, await addMember(org)).results.compare({ a: one.uid, b: one.uid });
  await expect(outside).rejects.toMatchObject({ code: "NOT_FOUND" });
});

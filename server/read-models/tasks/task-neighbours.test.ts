import { beforeAll, describe, expect, test } from "vitest";
import type { TestMessage } from "@/engine/testing/write-mcap";
import * as datasetJobs from "@/server/features/datasets/jobs";
import { extract } from "@/server/features/moments/jobs";
import * as projectJobs from "@/server/features/projects/jobs";
import type { ProjectResource } from "@/server/features/projects/resource";
import { prisma } from "@/server/platform/db";
import { makeDataset } from "@/server/testing/datasets";
import {
  addMember,
  makeDevice,
  makeOrganization,
  sessionCookie,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";
import { createTrpcCaller, fetchApp, requestsWith } from "@/server/testing/requests";

const ms = 1_000_000n;
const at = (offset: number): string => String(epoch + BigInt(offset) * ms);

let org: TestOrganization;
let ana: TestMember;
let recordingId: string;
let dataset: string;
/** Of the frames at one second and at two, in this order. */
let tasks: string[];

const call = requestsWith(() => org.key);
const as = (member: TestMember = org.owner, of = org) => createTrpcCaller(of, member);
const addFrame = async (offset: number) => {
  const range = { from: at(offset), to: at(offset), topics: ["/front"] };
  await as().moments.add({ dataset, recording_id: recordingId, ...range });
  await runJobs([extract, datasetJobs.examine, projectJobs.make]);
};
const readFrames = (uid: string, around?: string) => as(ana).tasks.neighbours({ uid, frames: true, around });

/** Four seconds of a camera at 10 Hz. */
async function cameraRecording(): Promise<Buffer> {
  const data = Buffer.alloc(8 * 6, 90).toString("base64");
  const picture = Buffer.from(JSON.stringify({ width: 8, height: 6, encoding: "mono8", step: 8, data }));
  const messages: TestMessage[] = Array.from({ length: 40 }, (_, n) => ({
    topic: "/front",
    time: BigInt(at(n * 100)),
    data: picture,
  }));
  const schema = { schemaName: "foxglove.RawImage", schemaEncoding: "jsonschema", schema: "{}" };
  const channel = { topic: "/front", messageEncoding: "json", ...schema };
  return jsonRecording({ "/arm/motor": [[0, { value: 20 }]] }, { more: { channels: [channel], messages } });
}

beforeAll(async () => {
  org = await makeOrganization();
  ana = await addMember(org);
  recordingId = await processedRecording(org, (await makeDevice(org)).uid, [await cameraRecording()]);
  ({ uid: dataset } = await makeDataset(org));
  const body = { name: unique("Frames"), task_type: "image-annotation", datasets: [dataset] };
  const project = (await call<ProjectResource>("POST", "/projects/", body)).body.uid;
  await as().projects.step({ uid: project, step: "approve" });
  await addFrame(1_000);
  await addFrame(2_000);
  const found = await prisma.task.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
  tasks = found.map(({ uid }) => uid);
}, 120_000);

describe("beside a task", () => {
  test("are those before and after it in its project, of what the caller sees", async () => {
    const made = await makeTasks(org, 3);
    const [first = "", second = "", third = ""] = made.tasks;
    const read = async (uid: string, by = ana) => {
      const { before, after } = await as(by).tasks.neighbours({ uid });
      return [before, after];
    };
    expect([await read(first), await read(second), await read(third)]).toEqual([
      [null, second],
      [first, third],
      [second, null],
    ]);
    const hidden = await makeTasks(org, 1);
    const [own] = hidden.tasks;
    await prisma.task.update({ where: { uid: own }, data: { projectId: made.project } });
    await prisma.dataset.updateMany({
      where: { slug: hidden.dataset, organizationId: org.uid },
      data: { access: "assigned" },
    });
    expect([await read(third), await read(third, org.owner)]).toEqual([
      [second, null],
      [second, own],
    ]);
  });

  test("are the frames that its recording has around its item, with those that the dataset has", async () => {
    const [first = "", second = ""] = tasks;
    const { recorded, refusal } = await readFrames(second);
    expect([refusal, recorded?.item_ns, recorded?.around]).toEqual([
      null,
      at(2_000),
      { t_ns: at(2_000), item: expect.stringContaining("/front/") },
    ]);
    expect(recorded).toMatchObject({ recording: recordingId, topic: "/front", dataset });
    const frames = (of: { t_ns: string; item: string | null }[] = []) =>
      of.map(({ t_ns, item }) => [t_ns, item !== null]);
    expect(frames(recorded?.before)).toEqual([1_500, 1_600, 1_700, 1_800, 1_900].map((each) => [at(each), false]));
    expect(frames(recorded?.after)).toEqual([2_100, 2_200, 2_300, 2_400, 2_500].map((each) => [at(each), false]));
    const around = (await readFrames(second, at(1_100))).recorded;
    expect([around?.item_ns, around?.around]).toEqual([at(2_000), { t_ns: at(1_100), item: null }]);
    expect(frames(around?.before).slice(-2)).toEqual([
      [at(900), false],
      [at(1_000), true],
    ]);
    const item = await prisma.task.findUniqueOrThrow({ where: { uid: first }, select: { item: true } });
    expect(around?.before.at(-1)?.item).toBe(item.item.key);
    expect((await readFrames(second, at(100))).recorded?.before).toEqual([{ t_ns: at(0), item: null }]);
    expect((await readFrames(second, at(3_900))).recorded?.after).toEqual([]);
    expect((await as(ana).tasks.neighbours({ uid: second })).recorded).toBeNull();
  });

  test("is a frame that was added as an item", async () => {
    const [, second = ""] = tasks;
    await addFrame(2_200);
    const { recorded } = await readFrames(second);
    expect(recorded?.after.map(({ item }) => item !== null)).toEqual([false, true, false, false, false]);
  });

  test("are no frames without a recording, with the reason, and nothing of what is another organization's", async () => {
    const [first = "", second = ""] = tasks;
    const { first: uploaded } = await makeTasks(org, 1);
    const refusal = "This item is no frame of a recording.";
    expect(await readFrames(uploaded)).toMatchObject({ recorded: null, refusal });
    const { itemId } = await prisma.task.findUniqueOrThrow({ where: { uid: first } });
    await prisma.item.update({ where: { uid: itemId }, data: { recordingId: "rec_gone" } });
    expect(await readFrames(first)).toMatchObject({ recorded: null, refusal: "Its recording was deleted." });
    await prisma.topic.updateMany({ where: { recordingId, name: "/front" }, data: { schemaName: "std_msgs/String" } });
    expect(await readFrames(second)).toMatchObject({ recorded: null, refusal: "This topic has no pictures." });
    await prisma.topic.updateMany({
      where: { recordingId, name: "/front" },
      data: { schemaName: "foxglove.RawImage" },
    });
    const other = await makeOrganization();
    await expect(as(other.owner, other).tasks.neighbours({ uid: second, frames: true })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

test("a frame is shown as large as it is, to its organization only", async () => {
  const get = async (of: TestOrganization, offset: number) =>
    fetchApp(`/media/stages/${recordingId}/frame?topic=/front&t=${at(offset)}`, {
      headers: { cookie: await sessionCookie(of.owner, { slug: of.slug }) },
    });
  const response = await get(org, 1_500);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect((await get(await makeOrganization(), 1_500)).status).toBe(404);
});

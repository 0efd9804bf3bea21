import { beforeAll, expect, test } from "vitest";
import type { NewIssue } from "@/domain/tasks/issue-schema";
import { prisma } from "@/server/platform/db";
import { annotatedPictures, box, shape } from "@/server/testing/annotated-pictures";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

/** A project with an accepted result of the first picture, a rejected and a new one of the second, and one of the third. */

let org: TestOrganization;
let reviewer: TestMember;
let project: string;
let uids: string[];
beforeAll(async () => {
  org = await makeOrganization();
  reviewer = await addMember(org, "admin");
  const made = await annotatedPictures(org, [box], 3);
  project = made.project.uid;
  uids = [(await made.submit(1, [box, shape])).uid, (await made.submit(2, [box])).uid];
});

const queue = (filters: object = {}, who?: TestMember) =>
  createTrpcCaller(org, who).results.queue({ project, ...filters });
const list = async (filters: object = {}) => (await queue(filters, reviewer)).results.map(({ uid }) => uid);

test("the queue has what waits for a decision, the oldest first, with its round and what it holds", async () => {
  const { results } = await queue({}, reviewer);
  expect(results).toMatchObject([
    {
      uid: uids[0],
      round: 2,
      open_issues: 0,
      shape_count: 2,
      labels: ["car", "person"],
      is_own: false,
      status: "submitted",
    },
    { uid: uids[1], round: 1, shape_count: 1, labels: ["car"], submitted_by: org.owner.username },
  ]);
  expect(await list({ sort: "newest" })).toEqual(uids.toReversed());
  expect(await list({ label: "person" })).toEqual([uids[0]]);
  expect(await list({ by: reviewer.username })).toEqual([]);
  expect((await queue({ state: "rejected" })).results).toMatchObject([{ round: 1, status: "rejected" }]);
});

test("what the caller submitted is marked as own", async () => {
  expect((await queue()).results.map(({ is_own }) => is_own)).toEqual([true, true]);
});

test("it is read page by page, every row once", async () => {
  const { next } = await queue({ limit: 1 });
  expect((await queue({ limit: 1, cursor: next })).results.map(({ uid }) => uid)).toEqual([uids[1]]);
});

test("a result is accepted or rejected once, and then is no longer in the queue", async () => {
  const [first = "", second = ""] = uids;
  const { results } = createTrpcCaller(org, reviewer);
  const issues: NewIssue[] = [{ kind: "wrong_place", text: "", point: [3, 4] }];
  const rejected = await results.reject({ uid: first, reason: "box too large", issues });
  expect(rejected).toMatchObject({ status: "rejected" });
  expect((await queue({ state: "rejected" }, reviewer)).results.at(-1)).toMatchObject({ uid: first, open_issues: 1 });
  expect(await results.accept({ uid: second })).toMatchObject({ status: "accepted" });
  await expect(results.accept({ uid: first })).rejects.toThrow("This result is rejected already.");
  expect(await list()).toEqual([]);
});

test("members who are no reviewers of the project decide nothing", async () => {
  const { results } = createTrpcCaller(org, await addMember(org));
  await expect(results.accept({ uid: uids[0] ?? "" })).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("members who do not see the project, and other organizations, see no queue", async () => {
  await prisma.project.update({ where: { uid: project }, data: { access: "assigned" } });
  const member = await addMember(org);
  await expect(queue({}, member)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(createTrpcCaller(await makeOrganization()).results.queue({ project })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

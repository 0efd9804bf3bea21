import { beforeAll, expect, test } from "vitest";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { DecidedResults, ResultResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What is decided about many results at once. */

let org: TestOrganization;
let labeller: TestMember;
let reviewer: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [labeller, reviewer] = await Promise.all([addMember(org), addMember(org)]);
});
const call = requestsWith(() => org.key);

const decide = (body: object, key = reviewer.key) => call<DecidedResults>("POST", "/results/decide/", body, key);
const submit = async (task: string, key = labeller.key) =>
  (await call<ResultResource>("POST", `/tasks/${task}/results/`, { annotations: [] }, key)).body.uid;

/** A project with a submitted result of each task. */
async function submitted(count: number) {
  const { project, tasks } = await makeTasks(org, count);
  await call("POST", `/projects/${org.slug}/${project}/people/`, { user: reviewer.uid, roles: ["reviewer"] });
  const uids: string[] = [];
  for (const task of tasks) uids.push(await submit(task));
  const read = async () => {
    const { body } = await call<ProjectResource>("GET", `/projects/${org.slug}/${project}/`);
    const rows = await prisma.result.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
    return {
      counts: [body.completed_task_count, body.accepted_count, body.rejected_count],
      statuses: rows.map(({ status }) => status),
    };
  };
  return { project, uids, read };
}

test("results are decided in one request, and what stays as it is, is named with why", async () => {
  const { project, uids, read } = await submitted(5);
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = uids;
  await call("POST", `/results/${first}/accept/`, {}, reviewer.key);
  await prisma.result.update({ where: { uid: second }, data: { submittedById: reviewer.uid } });
  const elsewhere = (await submitted(1)).uids[0] ?? "";
  await prisma.projectPerson.deleteMany({
    where: { userId: reviewer.uid, project: { tasks: { some: { results: { some: { uid: elsewhere } } } } } },
  });
  const { status, body } = await decide({
    uids: [first, second, third, elsewhere, fourth, third],
    decision: "reject",
    reason: "too large",
  });
  expect([status, body]).toEqual([
    200,
    {
      done: 2,
      failed: [
        { uid: first, error: "This result is accepted already." },
        { uid: second, error: "You submitted this result; another person decides it." },
        { uid: elsewhere, error: "Only reviewers of its project decide it." },
      ],
    },
  ]);
  expect(await read()).toEqual({
    counts: [3, 1, 2],
    statuses: ["accepted", "submitted", "rejected", "rejected", "submitted"],
  });
  const row = await prisma.result.findUniqueOrThrow({ where: { uid: third } });
  expect(row).toMatchObject({ reason: "too large", decidedBy: reviewer.username });
  const trpc = createTrpcCaller(org, reviewer);
  expect(await trpc.results.decideMany({ uids: [fifth], decision: "accept" })).toEqual({ done: 1, failed: [] });
  const audited = await prisma.auditEntry.count({ where: { action: "result.accepted", targetId: fifth } });
  expect([audited, project === row.projectId]).toEqual([1, true]);
});

test("of several requests for the same results each result is decided once", async () => {
  const { uids, read } = await submitted(12);
  const answers = await Promise.all([
    decide({ uids, decision: "accept" }),
    decide({ uids: uids.toReversed(), decision: "reject" }),
    decide({ uids, decision: "accept" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.reduce((sum, { body }) => sum + body.done, 0)).toBe(12);
  for (const { body } of answers) expect(body.done + body.failed.length).toBe(12);
  const rejected = answers[1]?.body.done ?? 0;
  const after = await read();
  expect(after.counts).toEqual([12 - rejected, 12 - rejected, rejected]);
  expect(after.statuses.filter((status) => status === "rejected")).toHaveLength(rejected);
});

test("whoever reviews none of the projects decides nothing, and a thousand are the most", async () => {
  const { uids, read } = await submitted(1);
  const before = await read();
  expect((await decide({ uids, decision: "accept" }, labeller.key)).status).toBe(403);
  const other = await makeOrganization();
  const unseen = await decide({ uids, decision: "accept" }, other.key);
  expect([unseen.status, unseen.body]).toEqual([400, { uids: ["0: There is no such result."] }]);
  expect((await decide({ uids: [...uids, uuidv7()], decision: "accept" })).status).toBe(400);
  const many = Array.from({ length: 1_001 }, () => uuidv7());
  for (const body of [{ uids: [] }, { uids: many }, { uids: ["x"] }, { uids, decision: "keep" }])
    expect((await decide({ decision: "accept", ...body })).status).toBe(400);
  expect(await read()).toEqual(before);
});

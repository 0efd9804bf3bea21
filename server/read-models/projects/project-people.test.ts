import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { readProjectPeople } from "@/server/read-models/projects/project-people";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks, nextTask } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** Who did what in a project. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
let project: string;
let tasks: string[];
const call = requestsWith(() => org.key);
const annotations = [{ label: "car", type: "bbox", coordinates: { x: 1, y: 1, width: 2, height: 2 } }];

beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org, "admin")]);
  ({ project, tasks } = await makeTasks(org, 5));
  const submit = async (task: string) =>
    (await call<{ uid: string }>("POST", `/tasks/${task}/results/`, { annotations }, ana.key)).body.uid;
  const [accepted, rejected, corrected] = [
    await submit(tasks[0] ?? ""),
    await submit(tasks[1] ?? ""),
    await submit(tasks[2] ?? ""),
  ];
  await call("POST", `/results/${accepted}/accept/`, {}, ben.key);
  await call("POST", `/results/${rejected}/reject/`, {}, ben.key);
  await call("POST", `/results/${corrected}/revise/`, { annotations, key: randomUUID() }, ben.key);
  await call("POST", `/tasks/${tasks[3]}/open/`, {}, ana.key);
  await prisma.task.update({ where: { uid: tasks[0] ?? "" }, data: { seconds: 10 } });
  await prisma.task.update({ where: { uid: tasks[1] ?? "" }, data: { seconds: 30 } });
  // One of another organization and project, whose numbers belong elsewhere.
  const other = await makeOrganization();
  const elsewhere = await makeTasks(other, 1);
  await call("POST", `/tasks/${elsewhere.first}/results/`, { annotations }, other.key);
});

const nothing = { submitted: 0, accepted: 0, rejected: 0, corrected: 0, decided: 0, held: 0, seconds: null, roles: [] };
const own = { submitted: 3, accepted: 1, rejected: 1, corrected: 1, decided: 0, seconds: 20 };

test("counts what each submitted, and what became of it, for admins", async () => {
  const people = await createTrpcCaller(org).projects.byPerson({ uid: project });
  expect(people).toEqual([
    { ...own, user_uid: ana.uid, username: ana.username, is_member: true, roles: [], held: 1 },
    {
      ...nothing,
      user_uid: ben.uid,
      username: ben.username,
      is_member: true,
      submitted: 1,
      accepted: 1,
      decided: 3,
    },
  ]);
});

test("lists annotators and reviewers who did nothing, and whoever left", async () => {
  const [cem, dia] = await Promise.all([addMember(org), addMember(org)]);
  const trpc = createTrpcCaller(org);
  await trpc.projects.people.set({ uid: project, user: cem.uid, roles: ["annotator", "reviewer"] });
  await nextTask(project, dia);
  await prisma.membership.deleteMany({ where: { userId: dia.uid } });
  const people = await trpc.projects.byPerson({ uid: project });
  const named = (uid: string) => people?.find(({ user_uid: user }) => user === uid);
  expect(named(cem.uid)).toMatchObject({ roles: ["annotator", "reviewer"], submitted: 0, is_member: true });
  expect(named(dia.uid)).toMatchObject({ held: 1, is_member: false });
});

test("takes nobody of another organization for who decided, whose name an agent may have", async () => {
  const stranger = await addMember(await makeOrganization());
  const submitted = { taskId: tasks[1] ?? "", organizationId: org.uid };
  await prisma.result.updateMany({ where: submitted, data: { decidedBy: stranger.username } });
  const people = await createTrpcCaller(org).projects.byPerson({ uid: project });
  expect(people?.map(({ username }) => username)).not.toContain(stranger.username);
  await prisma.result.updateMany({ where: submitted, data: { decidedBy: ben.username } });
});

test("counts what a reviewer decided who left, and of decisions that keep a name alone those of members", async () => {
  const { membership } = prisma;
  const { uid: _, ...joined } = await membership.findFirstOrThrow({
    where: { userId: ben.uid, organizationId: org.uid },
  });
  const readDecided = async () =>
    (await createTrpcCaller(org).projects.byPerson({ uid: project }))?.find(({ user_uid: uid }) => uid === ben.uid)
      ?.decided;
  const leave = () => membership.deleteMany({ where: { userId: ben.uid, organizationId: org.uid } });
  const join = () => membership.create({ data: { ...joined, uid: uuidv7(), firstRun: {} } });
  await leave();
  expect(await readDecided()).toBe(3);
  await join();
  // As the version before kept them.
  const ofBen = { projectId: project, decidedById: ben.uid };
  const uids = (await prisma.result.findMany({ where: ofBen })).map(({ uid }) => uid);
  await prisma.result.updateMany({ where: ofBen, data: { decidedById: null } });
  expect(await readDecided()).toBe(3);
  await leave();
  expect(await readDecided()).toBe(0);
  await join();
  await prisma.result.updateMany({ where: { uid: { in: uids } }, data: { decidedById: ben.uid } });
});

test("shows members their own line alone, and others nothing of the project", async () => {
  expect(await createTrpcCaller(org, ana).projects.byPerson({ uid: project })).toMatchObject([{ ...own }]);
  expect(await createTrpcCaller(org, await addMember(org)).projects.byPerson({ uid: project })).toEqual([]);
  const foreign = createTrpcCaller(await makeOrganization());
  await expect(foreign.projects.byPerson({ uid: project })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(foreign.projects.byPerson({ uid: uuidv7() })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("is left out where counting takes too long", async () => {
  expect(await readProjectPeople(org.ctx, project, 0)).toBeNull();
});

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { newUid } from "@/server/platform/uid";
import { openChanges, startListening } from "@/server/testing/changes";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";
import { slugOfMark } from "@/server/testing/seed-data-loop";
import { seedOrganization, type Seeded } from "@/server/testing/seed-organization";

/** Whose /api/changes report what hangs on a dataset with `access: "assigned"`. */

let org: TestOrganization;
let by: Seeded["by"];
let path: string;
let assigned: TestMember;
let other: TestMember;
let admin: TestMember;
let stopListening: () => Promise<void>;
beforeAll(async () => {
  stopListening = await startListening();
});
afterAll(() => stopListening());
beforeEach(async () => {
  org = await makeOrganization();
  const mark = unique("reported");
  ({ by } = await seedOrganization(org, mark));
  path = `/datasets/${org.slug}/${slugOfMark(mark)}/`;
  [assigned, other, admin] = await Promise.all([addMember(org), addMember(org), addMember(org, "admin")]);
  await prisma.export.update({ where: { uid: by.export }, data: { datasets: [by.dataset] } });
  await prisma.dataset.update({ where: { uid: by.dataset }, data: { access: "assigned" } });
  await prisma.datasetMember.create({
    data: { datasetId: by.dataset, userId: assigned.uid, organizationId: org.uid },
  });
});

type Stream = Awaited<ReturnType<typeof openChanges>>;
const open = (person: TestMember, lastId?: string) => openChanges(org, lastId, "", person);
const openAll = async () => ({ admin: await open(admin), assigned: await open(assigned), other: await open(other) });

/** What each stream has reported, other than devices, once everything that was announced before has passed. */
async function readChanges<Name extends string>(streams: Record<Name, Stream>): Promise<Record<Name, string[]>> {
  const last = newUid("device");
  await announce(org.ctx, "device", last, "updated");
  const reported = {} as Record<Name, string[]>;
  for (const [name, stream] of Object.entries<Stream>(streams) as [Name, Stream][]) {
    await stream.until(() => stream.changes().includes(last));
    reported[name] = stream.changes().filter((uid) => !uid.startsWith("dev_"));
  }
  return reported;
}
const closeAll = (streams: Record<string, Stream>) => Promise.all(Object.values(streams).map((each) => each.close()));

test("admins and assigned members hear of a dataset, its slices, exports and bulk edits, and other members do not", async () => {
  const { uid: edit } = await prisma.bulkEdit.findFirstOrThrow({ where: { datasetId: by.dataset } });
  const streams = await openAll();
  await announce(org.ctx, "dataset", by.dataset, "updated");
  await announce(org.ctx, "slice", by.slice, "created");
  await announce(org.ctx, "export", by.export, "updated");
  await announce(org.ctx, "bulk_edit", edit, "updated");
  const all = [by.dataset, by.slice, by.export, edit];
  expect(await readChanges(streams)).toEqual({ admin: all, assigned: all, other: [] });

  await prisma.dataset.update({ where: { uid: by.dataset }, data: { access: "organization" } });
  await announce(org.ctx, "dataset", by.dataset, "updated");
  expect(await readChanges(streams)).toEqual({
    admin: [...all, by.dataset],
    assigned: [...all, by.dataset],
    other: [by.dataset],
  });
  await closeAll(streams);
});

test("a stream that resumes has missed only changes that its person sees", async () => {
  const watched = await open(admin);
  await readChanges({ watched });
  const lastId = watched.reported.at(-1)?.id ?? "";
  await announce(org.ctx, "dataset", by.dataset, "updated");
  await announce(org.ctx, "export", by.export, "updated");
  expect(await readChanges({ watched })).toEqual({ watched: [by.dataset, by.export] });
  const resumed = { assigned: await open(assigned, lastId), other: await open(other, lastId) };
  expect(await readChanges(resumed)).toEqual({ assigned: [by.dataset, by.export], other: [] });
  await closeAll({ watched, ...resumed });
});

test("a member hears from the assignment to its end, and of both, so that open pages fetch again", async () => {
  const streams = { other: await open(other), assigned: await open(assigned) };
  const named = async () => {
    await announce(org.ctx, "dataset", by.dataset, "updated");
    return (await readChanges(streams)).other;
  };
  expect(await named()).toEqual([]);
  await request("POST", `${path}members/`, { key: org.key, body: { user: other.uid } });
  const joined = await named();
  expect([joined.at(-1), new Set(joined)]).toEqual([by.dataset, new Set(["", by.dataset])]);
  await request("DELETE", `${path}members/${other.uid}/`, { key: org.key });
  const left = (await named()).slice(joined.length);
  expect(new Set(left)).toEqual(new Set([""]));
  // What happens to somebody else's assignments is theirs.
  expect((await readChanges(streams)).assigned).toEqual([by.dataset, by.dataset, by.dataset]);
  await closeAll(streams);
});

test("an admin who becomes a member while the stream is open hears no longer", async () => {
  const streams = { admin: await open(admin) };
  const { results } = await createTrpcCaller(org).members.list({ search: admin.username });
  await createTrpcCaller(org).members.changeRole({ uid: results[0]?.uid ?? "", role: "member" });
  await announce(org.ctx, "dataset", by.dataset, "updated");
  expect((await readChanges(streams)).admin).not.toContain(by.dataset);
  await closeAll(streams);
});

test("the deletion of what only some members see is the admins' alone, and that of others everybody's", async () => {
  await prisma.project.delete({ where: { uid: by.project } }); // a dataset that is annotated is not deleted
  const streams = await openAll();
  await request("DELETE", `/exports/${by.export}/`, { key: org.key });
  await request("DELETE", path, { key: org.key });
  const reported = await readChanges(streams);
  expect(reported.admin).toEqual(expect.arrayContaining([by.export, by.dataset]));
  expect([reported.assigned, reported.other]).toEqual([[], []]);

  const { body } = await request("POST", "/datasets/", {
    key: org.key,
    body: { name: "open", slug: "open", data_type: "image", visibility: "private" },
  });
  await request("DELETE", `/datasets/${org.slug}/open/`, { key: org.key });
  expect((await readChanges(streams)).other.at(-1)).toBe(body.uid);
  await closeAll(streams);
});

test("taking a dataset from the organization tells open pages to fetch again, without its name", async () => {
  await prisma.dataset.update({ where: { uid: by.dataset }, data: { access: "organization" } });
  const streams = { other: await open(other) };
  await request("PATCH", path, { key: org.key, body: { access: "assigned" } });
  const { other: reported } = await readChanges(streams);
  expect([reported.length > 0, new Set(reported)]).toEqual([true, new Set([""])]);
  await closeAll(streams);
});

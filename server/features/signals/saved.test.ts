import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeDevice,
  makeOrganization,
  makeRecording,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let ours: TestOrganization;
let other: TestOrganization;
let member: Awaited<ReturnType<typeof addMember>>;
let colleague: Awaited<ReturnType<typeof addMember>>;
beforeAll(async () => {
  [ours, other] = [await makeOrganization(), await makeOrganization()];
  [member, colleague] = [await addMember(ours), await addMember(ours)];
});

const signals = (who?: typeof member, organization = ours) => createTrpcCaller(organization, who).signals;
const names = async (organization = ours) =>
  (await signals(undefined, organization).saved()).results.map(({ name }) => name);

describe("a saved query", () => {
  test("is seen by every member of its organization, and by no other", async () => {
    await signals(member).save({ name: "Hottest motors", sql: "select 1" });
    await signals().save({ name: "Batteries", sql: "select 2" });
    expect(await names()).toEqual(["Batteries", "Hottest motors"]);
    expect((await signals(colleague).saved()).results).toMatchObject([
      { name: "Batteries", sql: "select 2", created_by_name: ours.owner.username },
      { name: "Hottest motors", sql: "select 1", created_by_name: member.username },
    ]);
    expect(await names(other)).toEqual([]);
  });

  test("is replaced under its name by who saved it and by admins only", async () => {
    const first = await signals(member).save({ name: "Mine", sql: "select 1" });
    const second = await signals(member).save({ name: "Mine", sql: "select 2" });
    expect(second).toMatchObject({ uid: first.uid, sql: "select 2" });
    await expect(signals(colleague).save({ name: "Mine", sql: "select 3" })).rejects.toThrow(
      `${member.username} has saved another query under this name.`,
    );
    expect(await signals().save({ name: "Mine", sql: "select 4" })).toMatchObject({
      uid: first.uid,
      created_by_name: member.username,
    });
  });

  test("is deleted by who saved it and by admins only", async () => {
    const [own, kept] = [
      await signals(member).save({ name: "Own", sql: "select 1" }),
      await signals(member).save({ name: "Kept", sql: "select 1" }),
    ];
    await expect(signals(colleague).remove({ uid: own.uid })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(signals(undefined, other).remove({ uid: own.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await signals(member).remove({ uid: own.uid });
    await signals().remove({ uid: kept.uid });
    expect(await names()).not.toContain("Own");
    expect(await names()).not.toContain("Kept");
    const actions = await prisma.auditEntry.findMany({ where: { targetId: own.uid }, orderBy: { uid: "asc" } });
    expect(actions.map(({ action }) => action)).toEqual(["query.created", "query.deleted"]);
  });

  test("is one of 200 at most, and one is replaced even then", async () => {
    const organizationId = other.uid;
    await prisma.savedQuery.createMany({
      data: Array.from({ length: 200 }, (_, at) => ({
        uid: uuidv7(),
        organizationId,
        name: `Query ${at}`,
        sql: "select 1",
        createdByName: "somebody",
      })),
    });
    await expect(signals(undefined, other).save({ name: "One more", sql: "select 1" })).rejects.toThrow(
      "There are 200 saved queries already.",
    );
    expect(await signals(undefined, other).save({ name: "Query 7", sql: "select 7" })).toMatchObject({
      sql: "select 7",
    });
  });
});

describe("the tables of queries", () => {
  const addFile = async (organization: TestOrganization, topic: string, fields: { path: string; type: string }[]) => {
    const device = await makeDevice(organization);
    const recording = await makeRecording(organization, device.uid);
    await prisma.signalFile.create({
      data: {
        recordingId: recording.uid,
        organizationId: organization.uid,
        topic,
        storageKey: `recordings/${uuidv7()}.parquet`,
        sizeBytes: 1n,
        rowCount: 1n,
        etag: "",
        fields,
      },
    });
  };

  test("are the topics with the fields of their newest recordings", async () => {
    await addFile(ours, "/motor", [{ path: "temp", type: "float32" }]);
    await addFile(ours, "/motor", [
      { path: "temp", type: "float64" },
      { path: "on", type: "bool" },
    ]);
    await addFile(ours, "/imu", [{ path: "x", type: "float64" }]);
    await addFile(other, "/secret", [{ path: "x", type: "float64" }]);
    expect(await signals(member).tables()).toEqual({
      results: [
        { topic: "/imu", fields: [{ path: "x", type: "float64" }] },
        {
          topic: "/motor",
          fields: [
            { path: "temp", type: "float64" },
            { path: "on", type: "bool" },
          ],
        },
      ],
      truncated: false,
    });
  });
});

test("a query is run for the dashboard as over REST, and takes times such as -24h", async () => {
  expect(await signals(member).run({ sql: "select 1 as one", since: "-24h" })).toMatchObject({
    rows: [[1]],
    row_count: 1,
  });
  await expect(signals(member).run({ sql: "select nothing" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

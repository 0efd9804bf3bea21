import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { maxDefinitions } from "@/domain/message-definitions/schema";
import { reprocessRecording } from "@/server/features/recordings/service";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { writeDb3 } from "@/server/testing/db3";
import { addMember, makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording, runJobs } from "@/server/testing/processing";
import { createTrpcCaller, request } from "@/server/testing/requests";

let ours: TestOrganization;
let other: TestOrganization;
let member: Awaited<ReturnType<typeof addMember>>;
let colleague: Awaited<ReturnType<typeof addMember>>;
beforeAll(async () => {
  [ours, other] = [await makeOrganization(), await makeOrganization()];
  [member, colleague] = [await addMember(ours), await addMember(ours)];
});
beforeEach(() => prisma.messageDefinition.deleteMany({ where: { organizationId: ours.uid } }));

const definitions = (who?: typeof member, organization = ours) =>
  createTrpcCaller(organization, who).messageDefinitions;
const status = (text: string, path = "my_msgs/msg/Status.msg") => ({ files: [{ path, text }] });
const getNames = async (organization = ours) =>
  (await definitions(undefined, organization).list({})).results.map(({ name, format }) => `${name}.${format}`);

describe("a message definition", () => {
  test("is kept under its package and type, for every member and no other organization", async () => {
    const saved = await definitions(member).save({
      files: [
        { path: "src/my_msgs/msg/Status.msg", text: "float32 load" },
        { path: "my_msgs/Mode.msg", text: "uint8 mode" },
        { path: "arm_msgs/msg/Grip.idl", text: "module arm_msgs {};" },
      ],
    });
    expect(saved).toEqual({ added: 3, replaced: 0 });
    expect(await getNames()).toEqual(["arm_msgs/Grip.idl", "my_msgs/Mode.msg", "my_msgs/Status.msg"]);
    expect(await getNames(other)).toEqual([]);
    const { results } = await definitions(colleague).list({ name: "stat" });
    expect(results).toMatchObject([{ name: "my_msgs/Status", size_bytes: 12, created_by_name: member.username }]);
    const uid = results[0]?.uid ?? "";
    expect(await definitions(colleague).get({ uid })).toMatchObject({ text: "float32 load" });
    await expect(definitions(undefined, other).get({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(definitions(undefined, other).delete({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("is replaced and deleted by who added it and by admins only", async () => {
    await definitions(member).save(status("float32 load"));
    expect(await definitions(member).save(status("float64 load"))).toEqual({ added: 0, replaced: 1 });
    expect(await definitions(colleague).save(status("float64 load"))).toEqual({ added: 0, replaced: 0 });
    await expect(definitions(colleague).save(status("int8 load"))).rejects.toThrow(
      `${member.username} has added another definition of this type.`,
    );
    expect(await definitions().save(status("int8 load"))).toEqual({ added: 0, replaced: 1 });
    const { uid } = (await definitions().list({})).results[0]!;
    await expect(definitions(colleague).delete({ uid })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await definitions(member).delete({ uid });
    expect(await getNames()).toEqual([]);
  });

  test.each([
    ["notes.txt", "float32 load", { files: ["0.path: Must be a .msg, .srv, .action or .idl file."] }],
    ["../my_msgs/msg/Status.msg", "float32 load", { files: [expect.stringMatching(/^0\.path: Must not have "\.\."/)] }],
    [
      "/opt/my_msgs/msg/Status.msg",
      "float32 load",
      { files: [expect.stringMatching(/^0\.path: Must not be absolute/)] },
    ],
    ["Status.msg", "float32 load", { files: [expect.stringMatching(/^0\.path: Must name the package/)] }],
    ["my-msgs/msg/Status.msg", "float32 load", { files: [expect.stringMatching(/^0\.path: Must name the package/)] }],
    ["my_msgs/msg/Status.msg", "float32 load\nwhat", { files: [expect.stringMatching(/^0\.text: .*"what"/)] }],
    ["my_msgs/msg/Status.msg", "int8 a\n=====\nMSG: b/C\nint8 d", { files: [expect.stringMatching(/^0\.text: /)] }],
    ["my_msgs/msg/Status.msg", " ", { files: ["0.text: This field may not be blank."] }],
  ])("is refused as %s with %j, and nothing is kept", async (path, text, errors) => {
    const files = [{ path, text }, ...status("int8 fine", "my_msgs/msg/Fine.msg").files];
    const { status: code, body } = await request("POST", "/fleet/message-definitions/", {
      key: ours.key,
      body: { files },
    });
    expect([code, body]).toEqual([400, errors]);
    expect(await getNames()).toEqual([]);
  });

  test("of two for one type the last counts", async () => {
    const files = [...status("int8 a").files, ...status("int8 b", "other/my_msgs/msg/Status.msg").files];
    expect(await definitions().save({ files })).toEqual({ added: 1, replaced: 0 });
    const { uid } = (await definitions().list({})).results[0]!;
    expect((await definitions().get({ uid })).text).toBe("int8 b");
  });

  test("beyond the limit is refused, also when several are added at once", async () => {
    await prisma.messageDefinition.createMany({
      data: Array.from({ length: maxDefinitions - 1 }, (_, at) => ({
        uid: uuidv7(),
        organizationId: ours.uid,
        name: `many/T${at}`,
        format: "msg",
        text: "int8 a",
        createdByName: "",
      })),
    });
    const results = await Promise.allSettled(
      ["A", "B", "C"].map((name) => definitions().save(status("int8 a", `my_msgs/msg/${name}.msg`))),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await prisma.messageDefinition.count({ where: { organizationId: ours.uid } })).toBe(maxDefinitions);
  });
});

test("definitions that hold too much together are refused", async () => {
  await prisma.messageDefinition.createMany({
    data: Array.from({ length: 16 }, (_, at) => ({
      uid: uuidv7(),
      organizationId: ours.uid,
      name: `large/T${at}`,
      format: "idl",
      text: "x".repeat(1024 * 1024 - 1),
      createdByName: "",
    })),
  });
  await definitions().save(status("int8 a"));
  await expect(definitions().save(status(`int8 a # ${"x".repeat(20)}`))).rejects.toThrow("at most 16 MiB");
  expect((await getNames()).filter((name) => name === "my_msgs/Status.msg")).toHaveLength(1);
});

describe("a recording without definitions", () => {
  const value = Buffer.from([0, 1, 0, 0, 0, 0, 0x20, 0x41]); // 10 as float32 behind CDR's header
  const recorded = writeDb3({
    topics: [{ name: "/status", type: "my_msgs/msg/Status" }],
    messages: [1n, 2n].map((time) => ({ topic: 1, time: 1_700_000_000_000_000_000n + time, data: value })),
  });
  const getRecording = async (uid: string) =>
    (await request<{ topics: object[]; warnings: string[] }>("GET", `/fleet/recordings/${uid}/`, { key: ours.key }))
      .body;
  const reprocess = async (uid: string) => {
    await reprocessRecording(ours.ctx, uid);
    await runJobs();
    return getRecording(uid);
  };

  test("is read with those of its organization once it is reprocessed, and with later ones of the types in them", async () => {
    const { uid: deviceId } = await makeDevice(ours);
    const uid = await processedRecording(ours, deviceId, [recorded]);
    const missing = expect.stringMatching(/no definition of "my_msgs\/msg\/Status"/);
    expect((await getRecording(uid)).warnings).toContainEqual(missing);

    await definitions(undefined, other).save(status("float32 load"));
    expect((await reprocess(uid)).warnings).toContainEqual(missing);

    await definitions().save(status("Load load"));
    const incomplete = await reprocess(uid);
    expect(incomplete).toMatchObject({ topics: [{ error: expect.stringMatching(/Load/) }] });

    await definitions().save(status("float32 percent", "my_msgs/msg/Load.msg"));
    expect(await reprocess(uid)).toMatchObject({
      warnings: [],
      topics: [{ error: null, fields: [{ path: "load.percent", max: 10 }] }],
    });
  });
});

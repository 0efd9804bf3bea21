import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expireRobotDescriptions } from "@/server/features/robot-descriptions/expiry-service";
import { findRobotOfDevice, findRobotOfRecording } from "@/server/features/robot-descriptions/media-service";
import type { RobotDescriptionUpload } from "@/server/features/robot-descriptions/resource";
import { getRobotDescription } from "@/server/features/robot-descriptions/service";
import { getStorageUse } from "@/server/features/uploads/quota-service";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { objectStore } from "@/server/platform/storage/current";
import { namedFiles, unnamedKeys } from "@/server/platform/storage/named-files";
import { diskStore } from "@/server/platform/storage/own";
import {
  addMember,
  makeDevice,
  makeOrganization,
  makeRecording,
  sessionCookie,
  unique,
  type TestOrganization,
} from "@/server/testing/factories";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { request, fetchApp } from "@/server/testing/requests";
import { zipBytes, type ZippedFile } from "@/server/testing/zip-bytes";

let own: TestOrganization;
let other: TestOrganization;
let type: string;
beforeAll(async () => {
  [own, other] = await Promise.all([makeOrganization(), makeOrganization()]);
});
beforeEach(() => {
  type = unique("arm");
});

const at = "/fleet/robot-descriptions/";
const toUrdf = (meshes: readonly string[], more = "") => `<?xml version="1.0"?>
<robot name="arm"><link name="base">${meshes
  .map((mesh) => `<visual><geometry><mesh filename="${mesh}"/></geometry></visual>`)
  .join("")}</link><link name="hand"/>
<joint name="wrist" type="fixed"><parent link="base"/><child link="hand"/></joint>${more}</robot>`;
const arm: ZippedFile[] = [
  { path: "arm/meshes/base.stl", bytes: "solid base\nendsolid base\n".repeat(50) },
  { path: "arm/urdf/arm.urdf", bytes: toUrdf(["package://arm/meshes/base.stl", "package://arm/meshes/hand.dae"]) },
  { path: "arm/meshes/stored.obj", bytes: "v 0 0 0\n", stored: true },
  { path: "arm/README.md", bytes: "not of use" },
];

const put = async (url: string, bytes: Uint8Array<ArrayBuffer>): Promise<number> => {
  return (await fetchApp(url, { method: "PUT", body: bytes })).status;
};

/** Uploads a zip and finalizes it. */
async function upload(files: readonly ZippedFile[] | Uint8Array<ArrayBuffer>, { key = own.key, as = type } = {}) {
  const bytes = files instanceof Uint8Array ? files : zipBytes(files);
  const body = { device_type: as, size_bytes: bytes.length };
  const begun = await request<RobotDescriptionUpload>("POST", at, { key, body });
  expect(begun.status).toBe(201);
  expect(await put(begun.body.put_url, bytes)).toBe(200);
  const done = await request("POST", `${at}${begun.body.uid}/finalize/`, { key });
  return { uid: begun.body.uid, putUrl: begun.body.put_url, status: done.status, body: done.body, bytes };
}

const list = async (key = own.key): Promise<{ uid: string }[]> =>
  (await request<{ results: { uid: string }[] }>("GET", `${at}?device_type=${type}`, { key })).body.results;

describe("a robot description", () => {
  test("is a zip with its files, its robot and the meshes that are missing", async () => {
    const { uid, status, body, bytes } = await upload(arm);
    expect([status, body]).toEqual([
      200,
      {
        uid,
        device_type: type,
        name: "arm",
        size_bytes: bytes.length,
        file_count: 3,
        link_count: 2,
        joint_count: 1,
        missing_meshes: ["package://arm/meshes/hand.dae"],
        created_by: own.owner.uid,
        created_by_name: own.owner.username,
        created_at: expect.any(String),
        download_url: expect.any(String),
      },
    ]);
    // Links differ by when they were made.
    const same = { ...body, download_url: expect.any(String) };
    expect(await list()).toEqual([same]);
    const single = await request("GET", `${at}${uid}/`, { key: own.key });
    expect(single.body).toEqual(same);
    expect((await getRobotDescription(own.ctx, uid)).files).toEqual([
      { path: "arm/urdf/arm.urdf", size_bytes: Buffer.byteLength(String(arm[1]!.bytes)) },
      { path: "arm/meshes/base.stl", size_bytes: 1_250 },
      { path: "arm/meshes/stored.obj", size_bytes: 8 },
    ]);
    const download = await fetchApp(String(body.download_url));
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes);
  });

  test("takes the place of the one before when it is finalized, not earlier, and that one's zip is removed", async () => {
    const first = await upload(arm);
    const bytes = zipBytes([{ path: "b.urdf", bytes: toUrdf([]) }]);
    const body = { device_type: type, size_bytes: bytes.length };
    const { body: begun } = await request<RobotDescriptionUpload>("POST", at, { key: own.key, body });
    expect((await list()).map(({ uid }) => uid)).toEqual([first.uid]);
    await put(begun.put_url, bytes);
    await request("POST", `${at}${begun.uid}/finalize/`, { key: own.key });
    expect((await list()).map(({ uid }) => uid)).toEqual([begun.uid]);
    const key = `robot-descriptions/${own.uid}/${first.uid}`;
    expect(await runQueuedJobs(jobs.deleteStoredObjects, { prefix: key })).toBe(1);
    expect(await objectStore().head(key)).toBeNull();
    const actions = await prisma.auditEntry.findMany({ where: { organizationId: own.uid, targetName: type } });
    expect(actions.map(({ action }) => action).sort()).toEqual([
      "robot_description.created",
      "robot_description.replaced",
    ]);
  });

  test("of two that are finalized at the same time one stays", async () => {
    const uploads = await Promise.all([1, 2, 3].map(() => upload(arm)));
    expect(uploads.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await list()).toHaveLength(1);
  });

  test("is not sent again once it is finalized, and finalized again it is the same", async () => {
    const { uid, putUrl, body, bytes } = await upload(arm);
    expect(await put(putUrl, bytes)).toBe(409);
    const again = await request("POST", `${at}${uid}/finalize/`, { key: own.key });
    expect(again.body).toEqual({ ...body, download_url: expect.any(String) });
  });

  test("is finalized only after it was sent", async () => {
    const body = { device_type: type, size_bytes: 5 };
    const { body: begun } = await request<RobotDescriptionUpload>("POST", at, { key: own.key, body });
    const refused = await request("POST", `${at}${begun.uid}/finalize/`, { key: own.key });
    expect([refused.status, refused.body]).toEqual([400, { zip: ["It was not sent yet: PUT it to put_url first."] }]);
    expect(await put(begun.put_url, new Uint8Array(6))).toBe(413);
  });

  test("is deleted with its zip, by who uploaded it and by admins", async () => {
    const member = await addMember(own, "member");
    const { uid } = await upload(arm);
    const refused = await request("DELETE", `${at}${uid}/`, { key: member.key });
    const replaced = await request("POST", at, { key: member.key, body: { device_type: type, size_bytes: 5 } });
    expect([refused.status, replaced.status, replaced.body]).toEqual([
      403,
      400,
      { device_type: [`${own.owner.username} has uploaded the description of this device type.`] },
    ]);
    expect((await request("DELETE", `${at}${uid}/`, { key: own.key })).status).toBe(204);
    expect(await list()).toEqual([]);
    expect(await runQueuedJobs(jobs.deleteStoredObjects, { prefix: `robot-descriptions/${own.uid}/${uid}` })).toBe(1);
  });

  test("counts in the storage of its organization from its announcement on, within the quota", async () => {
    const { ctx, uid: organizationId, key } = await makeOrganization();
    const bytes = zipBytes(arm);
    await prisma.organization.update({ where: { uid: organizationId }, data: { quotaBytes: BigInt(bytes.length) } });
    const { status } = await upload(bytes, { key });
    const use = await getStorageUse(ctx, organizationId);
    expect([status, use.robot_description_bytes, use.total_bytes, use.files]).toEqual([
      200,
      bytes.length,
      bytes.length,
      1,
    ]);
    const refused = await request("POST", at, { key, body: { device_type: type, size_bytes: 1 } });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["size_bytes"]]);
  });

  test("that was not finalized for a day is removed", async () => {
    const body = { device_type: type, size_bytes: 5 };
    const { body: begun } = await request<RobotDescriptionUpload>("POST", at, { key: own.key, body });
    await put(begun.put_url, new Uint8Array(5));
    const key = `robot-descriptions/${own.uid}/${begun.uid}`;
    const { createdAt } = await prisma.robotDescription.findUniqueOrThrow({ where: { uid: begun.uid } });
    const later = (hours: number) => new Date(createdAt.getTime() + hours * 3_600_000);
    await expireRobotDescriptions(later(23));
    expect(await prisma.robotDescription.count({ where: { uid: begun.uid } })).toBe(1);
    await expireRobotDescriptions(later(25));
    expect(await prisma.robotDescription.count({ where: { uid: begun.uid } })).toBe(0);
    await runQueuedJobs(jobs.deleteStoredKeys, { keys: [key] });
    expect(await diskStore().head(key)).toBeNull();
  });

  test("is named for backups once it is finalized, and its zip is nobody's rest before", async () => {
    const { uid } = await upload(arm);
    const body = { device_type: type, size_bytes: 5 };
    const { body: begun } = await request<RobotDescriptionUpload>("POST", at, { key: own.key, body });
    const [ready, open] = [uid, begun.uid].map((each) => `robot-descriptions/${own.uid}/${each}`);
    const client = await pool.connect();
    try {
      await client.query("begin");
      const named: string[] = [];
      for await (const { key } of namedFiles(client)) named.push(key);
      expect([named.includes(ready!), named.includes(open!)]).toEqual([true, false]);
      expect(await unnamedKeys(client, [ready!, open!, `${open}0`])).toEqual([`${open}0`]);
    } finally {
      await client.query("rollback");
      client.release();
    }
  });

  test("belongs to the recordings of its devices", async () => {
    const { uid } = await upload(arm);
    const device = await makeDevice(own);
    const recording = await makeRecording(own, device.uid);
    expect(await findRobotOfRecording(own.ctx, recording.uid)).toBeNull();
    await prisma.device.update({ where: { uid: device.uid }, data: { type } });
    const paths = ["arm/urdf/arm.urdf", "arm/meshes/base.stl", "arm/meshes/stored.obj"];
    expect(await findRobotOfRecording(own.ctx, recording.uid)).toEqual({ uid, device_type: type, paths });
  });

  test("belongs to devices of its type in upper and lower case, and to no others", async () => {
    const { uid } = await upload(arm, { as: "Arm_v2" });
    const device = await makeDevice(own);
    const recording = await makeRecording(own, device.uid);
    const setType = (type: string) => prisma.device.update({ where: { uid: device.uid }, data: { type } });
    for (const type of ["Arm_v2", "arm_V2", "ARM_V2"]) {
      await setType(type);
      expect((await findRobotOfRecording(own.ctx, recording.uid))?.uid).toBe(uid);
      expect(await findRobotOfDevice(own.ctx, device.uid)).toEqual({
        uid,
        device_type: "Arm_v2",
        name: "arm",
        link_count: 2,
        joint_count: 1,
      });
    }
    // The underscore stands for nothing but itself.
    for (const type of ["armxv2", "arm_v", "%"]) {
      await setType(type);
      expect(await findRobotOfRecording(own.ctx, recording.uid)).toBeNull();
      expect(await findRobotOfDevice(own.ctx, device.uid)).toBeNull();
    }
    await expect(findRobotOfDevice(other.ctx, device.uid)).rejects.toThrow();
  });

  test("is replaced by one of its type in another case", async () => {
    await upload(arm, { as: "Rover" });
    const { uid } = await upload(arm, { as: "rover" });
    const rovers = await prisma.robotDescription.findMany({
      where: { organizationId: own.ctx.organizationId, deviceType: { in: ["Rover", "rover"] }, status: "ready" },
    });
    expect(rovers.map((each) => [each.uid, each.deviceType])).toEqual([[uid, "rover"]]);
  });

  test("is nobody else's", async () => {
    const { uid } = await upload(arm);
    const foreign = { key: other.key };
    expect(await list(other.key)).toEqual([]);
    for (const [method, path] of [
      ["GET", `${at}${uid}/`],
      ["DELETE", `${at}${uid}/`],
      ["POST", `${at}${uid}/finalize/`],
    ] as const)
      expect((await request(method, path, foreign)).status).toBe(404);
  });
});

describe("a file of a robot description", () => {
  const get = async (path: string, cookie?: string) => {
    return fetchApp(path, { headers: cookie === undefined ? {} : { cookie } });
  };

  test("is served unpacked to signed-in members, and browsers may keep it", async () => {
    const { uid } = await upload(arm);
    const [cookie, foreign] = await Promise.all([
      sessionCookie(own.owner, { slug: own.slug }),
      sessionCookie(other.owner, { slug: other.slug }),
    ]);
    const files = `/media/robot-descriptions/${uid}/files`;
    const [urdf, stored] = [await get(`${files}/0`, cookie), await get(`${files}/2`, cookie)];
    expect([urdf.status, urdf.headers.get("cache-control"), await urdf.text()]).toEqual([
      200,
      "private, max-age=86400, immutable",
      arm[1]!.bytes,
    ]);
    expect(await stored.text()).toBe("v 0 0 0\n");
    const others = [get(`${files}/0`), get(`${files}/3`, cookie), get(`${files}/0`, foreign)];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([401, 404, 404]);
  });
});

describe("what is no robot description is refused with the reason, and removed:", () => {
  const urdf = { path: "a.urdf", bytes: toUrdf([]) };
  const zeros = new Uint8Array(300 * 1024 * 1024);
  test.each<[string, () => readonly ZippedFile[] | Uint8Array<ArrayBuffer>, string]>([
    ["no zip", () => new Uint8Array(2_000), "cannot be read as a zip"],
    ["a zip that ends early", () => zipBytes(arm).slice(0, -30), "cannot be read as a zip"],
    ["no URDF", () => [{ path: "a.stl", bytes: "solid" }], "holds no .urdf file"],
    [
      "two URDFs",
      () => [urdf, { ...urdf, path: "b/b.urdf" }],
      "holds 2 .urdf files, of which one is needed: a.urdf, b/b.urdf",
    ],
    [
      "a URDF that is none",
      () => [{ ...urdf, bytes: "<model/>" }],
      'a.urdf cannot be read: The description is of "model"',
    ],
    [
      "too many links",
      () => [{ ...urdf, bytes: toUrdf([], `<link name="l"/>`.repeat(100_000)) }],
      "at most 10,000 are drawn",
    ],
    [
      "a path that leads outside",
      () => [urdf, { path: "../../etc/a.stl", bytes: "" }],
      "invalid relative path: ../../etc/a.stl",
    ],
    ["an absolute path", () => [urdf, { path: "/etc/a.stl", bytes: "" }], "absolute path: /etc/a.stl"],
    ["a path of Windows that leads outside", () => [urdf, { path: "..\\a.stl", bytes: "" }], "cannot be read as a zip"],
    [
      "a path with a line break",
      () => [urdf, { path: "a\nb.stl", bytes: "" }],
      'The path "a\\nb.stl": Must not have control',
    ],
    ["a path that reads otherwise", () => [urdf, { path: "a\u202els.stl", bytes: "" }], "the direction of text"],
    ["a file twice", () => [urdf, urdf], "holds a.urdf twice"],
    [
      "too many files",
      () => Array.from({ length: 1_001 }, (_, n) => ({ path: `${n}.stl`, bytes: "" })),
      "holds 1001 files",
    ],
    ["more than it may hold unpacked", () => [urdf, { path: "bomb.stl", bytes: zeros }], "more than 256 MiB unpacked"],
    [
      "more than it declares",
      () => [urdf, { path: "bomb.stl", bytes: zeros, claims: { size: 1_000 } }],
      "cannot be read as a zip",
    ],
    ["another checksum", () => [urdf, { path: "a.stl", bytes: "x", claims: { crc: 1 } }], "a.stl has another checksum"],
    ["an encrypted file", () => [urdf, { path: "a.stl", bytes: "x", claims: { flags: 1 } }], "a.stl is encrypted"],
    [
      "another compression",
      () => [urdf, { path: "a.stl", bytes: "x", claims: { method: 14 } }],
      "a method that cannot be read",
    ],
    [
      "damaged bytes",
      () => [urdf, { path: "a.stl", bytes: "not deflated", stored: true, claims: { method: 8 } }],
      "cannot be read as a zip",
    ],
  ])("%s", async (_what, make, reason) => {
    const { uid, status, body } = await upload(make());
    expect([status, Object.keys(body)]).toEqual([400, ["zip"]]);
    expect((body as unknown as { zip: string[] }).zip[0]).toContain(reason);
    expect((await request("GET", `${at}${uid}/`, { key: own.key })).status).toBe(404);
    expect(await runQueuedJobs(jobs.deleteStoredObjects, { prefix: `robot-descriptions/${own.uid}/${uid}` })).toBe(1);
  });
});

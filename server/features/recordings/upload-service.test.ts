import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openByteSources } from "@/server/features/recordings/file-service";
import type { RecordingFile, RecordingUploadStatus } from "@/server/features/recordings/resource";
import type { Confirmation, SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { diskStore } from "@/server/platform/storage/own";
import { uuidv7 } from "@/server/platform/uid";
import { jobIds, queuedJobs } from "@/server/testing/queued-jobs";
import { request, createTrpcCaller } from "@/server/testing/requests";
import { computeEtag } from "@/server/testing/stored-files";
import { openUploadSite } from "@/server/testing/uploads";

const { org, deviceId, token, server } = await openUploadSite();
afterAll(() => server.close());

/** The upload operations of a new recording, called with a user's key or as the device. */
async function recording(as: { key?: string; token?: string } = { key: org.key }) {
  const created = await request("POST", "/fleet/recordings/", { ...as, body: as.token ? {} : { device_id: deviceId } });
  const uid = created.body.uid;
  const at = `/fleet/recordings/${uid}/upload`;
  const post = <T>(step: string, body: unknown) =>
    request<T & Record<string, unknown>>("POST", `${at}/${step}/`, { ...as, body });
  return {
    uid,
    init: (files: unknown, extra: object = {}) => post<UploadSessionResource>("init", { files, ...extra }),
    urls: (session_uid: unknown, file_paths: unknown, extra: object = {}) =>
      post<SignedUrls>("urls", { session_uid, file_paths, ...extra }),
    confirm: (session_uid: unknown, files: unknown) => post<Confirmation>("confirm", { session_uid, files }),
    finalize: (session_uid: unknown) => post<{ status: string }>("finalize", { session_uid }),
    status: async () => (await request<RecordingUploadStatus>("GET", `${at}/status/`, as)).body,
    put: async (session: string, path: string, text: string) => {
      const { body } = await post<SignedUrls>("urls", { session_uid: session, file_paths: [path] });
      return fetch(server.here(body.urls[0]?.put_url ?? ""), {
        method: "PUT",
        body: text,
        headers: body.urls[0]?.headers ?? {},
      });
    },
  };
}
const toFile = (path: string, text: string) => ({ path, size_bytes: Buffer.byteLength(text) });
const toClaim = (path: string, text: string) => ({ ...toFile(path, text), etag: computeEtag(text) });
const countJobs = async (recordingId: string): Promise<number> => (await jobIds({ recordingId })).length;

describe.each([{ as: "a key" }, { as: "a device token" }])("with $as", ({ as }) => {
  test("a recording is uploaded file by file and then processed", async () => {
    const it = await recording(as === "a key" ? { key: org.key } : { token });
    const init = await it.init([toFile("one.mcap", "first"), toFile("sub/two.mcap", "second!")]);
    const session = init.body.uid;
    expect([init.status, init.body]).toEqual([
      201,
      {
        uid: session,
        total_files: 2,
        total_bytes: 12,
        confirmed_files: 0,
        confirmed_bytes: 0,
        s3_prefix: `recordings/${org.uid}/${it.uid}/`,
        status: "active",
      },
    ]);
    const signed = await it.urls(session, ["sub/two.mcap"]);
    const [entry] = signed.body.urls;
    expect([signed.status, signed.body.urls.length, entry?.path]).toEqual([200, 1, "sub/two.mcap"]);
    expect(entry?.s3_key.startsWith(init.body.s3_prefix)).toBe(true);
    expect(entry?.put_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/files\/upload\/recordings\//);

    const put = await it.put(session, "one.mcap", "first");
    expect([put.status, put.headers.get("etag")]).toEqual([200, computeEtag("first")]);
    expect((await it.confirm(session, [toClaim("one.mcap", "first")])).body).toEqual({
      confirmed: 1,
      total_confirmed: 1,
      total_files: 2,
    });
    expect(await it.status()).toEqual({
      session_uid: session,
      status: "active",
      total_files: 2,
      confirmed_files: 1,
      total_bytes: 12,
      confirmed_bytes: 5,
      pending_paths: ["sub/two.mcap"],
      recording_status: "uploading",
      error_message: null,
      progress: null,
    });
    const early = await it.finalize(session);
    expect([early.status, early.body]).toEqual([400, { session_uid: ["1 file is not confirmed yet."] }]);

    await it.put(session, "sub/two.mcap", "second!");
    const unquoted = { ...toClaim("sub/two.mcap", "second!"), etag: computeEtag("second!").replaceAll('"', "") };
    expect((await it.confirm(session, [unquoted])).body.total_confirmed).toBe(2);
    expect((await it.finalize(session)).body).toEqual({ status: "finalized" });
    expect(await it.status()).toMatchObject({ status: "finalized", recording_status: "processing", pending_paths: [] });
    expect(await countJobs(it.uid)).toBe(1);

    const sources = await openByteSources(org.ctx, it.uid);
    const texts = await Promise.all(sources.map(async (source) => Buffer.from(await source.read(0, 100)).toString()));
    expect([sources.map((source) => source.size), texts]).toEqual([
      [5, 7],
      ["first", "second!"],
    ]);
  });
});

describe("the session", () => {
  test("the same files again, in any order, return the same session; other files are refused", async () => {
    const it = await recording();
    const files = [toFile("a", "1"), toFile("b", "22")];
    const first = await it.init(files);
    const again = await it.init([...files].reverse());
    expect([again.status, again.body]).toEqual([201, first.body]);
    for (const others of [[files[0]], [toFile("a", "1"), toFile("b", "333")], [...files, toFile("c", "")]]) {
      const { status, body } = await it.init(others);
      expect([status, Object.keys(body)]).toEqual([400, ["files"]]);
    }
  });

  test("two concurrent inits create one session", async () => {
    const it = await recording();
    const responses = await Promise.all(Array.from({ length: 4 }, () => it.init([toFile("a", "1")])));
    expect(new Set(responses.map((response) => response.body.uid)).size).toBe(1);
  });

  test("two concurrent finalizations both succeed and start processing once", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1")]);
    await it.put(body.uid, "a", "1");
    await it.confirm(body.uid, [toClaim("a", "1")]);
    const responses = await Promise.all([it.finalize(body.uid), it.finalize(body.uid)]);
    expect(responses.map((response) => [response.status, response.body])).toEqual([
      [200, { status: "finalized" }],
      [200, { status: "finalized" }],
    ]);
    expect(await countJobs(it.uid)).toBe(1);
    const finalizations = { targetId: it.uid, action: "recording.upload_finalized" };
    expect(await prisma.auditEntry.count({ where: finalizations })).toBe(1);
    for (const late of [await it.urls(body.uid, ["a"]), await it.confirm(body.uid, [toClaim("a", "1")])]) {
      expect([late.status, Object.keys(late.body)]).toEqual([400, ["session_uid"]]);
    }
    expect((await it.init([toFile("a", "1")])).body).toMatchObject({ uid: body.uid, status: "finalized" });
  });

  test("a recording archived during its upload is still processed and stays archived", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1")]);
    await request("PATCH", `/fleet/recordings/${it.uid}/`, { key: org.key, body: { status: "archived" } });
    await it.put(body.uid, "a", "1");
    await it.confirm(body.uid, [toClaim("a", "1")]);
    expect((await it.finalize(body.uid)).status).toBe(200);
    expect([(await it.status()).recording_status, await countJobs(it.uid)]).toEqual(["archived", 1]);
  });

  test("an expired upload accepts no more requests", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1")]);
    await prisma.recording.update({ where: { uid: it.uid }, data: { status: "error" } });
    expect((await it.urls(body.uid, ["a"])).status).toBe(400);
  });

  test("a session of another recording is refused like a random one", async () => {
    const [ownUpload, otherUpload] = await Promise.all([recording(), recording()]);
    const otherSession = (await otherUpload.init([toFile("a", "1")])).body.uid;
    await ownUpload.init([toFile("a", "1")]);
    for (const uid of [otherSession, uuidv7()]) {
      for (const response of [
        await ownUpload.urls(uid, ["a"]),
        await ownUpload.confirm(uid, [toClaim("a", "1")]),
        await ownUpload.finalize(uid),
      ]) {
        expect([response.status, response.body]).toEqual([
          400,
          { session_uid: [`Invalid pk "${uid}" - object does not exist.`] },
        ]);
      }
    }
    expect((await ownUpload.finalize("x")).body).toEqual({ session_uid: ["Must be a valid UUID."] });
    const before = await recording();
    expect(await before.status()).toEqual({ detail: "Not found." });
  });
});

describe("naming files", () => {
  let it: Awaited<ReturnType<typeof recording>>;
  beforeAll(async () => {
    it = await recording();
  });

  test.each([
    ["nothing", []],
    ["no list", {}],
    ["a file without a size", [{ path: "a" }]],
    ["a negative size", [{ path: "a", size_bytes: -1 }]],
    ["half a byte", [{ path: "a", size_bytes: 1.5 }]],
    ["a size as text", [{ path: "a", size_bytes: "1" }]],
    ["a size beyond any store", [{ path: "a", size_bytes: 2 ** 52 }]],
    ["a blank path", [{ path: " ", size_bytes: 1 }]],
    ["a NUL in a path", [{ path: "a\0b", size_bytes: 1 }]],
    ["a path that is too long", [{ path: "x".repeat(1_025), size_bytes: 1 }]],
    ["a path of too many bytes", [{ path: "🤖".repeat(501), size_bytes: 1 }]],
    [
      "one path twice",
      [
        { path: "a", size_bytes: 1 },
        { path: "a", size_bytes: 2 },
      ],
    ],
    ["a program alone", [{ path: "setup.exe", size_bytes: 1 }]],
    ["too many files", Array.from({ length: 1_001 }, (_, i) => ({ path: `${i}`, size_bytes: 1 }))],
  ])("%s is refused", async (_what, files) => {
    const { status, body } = await it.init(files);
    expect([status, Object.keys(body)]).toEqual([400, ["files"]]);
  });

  test("names that no reader takes are refused with the conversion", async () => {
    const { status, body } = await it.init([toFile("bag_0.tar.zst", "1"), toFile("metadata.yaml", "2")]);
    expect([status, body]).toEqual([
      400,
      { files: [expect.stringMatching(/\.tar\.zst: .*`tar --zstd -xf`.*\.yaml: /)] },
    ]);
    expect((await it.init([toFile("bag_0.mcap.zst", "1"), toFile("metadata.yaml", "2")])).status).toBe(201);
  });

  test("an unknown storage configuration is refused with its field", async () => {
    const it = await recording();
    const { status, body } = await it.init([toFile("a", "1")], { storage_config_uid: uuidv7() });
    expect([status, Object.keys(body)]).toEqual([400, ["storage_config_uid"]]);
    expect((await it.init([toFile("a", "1")], { storage_config_uid: null })).status).toBe(201);
  });

  test("odd names are data: kept as sent, stored under our own, saved under a harmless one", async () => {
    const names = [".htaccess", "CON", "x".repeat(1_000), "<b>\"';--.bag", "a/b\\y.mcap"];
    const it = await recording();
    const { body } = await it.init(names.map((name) => toFile(name, name)));
    for (const name of names) expect((await it.put(body.uid, name, name)).status).toBe(200);
    expect(
      (
        await it.confirm(
          body.uid,
          names.map((name) => toClaim(name, name)),
        )
      ).body.total_confirmed,
    ).toBe(names.length);
    const response = await request<{ results: RecordingFile[] }>("GET", `/fleet/recordings/${it.uid}/files/`, {
      key: org.key,
    });
    const files = response.body.results;
    expect(files.map((file) => file.path)).toEqual(names);
    expect(files.map((file) => file.name)).toEqual(["htaccess", "_CON", "x".repeat(200), "_b__';--.bag", "y.mcap"]);
    for (const file of files) {
      const download = await fetch(server.here(file.download_url ?? ""));
      expect(await download.text()).toBe(file.path);
      expect(download.headers.get("content-disposition")).toContain(`filename*=UTF-8''`);
    }
    const keys = await prisma.storedFile.findMany({ where: { recordingId: it.uid }, select: { storageKey: true } });
    for (const { storageKey } of keys)
      expect(storageKey).toMatch(/^recordings\/[0-9a-f-]{36}\/rec_[0-9a-f-]{36}\/[0-9a-f-]{36}$/);
    expect((await createTrpcCaller(org).recordings.files({ uid: it.uid }))[0]?.download_url).toMatch(
      /^\/files\/recordings\//,
    );
  });

  test("paths that lead elsewhere are refused, and those that were stored before are still read", async () => {
    const it = await recording();
    const hostile = [
      "../../etc/passwd",
      "C:\\x\\y.mcap",
      "\\\\server\\z.mcap",
      "a\u202egnp.exe",
      "a\nb.mcap",
      "/abs",
      "..",
    ];
    for (const name of hostile) {
      const { status, body } = await it.init([toFile("good.mcap", "1"), toFile(name, name)]);
      expect([name, status, body]).toEqual([name, 400, { files: [expect.stringMatching(/^1\.path: Must not /)] }]);
    }
    const names = hostile.map((_, at) => `${at}.mcap`);
    const { body } = await it.init(names.map((name) => toFile(name, name)));
    for (const [at, path] of hostile.entries()) {
      await prisma.storedFile.updateMany({ where: { recordingId: it.uid, path: names[at] ?? "" }, data: { path } });
    }
    // An upload that was under way goes on.
    for (const [at, path] of hostile.entries())
      expect((await it.put(body.uid, path, names[at] ?? "")).status).toBe(200);
    const claims = hostile.map((path, at) => ({ ...toClaim(names[at] ?? "", names[at] ?? ""), path }));
    expect((await it.confirm(body.uid, claims)).body.total_confirmed).toBe(hostile.length);
    const listed = await request<{ results: RecordingFile[] }>("GET", `/fleet/recordings/${it.uid}/files/`, {
      key: org.key,
    });
    const files = listed.body.results;
    expect(files.map((file) => file.path)).toEqual(hostile);
    expect(files.map((file) => file.name)).toEqual([
      "passwd",
      "y.mcap",
      "z.mcap",
      "a_gnp.exe",
      "a_b.mcap",
      "abs",
      "file",
    ]);
    for (const file of files) expect((await fetch(server.here(file.download_url ?? ""))).status).toBe(200);
  });

  test("a path of the maximum length in any script is stored", async () => {
    const it = await recording();
    const names = [
      "🤖".repeat(500),
      Array.from({ length: 1_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000)))
        .join("")
        .slice(0, 660),
    ];
    expect((await it.init(names.map((name) => toFile(name, "1")))).status).toBe(201);
    expect((await it.status()).pending_paths).toEqual(names);
  });
});

describe("requesting URLs", () => {
  test("unknown and confirmed paths are refused with their names", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1"), toFile("b", "2")]);
    expect((await it.urls(body.uid, ["a", "zzz"])).body).toEqual({
      file_paths: ['"zzz" is not a file of this upload.'],
    });
    await it.put(body.uid, "a", "1");
    await it.confirm(body.uid, [toClaim("a", "1")]);
    expect((await it.urls(body.uid, ["a"])).body).toEqual({ file_paths: ['"a" is confirmed already.'] });
    expect(
      (
        await it.urls(
          body.uid,
          Array.from({ length: 101 }, (_, i) => `${i}`),
        )
      ).status,
    ).toBe(400);
    expect((await it.urls(body.uid, [])).status).toBe(400);
  });

  test("a time to live of zero or beyond a week is refused", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1")]);
    for (const ttl_seconds of [0, -1, 604_801, 1.5, "60"]) {
      const response = await it.urls(body.uid, ["a"], { ttl_seconds });
      expect([response.status, Object.keys(response.body)]).toEqual([400, ["ttl_seconds"]]);
    }
  });
});

describe("confirming", () => {
  test("a size or tag other than what is stored is refused, and nothing of the call is confirmed", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1"), toFile("b", "22"), toFile("c", "333")]);
    await it.put(body.uid, "a", "1");
    await it.put(body.uid, "b", "22");
    const good = toClaim("a", "1");
    for (const [claim, message] of [
      [{ ...toClaim("b", "22"), size_bytes: 3 }, "1.size_bytes: 2 bytes are stored, 2 were declared."],
      [{ ...toClaim("b", "22"), etag: computeEtag("xx") }, "1.etag: The stored bytes have another tag."],
      [toClaim("c", "333"), "1.path: Nothing was uploaded for it yet."],
      [toClaim("d", "4"), "1.path: It is not a file of this upload."],
    ] as const) {
      const response = await it.confirm(body.uid, [good, claim]);
      expect([response.status, response.body]).toEqual([400, { files: [message] }]);
    }
    expect(await it.status()).toMatchObject({ confirmed_files: 0, confirmed_bytes: 0 });
  });

  test("a repeated confirmation has the same result", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1"), toFile("b", "2")]);
    await it.put(body.uid, "a", "1");
    const first = await it.confirm(body.uid, [toClaim("a", "1")]);
    const again = await it.confirm(body.uid, [toClaim("a", "1"), toClaim("a", "1")]);
    expect([first.body, again.body]).toEqual(Array(2).fill({ confirmed: 1, total_confirmed: 1, total_files: 2 }));
  });

  test("the bytes of an unconfirmed file may be replaced; the last ones count", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1")]);
    await it.put(body.uid, "a", "1");
    await it.put(body.uid, "a", "2");
    expect((await it.confirm(body.uid, [toClaim("a", "1")])).status).toBe(400);
    expect((await it.confirm(body.uid, [toClaim("a", "2")])).status).toBe(200);
  });

  test("a malformed list is refused", async () => {
    const it = await recording();
    const { body } = await it.init([toFile("a", "1")]);
    const many = Array.from({ length: 501 }, () => toClaim("a", "1"));
    for (const files of [[], "x", [{ path: "a" }], [{ path: "a", etag: 1, size_bytes: 1 }], many]) {
      const response = await it.confirm(body.uid, files);
      expect([response.status, Object.keys(response.body)]).toEqual([400, ["files"]]);
    }
  });
});

test("deleting a recording removes its files from the store", async () => {
  const it = await recording();
  const { body } = await it.init([toFile("a", "1")]);
  await it.put(body.uid, "a", "1");
  const file = await prisma.storedFile.findFirstOrThrow({ where: { recordingId: it.uid } });
  await request("DELETE", `/fleet/recordings/${it.uid}/`, { key: org.key });
  expect(await queuedJobs(jobs.deleteStoredObjects, { prefix: body.s3_prefix })).toHaveLength(1);
  expect(await diskStore().head(file.storageKey)).not.toBeNull();
  await diskStore().deletePrefix(body.s3_prefix);
  expect(await diskStore().head(file.storageKey)).toBeNull();
});

import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { env } from "@/server/platform/env";
import { downloadLink } from "@/server/platform/storage/links";
import { diskStore } from "@/server/platform/storage/own";
import { computeEtag } from "@/server/testing/stored-files";
import { openUploadSite } from "@/server/testing/uploads";

const { org, server } = await openUploadSite();
afterAll(() => server.close());

describe("downloading", () => {
  const bytes = randomBytes(1_000_000);
  let url: string;
  let key: string;
  beforeAll(async () => {
    key = `recordings/${org.uid}/${randomUUID()}/${randomUUID()}`;
    await diskStore().put(key, new Blob([bytes]).stream(), bytes.length);
    url = server.here(downloadLink({ key, fileName: 'Straße "1".mcap', by: null, ttlSeconds: 600 }));
  });
  const get = (headers: Record<string, string> = {}, method = "GET") => fetch(url, { method, headers });

  test("the response has the complete object, its length, its tag and a file name", async () => {
    const response = await get();
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-length": "1000000",
      etag: computeEtag(bytes),
      "accept-ranges": "bytes",
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "content-disposition": `attachment; filename="Stra_e _1_.mcap"; filename*=UTF-8''Stra%C3%9Fe%20_1_.mcap`,
    });
  });

  test.each([
    ["frame.PNG", "image/png"],
    ["clip.mp4", "video/mp4"],
    ["page.html", "application/octet-stream"],
    ["picture.svg", "application/octet-stream"],
    ["png", "application/octet-stream"],
  ])("pictures and videos have their media type, nothing that can run scripts has: %s", async (fileName, type) => {
    const named = await fetch(server.here(downloadLink({ key, fileName, by: null, ttlSeconds: 600 })));
    expect([named.status, named.headers.get("content-type")]).toEqual([200, type]);
  });

  test("HEAD responds like GET, without the bytes", async () => {
    const response = await get({}, "HEAD");
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([
      200,
      "1000000",
      "",
    ]);
  });

  test.each([
    ["bytes=0-9", 0, 10],
    ["bytes=999990-", 999_990, 1_000_000],
    ["bytes=-10", 999_990, 1_000_000],
    ["bytes=5-99999999", 5, 1_000_000],
  ])("the response to a range of %s has those bytes", async (range, start, end) => {
    const response = await get({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([
      206,
      `bytes ${start}-${end - 1}/1000000`,
    ]);
    expect(response.headers.get("content-length")).toBe(String(end - start));
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end))).toBe(true);
  });

  test.each(["bytes=1000000-", "bytes=-0"])("a range of %s is beyond the end", async (range) => {
    const response = await get({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */1000000"]);
  });

  test.each(["bytes=0-1,5-6", "bytes=9-5", "lines=0-1", "bytes=x"])("a range of %s is ignored", async (range) => {
    const response = await get({ range });
    await response.body?.cancel();
    expect([response.status, response.headers.get("content-length")]).toEqual([200, "1000000"]);
  });

  test("a range of another version of the object is ignored", async () => {
    const status = async (ifRange: string) => {
      const response = await get({ range: "bytes=0-9", "if-range": ifRange });
      await response.body?.cancel();
      return response.status;
    };
    expect([await status(computeEtag(bytes)), await status('"other"')]).toEqual([206, 200]);
    const modified = (await get({}, "HEAD")).headers.get("last-modified") ?? "";
    expect([await status(modified), await status("Thu, 01 Jan 1970 00:00:00 GMT")]).toEqual([206, 200]);
  });

  test("the response is 304 when the client has the object already", async () => {
    expect((await get({ "if-none-match": computeEtag(bytes) })).status).toBe(304);
  });

  test("a client that disconnects early does not leave the file open", async () => {
    const folder = fs.realpathSync(path.join(env.DATA_DIR, "files"));
    const countOpen = () =>
      fs.readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
        } catch {
          return false; // closed since it was listed
        }
      }).length;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await get();
        await response.body?.cancel();
      }),
    );
    await vi.waitFor(() => expect(countOpen()).toBe(0), { timeout: 60_000 });
  });
});

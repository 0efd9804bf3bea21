import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configureEgress } from "@/server/platform/http-client/settings";
import { maxBodyBytes } from "@/server/platform/storage/bucket-store";
import { S3Store } from "@/server/platform/storage/s3";

/** A user who connects a bucket may control its server, which must not be able to fill our memory. */
const chunk = Buffer.alloc(64 * 1024, "<a/>");
let sent = 0;
const server = http.createServer((request, response) => {
  sent = 0;
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  response.writeHead(range ? 206 : 200, { "content-type": "application/xml" });
  const pour = () => {
    for (;;) {
      if (response.destroyed) return;
      sent += chunk.length;
      if (!response.write(chunk)) return void response.once("drain", pour);
    }
  };
  pour();
});
let restore = () => {};
let store: S3Store;

beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = new S3Store({
    bucket: "b",
    region: "r",
    prefix: null,
    endpointUrl,
    accelerated: false,
    keys: { accessKeyId: "a", secretAccessKey: "s" },
    trusted: false,
  });
});
afterAll(() => {
  restore();
  server.closeAllConnections();
  server.close();
});

const tooMuch = {
  options: {
    issues: [
      {
        path: ["storage_config_uid"],
        message: 'The bucket "b" could not be used: it answered with more than was asked for.',
      },
    ],
  },
};

test("a response longer than the requested range is refused", async () => {
  await expect(store.readBytes("k", 0, 1_000)).rejects.toMatchObject(tooMuch);
  expect(sent).toBeLessThan(maxBodyBytes);
});

test("a listing without an end is refused", async () => {
  await expect(store.deletePrefix("p/")).rejects.toMatchObject(tooMuch);
  expect(sent).toBeLessThan(2 * maxBodyBytes);
});

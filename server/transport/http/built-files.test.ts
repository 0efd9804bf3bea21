import fs from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepLastBuild, removeOldBuilds } from "@/scripts/last-build.mjs";
import { builtFiles } from "@/server/transport/http/built-files";

const dayMs = 86_400_000;
const files = [".next/static/chunks/page.js", "public/engine/scene.worker-1.js", "public/engine/tiles.worker-1.js"];
const folders = [".next/static", "public/engine"] as const;

let root: string;
let server: Server | undefined;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "muster-built-"));
});
afterEach(() => {
  server?.close();
  fs.rmSync(root, { recursive: true });
});

function write(file: string, text: string): void {
  fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), text);
}

/** A build whose files have its name in their names and as their content. */
function build(name: string, isComplete = true): void {
  for (const folder of folders) keepLastBuild(root, folder, isComplete);
  for (const file of files) write(file.replace(/\.js$/, `-${name}.js`), name);
}

async function start(): Promise<(address: string) => Promise<{ status: number; text: string; policy: string }>> {
  const handle = builtFiles(async (_request, response) => {
    response.statusCode = 404;
    response.end("of Next");
  }, root);
  server = createServer((incoming, response) => void handle(incoming, response));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // Not by `fetch`, which would take dots out of the path.
  return (address) =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", path: address, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("end", () => {
          const policy = String(response.headers["content-security-policy"] ?? "");
          resolve({ status: response.statusCode ?? 0, text, policy });
        });
      });
      sent.on("error", reject).end();
    });
}

const addresses = (name: string) => [
  `/_next/static/chunks/page-${name}.js`,
  `/engine/scene.worker-1-${name}.js`,
  `/engine/tiles.worker-1-${name}.js`,
];

describe("the static files of builds", () => {
  test("are those of this build and of the one before, and of no other", async () => {
    for (const name of ["oldest", "last", "present"]) build(name);
    const get = await start();
    const read = async (name: string) => (await Promise.all(addresses(name).map(get))).map(({ text }) => text);
    expect(await read("present")).toEqual(["present", "present", "present"]);
    expect(await read("last")).toEqual(["last", "last", "last"]);
    expect(await read("oldest")).toEqual(["of Next", "of Next", "of Next"]);
  });

  test("of the last build have the policies of their kind", async () => {
    build("last");
    build("present");
    const get = await start();
    const policies = async (name: string) => (await Promise.all(addresses(name).map(get))).map(({ policy }) => policy);
    expect(await policies("last")).toEqual(await policies("present"));
  });

  test("of the last build are served for a day, and then removed by the next start", async () => {
    build("last");
    build("present");
    const kept = path.join(root, "dist/last-build");
    const [address = ""] = addresses("last");
    const after = async (ms: number) => {
      for (const folder of fs.readdirSync(kept)) {
        const replaced = new Date(Date.now() - ms);
        fs.utimesSync(path.join(kept, folder), replaced, replaced);
      }
      const get = await start();
      const { status } = await get(address);
      server?.close();
      removeOldBuilds(root);
      return { status, kept: fs.readdirSync(kept).sort() };
    };
    expect(await after(dayMs - 600_000)).toEqual({ status: 200, kept: ["engine", "next-static"] });
    expect(await after(dayMs + 600_000)).toEqual({ status: 404, kept: [] });
  });

  test("of a build that did not come to its end replace nothing", async () => {
    build("last");
    build("interrupted");
    build("present", false);
    const get = await start();
    expect((await get(addresses("last")[0] ?? "")).text).toBe("last");
  });

  test.each(["/_next/static/../../secret.txt", "/_next/static/%2e%2e/%2e%2e/secret.txt", "/engine/../secret.txt"])(
    "%s leads to no file beside them",
    async (address) => {
      for (const name of ["last", "present"]) build(name);
      for (const file of ["secret.txt", "dist/secret.txt", "dist/last-build/secret.txt", "public/secret.txt"])
        write(file, "secret");
      const get = await start();
      expect((await get(address)).text).not.toContain("secret");
    },
  );
});

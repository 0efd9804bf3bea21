import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { builtFiles } from "@/server/transport/http/built-files";

/** What set-up consists of. The rest of the checkout is a small one, and Next and npm are programs of this test. */
const setUp = [
  ...[
    "bootstrap",
    "build",
    "build-note",
    "last-build",
    "native-zstd",
    "page-workers",
    "precompress",
    "staged-build",
  ].map((name) => `scripts/${name}.mjs`),
  "server/platform/commit.mjs",
  "server/platform/database/postgres-binaries.mjs",
  "server/platform/process/file-lock.mjs",
];

/** Makes pages of the text in `app`; hangs or fails when there is a file that says so. */
const next = `
const fs = require("node:fs");
const folder = process.env.MUSTER_BUILD_FOLDER;
const text = fs.readFileSync("app/page.txt", "utf8");
fs.mkdirSync(folder + "/static", { recursive: true });
fs.writeFileSync(folder + "/static/page-" + text + ".js", text);
fs.writeFileSync(folder + "/required.json", JSON.stringify({ distDir: folder }));
fs.writeFileSync(folder + "/BUILD_ID", text);
if (fs.existsSync("fail")) process.exit(1);
if (fs.existsSync("hang")) { fs.writeFileSync("hangs", ""); setInterval(() => {}, 1000); }
`;
const prisma = `
const fs = require("node:fs");
fs.mkdirSync("server/platform/database/generated", { recursive: true });
fs.writeFileSync("server/platform/database/generated/client.ts", "");
`;
/** Installs the packages that are there under another version. */
const npm = `
const fs = require("node:fs");
const path = require("node:path");
const root = path.resolve("../..");
fs.appendFileSync(root + "/installs", "x");
if (fs.existsSync(root + "/fail-npm")) process.exit(1);
fs.cpSync(root + "/node_modules", "node_modules", { recursive: true, verbatimSymlinks: true });
fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json");
`;
const lock = (version: string) => JSON.stringify({ packages: { "": {}, "node_modules/a": { version } } });

let root: string;
let server: Server;
let children: ChildProcess[];

const at = (file: string) => path.join(root, file);
const read = (file: string) => fs.readFileSync(at(file), "utf8");
function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(at(file)), { recursive: true });
  fs.writeFileSync(at(file), text);
}
function link(name: string): void {
  fs.mkdirSync(at("node_modules"), { recursive: true });
  fs.symlinkSync(path.resolve("node_modules", name), at(`node_modules/${name}`));
}

/** The text that everything built is made of. */
function edit(text: string): void {
  write("app/page.txt", text);
  for (const file of ["server/main.ts", "cli/main.ts", "components/a.worker.ts"])
    write(file, `console.log("${text}");\n`);
}

async function build(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = start(...args);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (output += String(data)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** In a group of its own, so that it can be killed with its tools, as when a machine goes down. */
function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [at("scripts/build.mjs"), ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { NODE_ENV: "production", PATH: process.env.PATH, npm_execpath: at("npm.cjs") },
  });
  children.push(child);
  return child;
}

async function startAndKill(): Promise<void> {
  write("hang", "");
  const child = start();
  const closed = once(child, "close");
  await vi.waitFor(() => expect(fs.existsSync(at("hangs"))).toBe(true), { timeout: 60_000 });
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await closed;
  for (const file of ["hang", "hangs"]) fs.rmSync(at(file));
}

/** The digests of what a running product reads. */
function listBuilt(): Record<string, string> {
  const files = ["dist", ".next", "public", "node_modules"].flatMap((folder) =>
    fs
      .readdirSync(at(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== ".lock")
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return Object.fromEntries(
    files.map((file) => [path.relative(root, file), createHash("md5").update(fs.readFileSync(file)).digest("hex")]),
  );
}

/** Serves the built files as a product does that was started now. */
async function serve(): Promise<(address: string) => Promise<string>> {
  server?.close();
  const handle = builtFiles(async (_request, response) => void response.end("none"), root);
  server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return async (address) => (await fetch(`http://127.0.0.1:${port}${address}`)).text();
}

beforeEach(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "muster-build-"));
  children = [];
  for (const file of setUp) write(file, fs.readFileSync(file, "utf8"));
  for (const name of ["esbuild", "rolldown"]) link(name);
  write("npm.cjs", npm);
  write("node_modules/next/package.json", "{}");
  write("node_modules/next/dist/bin/next", next);
  write("node_modules/prisma/build/index.js", prisma);
  write("node_modules/.package-lock.json", lock("1.0.0"));
  write("package-lock.json", lock("1.0.0"));
  write("package.json", JSON.stringify({ version: "1.2.3" }));
  write("tsconfig.json", "{}");
  write("prisma/schema/a.prisma", "");
  edit("first");
  expect(await build()).toMatchObject({ code: 0 });
});
afterEach(() => {
  server?.close();
  for (const { pid, exitCode, signalCode } of children)
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
  fs.rmSync(root, { recursive: true });
});

const readThread = (): string => (JSON.parse(read("public/engine/workers.json")) as { a: string }).a;

test("a build that fails or is killed leaves what runs alone", async () => {
  const before = listBuilt();
  const thread = readThread();
  const get = await serve();
  const expectUnchanged = async () => {
    expect(listBuilt()).toEqual(before);
    expect(await get("/_next/static/page-first.js")).toBe("first");
    expect(await get(thread)).toContain("first");
  };
  await expectUnchanged();

  edit("second");
  await startAndKill();
  await expectUnchanged();
  write("fail", "");
  expect(await build()).toMatchObject({ code: 1, output: expect.stringContaining("Set-up failed") as string });
  await expectUnchanged();
});

test("a build that ends replaces what was built, and keeps its static files for pages that are open", async () => {
  const thread = readThread();
  edit("second");
  await startAndKill(); // leaves remains, which are not in the way
  expect(await build()).toMatchObject({ code: 0, output: expect.stringContaining("Muster 1.2.3 is built") as string });
  const get = await serve();
  expect(read("dist/main.mjs")).toContain("second");
  expect(read(".next/required.json")).toBe('{"distDir":".next"}');
  for (const [address, text] of [
    ["/_next/static/page-second.js", "second"],
    ["/_next/static/page-first.js", "first"],
    [readThread(), "second"],
    [thread, "first"],
  ] as const)
    expect(await get(address)).toContain(text);
});

test("a build beside another checkout serves what pages of that one have open", async () => {
  const other = `${root}-other`;
  fs.cpSync(root, other, { recursive: true, verbatimSymlinks: true });
  try {
    const thread = readThread();
    edit("second");
    fs.rmSync(at(".next"), { recursive: true });
    fs.rmSync(at("public"), { recursive: true });
    expect(await build("--after", other)).toMatchObject({ code: 0 });
    const get = await serve();
    expect(await get("/_next/static/page-second.js")).toBe("second");
    expect(await get("/_next/static/page-first.js")).toBe("first");
    expect(await get(thread)).toContain("first");
  } finally {
    fs.rmSync(other, { recursive: true });
  }
});

test("nothing is made again for what is built, and what was made before a kill is used", async () => {
  const built = listBuilt();
  expect((await build()).output).not.toContain("Setting up");
  edit("second");
  await startAndKill();
  const { output } = await build();
  expect(output).toContain("Setting up: pages");
  expect(output).not.toContain("Setting up: threads of pages");
  edit("first");
  await build();
  const same = (file: string) => !file.startsWith("dist/last-build/");
  const now = Object.fromEntries(Object.entries(listBuilt()).filter(([file]) => same(file)));
  expect(now).toEqual(built);
});

test("packages are replaced with the build that needs them, and put back when it fails", async () => {
  const before = listBuilt();
  write("package-lock.json", lock("2.0.0"));
  write("fail-npm", "");
  expect(await build()).toMatchObject({ code: 1 });
  expect(listBuilt()).toEqual(before);

  fs.rmSync(at("fail-npm"));
  write("fail", "");
  expect(await build()).toMatchObject({ code: 1 });
  expect(listBuilt()).toEqual(before);

  fs.rmSync(at("fail"));
  expect(await build()).toMatchObject({ code: 0 });
  expect(read("node_modules/.package-lock.json")).toBe(lock("2.0.0"));
  expect(read("installs")).toBe("xx"); // not again for the last build
  expect(fs.readdirSync(at(".build"))).toEqual([]);
});

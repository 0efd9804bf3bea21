import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import {
  parseSplit,
  runExportCreate,
  runExportDownload,
  runExportList,
  type CreateOptions,
} from "@/cli/exports/command";
import * as exportJobs from "@/server/features/exports/jobs";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { annotatedPictures, box } from "@/server/testing/annotated-pictures";
import { startBreakingProxy } from "@/server/testing/breaking-proxy";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { makeOrganization, unique } from "@/server/testing/factories";
import { startLoopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

const org = await makeOrganization();
const server = await startLoopback();
afterAll(() => server.close());

let folder: string;
let lines: string[];
let screen: TransferScreen & { shown: string[] };

beforeEach(() => {
  folder = path.join(env.DATA_DIR, unique("exports"));
  fs.mkdirSync(folder, { recursive: true });
  lines = [];
  screen = {
    shown: [],
    line: (text) => {
      lines.push(text);
      // What the worker does meanwhile.
      if (text.endsWith("is requested.")) void runJobs([exportJobs.start, exportJobs.run]);
    },
    begin(total, _done, show = String) {
      this.shown.push(show(total));
    },
    progress: () => {},
    end: () => {},
  };
});
afterEach(() => vi.restoreAllMocks());

const options = (change: Partial<CreateOptions> = {}): CreateOptions => ({
  url: server.url,
  key: org.key,
  dataset: [],
  slice: [],
  project: [],
  format: "avala-json-external",
  cwd: folder,
  ...change,
});
/** Links name the public address of the installation: that of the server here, or of a proxy before it. */
const create = (change: Partial<CreateOptions>) => {
  const given = options(change);
  return underSettings({ PUBLIC_URL: given.url }, () => runExportCreate(given, screen));
};
const download = (uid: string, change: { url?: string; output: string; force?: boolean }) => {
  const given = { ...options(), ...change };
  return underSettings({ PUBLIC_URL: given.url }, () => runExportDownload(uid, given, screen));
};

describe("exporting from the command line", () => {
  test("names the sources, waits with progress, and downloads the file", async () => {
    const { project, dataset } = await annotatedPictures(org, [box]);
    await request("POST", "/slices/", { key: org.key, body: { name: unique("slice"), dataset: dataset.uid } });
    const file = await create({ project: [project.name], output: "out.json", results: "submitted" });
    expect(file).toBe(path.join(folder, "out.json"));
    const document = JSON.parse(fs.readFileSync(file, "utf8")) as { export_info: { name: string } };
    expect(document.export_info.name).toBe(project.name);
    expect(screen.shown[0]).toBe("3 items");
    expect(fs.readdirSync(folder)).toEqual(["out.json"]);
  });

  test("passes on what the API takes, and says what it refuses", async () => {
    const { name, uid, owner_name: owner, slug } = await pictures(org, 1);
    const sliceName = unique("slice");
    await request("POST", "/slices/", { key: org.key, body: { name: sliceName, dataset: uid } });
    const given = { name: "Mine", format: "YOLO", results: "accepted", split: "0.5, 0.5", background: true };
    const made = await create({ ...given, dataset: [`${owner}/${slug}`], slice: [sliceName], filter: "key = 0*" });
    expect((await request("GET", `/exports/${made}/`, { key: org.key })).body).toMatchObject({
      name: "Mine",
      format: "YOLO",
      results: "accepted",
      background: true,
      split: { train: 0.5, val: 0.5, test: 0 },
      filter_query_string: "key = 0*",
      datasets: [uid],
      slices: [expect.any(String)],
    });
    await expect(create({ dataset: [name], format: "none" })).rejects.toThrow("Creating the export: format: ");
    await expect(create({ dataset: [name], filter: "key ==" })).rejects.toThrow("filter_query_string: ");
    await expect(create({ project: ["none"] })).rejects.toThrow('There is no project "none"');
    await expect(create({})).rejects.toThrow("Say what to export");
    expect(() => parseSplit("0.5,half")).toThrow("--split takes the shares");
  });

  test("fails with the reason of an export that fails", async () => {
    const { uid } = await makeDataset(org);
    await expect(create({ dataset: [uid], wait: true })).rejects.toThrow(/^The export failed: [A-Z]/);
    const failed = await prisma.export.findFirstOrThrow({ where: { name: uid } });
    await expect(download(failed.uid, { output: "x.json" })).rejects.toThrow(/^The export is failed: [A-Z]/);
    await expect(download("none", { output: "x.json" })).rejects.toThrow("Reading the export: ");
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test("resumes a download that broke, and replaces no other file unasked", async () => {
    const { uid: dataset } = await pictures(org, 40);
    const made = await create({ dataset: [dataset], wait: true });
    const whole = fs.readFileSync(await download(made, { output: "whole.json" }));
    const proxy = await startBreakingProxy(server.url, [whole.length / 2]);
    try {
      const name = await download(made, { url: proxy.url, output: "broken.json" });
      expect([proxy.broken(), fs.readFileSync(name).equals(whole)]).toEqual([1, true]);
    } finally {
      proxy.close();
    }
    lines = [];
    await download(made, { output: "whole.json" });
    expect(lines).toEqual([`${path.join(folder, "whole.json")} is there already.`]);
    fs.writeFileSync(path.join(folder, "whole.json"), "mine");
    await expect(download(made, { output: "whole.json" })).rejects.toThrow("Overwrite it with --force");
    await download(made, { output: "whole.json", force: true });
    expect(fs.readFileSync(path.join(folder, "whole.json")).equals(whole)).toBe(true);
    await expect(download(made, { output: "." })).rejects.toThrow("is a folder. Name a file.");
  });

  test("refuses a file whose bytes are not those that were exported", async () => {
    const { uid: dataset } = await pictures(org, 1);
    const made = await create({ dataset: [dataset], wait: true });
    await prisma.export.update({ where: { uid: made }, data: { sha256: "0".repeat(64) } });
    await expect(download(made, { output: "x.json" })).rejects.toThrow("its SHA-256 is another");
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test("lists exports with their states", async () => {
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
    const { uid: dataset } = await pictures(org, 1);
    const name = unique("listed");
    const made = await create({ dataset: [dataset], name, wait: true });
    await runExportList({ url: server.url, key: org.key, search: name, limit: "5" });
    expect(printed.map((line) => line.split(/ {2,}/))).toEqual([
      ["uid", "status", "format", "items", "size", "created", "name"],
      [made, "exported", "avala-json-external", "1 of 1", expect.stringMatching(/B$/), expect.any(String), name],
    ]);
  });
});

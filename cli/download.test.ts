import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runDownload, type DownloadPlan } from "@/cli/client/download-run";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import { env } from "@/server/platform/env";
import { startBreakingProxy } from "@/server/testing/breaking-proxy";
import { unique } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { underSettings } from "@/server/testing/settings";
import { openUploadSite } from "@/server/testing/uploads";

const { org, deviceId, server } = await openUploadSite();
afterAll(() => server.close());

let folder: string;
let lines: string[];
let screen: TransferScreen & { done: number; total: number };
let one: string;
let several: string;
const files = [randomBytes(2_000_000), randomBytes(400)];

beforeAll(async () => {
  const first = await jsonRecording({ "/temp": temperatures([1, 2, 3, 4]) });
  // What follows the end of the file is no recording, but downloaded with it.
  files[0] = Buffer.concat([first, files[0]!]);
  one = await processedRecording(org, deviceId, [first], { name: "Short" });
  several = await processedRecording(org, deviceId, files);
});

beforeEach(() => {
  folder = path.join(env.DATA_DIR, unique("download"));
  fs.mkdirSync(folder, { recursive: true });
  lines = [];
  screen = {
    done: 0,
    total: 0,
    line: (text) => void lines.push(text),
    begin(total) {
      this.total = total;
    },
    progress(bytes) {
      this.done = bytes;
    },
    end: () => {},
  };
});

const plan = (recording: string, change: Partial<DownloadPlan> = {}): DownloadPlan => ({
  origin: server.url,
  credential: { header: "x-service-api-key", secret: org.key },
  recording,
  from: undefined,
  to: undefined,
  topics: undefined,
  format: undefined,
  output: undefined,
  folder,
  force: false,
  backoffMs: 5,
  ...change,
});

/** Links name the public address of the installation: that of the server here, or of a proxy before it. */
const run = (of: DownloadPlan) => underSettings({ PUBLIC_URL: of.origin }, () => runDownload(of, screen));

describe("downloading from the command line", () => {
  test("the files of a recording are what was uploaded; those that are there are not downloaded again", async () => {
    const written = await run(plan(several));
    expect(written).toEqual([path.join(folder, several, "file-0.mcap"), path.join(folder, several, "file-1.mcap")]);
    for (const [at, name] of written.entries()) expect(fs.readFileSync(name).equals(files[at]!)).toBe(true);
    expect([screen.done, screen.total]).toEqual([files[0]!.length + 400, files[0]!.length + 400]);
    fs.rmSync(written[1]!);
    expect(await run(plan(several))).toEqual(written);
    expect([screen.total, lines]).toEqual([400, [`${written[0]} is there already.`]]);
  });

  test("a download resumes where the connection broke, and no byte is lost", async () => {
    const proxy = await startBreakingProxy(server.url, [10_000, 700_000, 600_000]);
    try {
      const [name] = await run(plan(several, { origin: proxy.url }));
      expect(proxy.broken()).toBe(3);
      expect(fs.readFileSync(name!).equals(files[0]!)).toBe(true);
      expect(fs.readdirSync(path.dirname(name!)).sort()).toEqual(["file-0.mcap", "file-1.mcap"]);
    } finally {
      proxy.close();
    }
  });

  test("a range is saved under the name of the recording, or the one given", async () => {
    const from = String(epoch + 1_000_000_000n);
    const [mcap] = await run(plan(one, { from }));
    expect(path.basename(mcap!)).toMatch(/^Short 2025-10-09T.*Z\.mcap$/);
    expect(fs.readFileSync(mcap!).subarray(0, 5).toString("latin1")).toBe("\x89MCAP");
    const [csv] = await run(plan(one, { from, topics: ["/temp"], format: "csv", output: "temp.csv" }));
    expect(fs.readFileSync(csv!, "utf8").split("\r\n")).toHaveLength(5);
    expect(fs.readdirSync(folder).sort()).toEqual([path.basename(mcap!), "temp.csv"].sort());
  });

  test("a file that is there is only replaced when that is asked for", async () => {
    const output = path.join(folder, "mine.csv");
    fs.writeFileSync(output, "mine");
    const wanted = { format: "csv", output: "mine.csv" };
    await expect(run(plan(one, wanted))).rejects.toThrow(`${output} exists. Overwrite it with --force`);
    expect(fs.readFileSync(output, "utf8")).toBe("mine");
    await run(plan(one, { ...wanted, force: true }));
    expect(fs.readFileSync(output, "utf8")).toContain("log_time_ns");
  });

  test("what cannot be had is said", async () => {
    await expect(run(plan("rec_x"))).rejects.toThrow("Listing the files: Not found.");
    await expect(run(plan(one, { topics: ["/none"] }))).rejects.toThrow(
      'Cutting the recording: topics: "/none" is not a topic of this recording.',
    );
    const credential = { header: "x-service-api-key", secret: "svk_none" } as const;
    await expect(run(plan(one, { credential }))).rejects.toThrow("Listing the files: Invalid API key.");
  });
});

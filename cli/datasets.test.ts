import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import { runDatasetUpload, type DatasetUploadPlan } from "@/cli/dataset-upload-run";
import { runDatasetList, summarize } from "@/cli/datasets";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { makeDataset, picture, readItems } from "@/server/testing/datasets";
import { makeOrganization, unique } from "@/server/testing/factories";
import { startLoopback } from "@/server/testing/loopback";

const org = await makeOrganization();
const server = await startLoopback();
afterAll(() => server.close());

let folder: string;
let lines: string[];
let screen: TransferScreen & { done: number; total: number };

beforeEach(() => {
  folder = path.join(env.DATA_DIR, unique("folder"));
  fs.mkdirSync(folder, { recursive: true });
  lines = [];
  screen = {
    done: 0,
    total: 0,
    line: (text) => {
      lines.push(text);
      // What the worker does meanwhile.
      if (text === "Reading the files …") void readItems();
    },
    begin(total) {
      this.total = total;
    },
    progress(bytes) {
      this.done = bytes;
    },
    end: () => {},
  };
});
afterEach(() => vi.restoreAllMocks());

function file(name: string, bytes: Uint8Array): void {
  const location = path.join(folder, name);
  fs.mkdirSync(path.dirname(location), { recursive: true });
  fs.writeFileSync(location, bytes);
}
/** Pictures of different widths, so that each is another file. */
async function files(...names: string[]): Promise<void> {
  for (const [at, name] of names.entries()) file(name, await picture(10 + at, 20));
}
const plan = (change: Partial<DatasetUploadPlan> = {}): DatasetUploadPlan => ({
  url: server.url,
  key: org.key,
  folder,
  dataset: path.basename(folder),
  create: true,
  wait: true,
  stateFolder: path.join(env.DATA_DIR, `${path.basename(folder)}-state`),
  backoffMs: 5,
  pollMs: 10,
  ...change,
});
const listItems = (datasetId: string) => prisma.item.findMany({ where: { datasetId }, orderBy: { key: "asc" } });
const listKeys = async (datasetId: string) => (await listItems(datasetId)).map(({ key }) => key);
const countSessions = (datasetId: string) => prisma.uploadSession.count({ where: { datasetId } });

describe("uploading a folder to a dataset", () => {
  test("makes the dataset, and an item of each file, with its metadata", async () => {
    await files("b.png", "front/1.png", "front/deep/2.png");
    file(".DS_Store", Buffer.from("x"));
    file(".git/a.png", await picture());
    const metadata = [
      { key: "front/1.png", metadata: { weather: "rain", camera: { name: "links" } } },
      { key: "gone.png", metadata: { weather: "sun" } },
    ];
    file("items.jsonl", Buffer.from(`${metadata.map((line) => JSON.stringify(line)).join("\r\n")}\n\n`));
    const result = await runDatasetUpload(plan({ metadata: path.join(folder, "items.jsonl"), type: "image" }), screen);
    expect(result).toEqual({ dataset: expect.any(String), uploaded: 3, present: 0, refused: 0 });
    expect((await listItems(result.dataset)).map(({ key, metadata: held }) => [key, held])).toEqual([
      ["b.png", expect.objectContaining({ width: 10, format: "png" })],
      ["front/1.png", expect.objectContaining({ width: 11, weather: "rain", camera: { name: "links" } })],
      ["front/deep/2.png", expect.not.objectContaining({ weather: "rain" })],
    ]);
    expect(lines).toEqual([
      `1 of 2 lines of ${path.join(folder, "items.jsonl")} name no file below ${folder}.`,
      `Created the dataset ${path.basename(folder)}.`,
      "Reading the files …",
    ]);
    expect([screen.done, screen.total]).toEqual([screen.total, screen.total]);
    expect(fs.readdirSync(plan().stateFolder ?? "")).toEqual([]);
  });

  test("sends what is missing when it is run again, whatever the names are", async () => {
    await files('a "quoted".png', "b*.png", "back\\slash.png", "ü/日本.png");
    const { dataset } = await runDatasetUpload(plan(), screen);
    await files("bb.png", "c.png");
    expect(await runDatasetUpload(plan({ create: false }), screen)).toEqual({
      dataset,
      uploaded: 2,
      present: 4,
      refused: 0,
    });
    expect(await runDatasetUpload(plan({ dataset }), screen)).toMatchObject({ uploaded: 0, present: 6 });
    expect([await countSessions(dataset), (await listKeys(dataset)).length]).toEqual([2, 6]);
  });

  test("goes on in the session where it was interrupted, and sends no file twice", async () => {
    await files("1.png", "2.png", "3.png", "4.png", "5.png");
    const stop = new Error("killed");
    const bytes = (...names: string[]) =>
      names.reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
    const third = bytes("1.png", "2.png", "3.png");
    const interrupted: TransferScreen = {
      ...screen,
      progress(done) {
        if (done >= third) throw stop;
      },
    };
    await expect(runDatasetUpload(plan({ filesPerSession: 2 }), interrupted)).rejects.toBe(stop);
    const result = await runDatasetUpload(plan({ filesPerSession: 2 }), screen);
    expect(result).toMatchObject({ uploaded: 3, present: 2, refused: 0 });
    expect(lines).toContain("Going on with the interrupted upload.");
    expect([await countSessions(result.dataset), (await listKeys(result.dataset)).length]).toEqual([3, 5]);
    expect(await prisma.storedFile.count({ where: { session: { datasetId: result.dataset } } })).toBe(5);
  });

  test("begins a session again whose files changed since the interruption", async () => {
    await files("1.png", "2.png");
    const interrupted: TransferScreen = {
      ...screen,
      progress() {
        throw new Error("killed");
      },
    };
    await expect(runDatasetUpload(plan(), interrupted)).rejects.toThrow("killed");
    file("2.png", await picture(99, 99));
    const { dataset, uploaded } = await runDatasetUpload(plan(), screen);
    expect(lines[1]).toMatch(/^Files of the interrupted upload changed/);
    expect([uploaded, await listKeys(dataset)]).toEqual([2, ["1.png", "2.png"]]);
    expect((await listItems(dataset)).at(-1)?.metadata).toMatchObject({ width: 99 });
  });

  test("names what was refused and why, and goes on with the others", async () => {
    await files("a.png", "b.png");
    const { dataset } = await runDatasetUpload(plan(), screen);
    file("b.png", await picture(500, 500));
    file("c\u202e.png", await picture());
    file("notes.txt", Buffer.from("no picture"));
    await files("z.png");
    fs.symlinkSync(folder, path.join(folder, "loop"));
    fs.symlinkSync(path.join(folder, "missing"), path.join(folder, "dangling"));
    lines = [];
    const result = await runDatasetUpload(plan({ filesPerSession: 2 }), screen);
    expect(result).toEqual({ dataset, uploaded: 2, present: 1, refused: 5 });
    expect(await listKeys(dataset)).toEqual(["a.png", "b.png", "z.png"]);
    expect(lines.filter((line) => line.startsWith("Refused "))).toEqual([
      expect.stringMatching(/^Refused c.\.png: Must not have control characters/),
      "Refused dangling: It cannot be read.",
      "Refused loop: Links to folders are not followed.",
      "Refused b.png: The dataset has another file of this name.",
      expect.stringMatching(/^Refused notes\.txt: ./),
    ]);
    expect(summarize(result)).toBe(
      "Uploaded 2 files; 1 file was in the dataset already; 5 files are no items, named above.",
    );
  });

  test("sends nothing when the command cannot be carried out", async () => {
    await expect(runDatasetUpload(plan(), screen)).rejects.toThrow("has no files that could be uploaded");
    await expect(runDatasetUpload(plan({ folder: `${folder}/none` }), screen)).rejects.toThrow("is not a folder");
    await files("a.png");
    await expect(runDatasetUpload(plan({ create: false }), screen)).rejects.toThrow("--create makes it");
    await expect(runDatasetUpload(plan({ key: "svk_none" }), screen)).rejects.toThrow("Invalid API key.");
    const name = unique("twice");
    await makeDataset(org, { name });
    await makeDataset(org, { name });
    await expect(runDatasetUpload(plan({ dataset: name }), screen)).rejects.toThrow(`2 datasets are named ${name}.`);
    const metadata = path.join(folder, "items.jsonl");
    for (const [text, message] of [
      ['{"key": "a.png"', "line 1 is not JSON"],
      ['{"key": "a.png", "metadata": {"width": 3}}', '"width" is read from the file'],
      ['\n{"key": "a.png", "metadata": {}}\n{"key": "a.png", "metadata": {}}', "line 3: .* in a line above"],
    ] as const) {
      fs.writeFileSync(metadata, text);
      await expect(runDatasetUpload(plan({ metadata }), screen)).rejects.toThrow(new RegExp(message));
    }
  });
});

describe("the list of datasets", () => {
  test("has the uid and address of each", async () => {
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
    const name = unique("listed");
    const { uid, owner_name: owner, slug } = await makeDataset(org, { name });
    await runDatasetList({ url: server.url, key: org.key, search: name });
    expect(printed.map((line) => line.split(/ {2,}/))).toEqual([
      ["uid", "address", "type", "items", "size", "name"],
      [uid, `${owner}/${slug}`, "image", "0", "0 B", name],
    ]);
  });
});

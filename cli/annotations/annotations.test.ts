import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { runExportAnnotations } from "@/cli/annotations/command";
import { parseLabels, runImportAnnotations, type ImportOptions } from "@/cli/annotations/import-run";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import * as exportJobs from "@/server/features/exports/jobs";
import * as importJobs from "@/server/features/imports/jobs";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { makeOrganization, unique } from "@/server/testing/factories";
import { cocoDocument, makeImportProject } from "@/server/testing/imports";
import { startLoopback } from "@/server/testing/loopback";
import { processDuring } from "@/server/testing/processing";
import { underSettings } from "@/server/testing/settings";

const org = await makeOrganization();
const server = await startLoopback();
afterAll(() => server.close());

let folder: string;
let lines: string[];
const screen: TransferScreen = {
  line: (text) => void lines.push(text),
  begin: () => {},
  progress: () => {},
  end: () => {},
};
beforeEach(() => {
  folder = path.join(env.DATA_DIR, unique("annotations"));
  fs.mkdirSync(folder, { recursive: true });
  lines = [];
});

const connection = () => ({ url: server.url, key: org.key, cwd: folder });
const handlers = [importJobs.check, importJobs.run, exportJobs.start, exportJobs.run];
const importFile = (project: string, change: Partial<ImportOptions> = {}) => {
  const options = { ...connection(), mode: "accepted", label: [], format: "COCO", ...change };
  return underSettings({ PUBLIC_URL: server.url }, () =>
    processDuring(runImportAnnotations(project, "instances.json", options, screen, 20), handlers),
  );
};
const write = (text: string) => fs.writeFileSync(path.join(folder, "instances.json"), text);

describe("annotations of a file", () => {
  test("are imported from the command line, with labels that are made and a report of what was left out", async () => {
    const project = await makeImportProject(org, ["1.png", "2.png"]);
    write(cocoDocument(["1.png", "9.png"], { boxes: 2, categories: ["car", "tree"] }));
    await expect(importFile(project.uid)).rejects.toThrow(/The project has no label tree.*--make-labels/);
    expect(await prisma.annotationImport.findFirstOrThrow({ where: { projectId: project.uid } })).toMatchObject({
      status: "stopped",
    });
    const uid = await importFile(project.uid, { makeLabels: true, report: "left.csv" });
    expect(await prisma.annotationImport.findUniqueOrThrow({ where: { uid } })).toMatchObject({
      status: "done",
      mode: "accepted",
      done: 1,
    });
    expect(lines).toContain("COCO: 4 annotations, 1 of 2 pictures matched.");
    expect(lines).toContain("  without an item: 9.png");
    expect(lines.at(-1)).toBe(
      "2 annotations of 1 pictures are in the project now, 0 pictures had nothing new, 2 annotations and 1 pictures were left out.",
    );
    expect(fs.readFileSync(path.join(folder, "left.csv"), "utf8")).toMatch(
      /^picture,annotation,reason\r\n9\.png,,"No item of the project has this name/,
    );
  });

  test("are only looked at where that is asked for", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    write(cocoDocument(["1.png", "1.png"]));
    const uid = await importFile(project.uid, { check: true });
    expect(lines).toEqual([
      "COCO: 2 annotations, 2 of 2 pictures matched.",
      "Pictures whose item one before names: 1. Only the first of each item is taken.",
    ]);
    expect(await prisma.annotationImport.findUniqueOrThrow({ where: { uid } })).toMatchObject({ status: "stopped" });
    expect(await prisma.result.count({ where: { projectId: project.uid } })).toBe(0);
  });

  test("are exported by the name of their project or the uid of a dataset, and a name that nothing has is said", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    write(cocoDocument(["1.png"]));
    await importFile(project.uid, { wait: true });
    const { name } = await prisma.project.findUniqueOrThrow({ where: { uid: project.uid } });
    const options = { ...connection(), format: "COCO", output: "out.json" };
    const get = (of: string) =>
      underSettings({ PUBLIC_URL: server.url }, () =>
        processDuring(runExportAnnotations(of, options, screen), handlers),
      );
    const document = JSON.parse(fs.readFileSync(await get(name), "utf8")) as { annotations: unknown[] };
    expect(document.annotations).toHaveLength(1);
    fs.rmSync(path.join(folder, "out.json"));
    expect(JSON.parse(fs.readFileSync(await get(project.dataset), "utf8"))).toMatchObject({ annotations: [{}] });
    await expect(get("nothing of this name")).rejects.toThrow("There is no project or dataset");
  });

  test("take labels as pairs", () => {
    expect(parseLabels(["person=pedestrian", "tree="])).toEqual({ person: "pedestrian", tree: null });
    expect(() => parseLabels(["person"])).toThrow("such as person=pedestrian");
  });
});

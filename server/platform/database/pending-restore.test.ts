import fs from "node:fs";
import path from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { withConnection } from "@/server/platform/database/connection";
import { finishRestore, makeStaging, notePending } from "@/server/platform/database/pending-restore";
import { backupLock } from "@/server/platform/storage/backup-lease";
import { scratchDatabase, testFolder } from "@/server/testing/database";

/** A folder of data with one old file, and a committed restore whose new file is staged. */
async function restoreBeforeSwitch() {
  const url = await scratchDatabase(inject("testRun"));
  const dataDir = fs.mkdtempSync(path.join(testFolder, "pending-"));
  onTestFinished(() => fs.rmSync(dataDir, { recursive: true }));
  const staging = await makeStaging(dataDir);
  fs.writeFileSync(path.join(dataDir, "files", "old"), "before");
  fs.writeFileSync(path.join(staging.files, "new"), "restored");
  await withConnection({ connectionString: url }, (client) => notePending(client, staging.id));
  return { url, dataDir, staging };
}

test("the files of a committed restore replace those of its folder at the next start, once", async () => {
  const { url, dataDir } = await restoreBeforeSwitch();
  for (let start = 0; start < 2; start++) {
    await finishRestore(url, dataDir);
    expect(fs.readdirSync(path.join(dataDir, "files"))).toEqual(["new"]);
  }
  expect(fs.readFileSync(path.join(dataDir, "files", "new"), "utf8")).toBe("restored");
});

test("a start goes on while a backup holds its lock", async () => {
  const { url, dataDir } = await restoreBeforeSwitch();
  await withConnection({ connectionString: url }, async (backup) => {
    await backup.query("select pg_advisory_lock($1)", [backupLock]);
    await finishRestore(url, dataDir);
  });
  expect(fs.readdirSync(path.join(dataDir, "files"))).toEqual(["new"]);
});

test("a start with another folder is refused, and changes nothing", async () => {
  const { url, dataDir, staging } = await restoreBeforeSwitch();
  const other = fs.mkdtempSync(path.join(testFolder, "pending-"));
  onTestFinished(() => fs.rmSync(other, { recursive: true }));
  await expect(finishRestore(url, other)).rejects.toThrow("DATA_DIR");
  expect(fs.readdirSync(other)).toEqual([]);
  expect(fs.readdirSync(path.join(dataDir, "files")).sort()).toEqual([path.basename(staging.folder), "old"]);
});

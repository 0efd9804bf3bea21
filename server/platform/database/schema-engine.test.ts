import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { readMigrations } from "@/server/platform/database/migration-files";
import { schemaDifference } from "@/server/platform/database/schema-engine";
import { scratchDatabase } from "@/server/testing/database";

const schema = path.resolve("prisma/schema");
const difference = async (folder: string) =>
  schemaDifference(await scratchDatabase(inject("testRun")), readMigrations(), folder);

describe("prisma/schema", () => {
  it("describes the database that the migrations create", async () => {
    expect(await difference(schema)).toBe("");
  });

  it("with a new table yields the SQL of a migration", async () => {
    const copy = fs.mkdtempSync(path.join(os.tmpdir(), "muster-schema-"));
    fs.cpSync(schema, copy, { recursive: true });
    fs.writeFileSync(path.join(copy, "trial.prisma"), "model Trial {\n  id String @id\n}\n");
    expect(await difference(copy)).toContain('CREATE TABLE "Trial"');
    fs.rmSync(copy, { recursive: true });
  });
});

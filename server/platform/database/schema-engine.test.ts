import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { readMigrations } from "@/server/platform/database/migration-files";
import { schemaDifference } from "@/server/platform/database/schema-engine";
import { queryRows, text } from "@/server/platform/rows";
import { onServer, scratchDatabase } from "@/server/testing/database";

const schema = path.resolve("prisma/schema");
const difference = async (folder: string) =>
  schemaDifference(await scratchDatabase(inject("testRun")), readMigrations(), folder);

describe("prisma/schema", () => {
  it("describes the database that the migrations create", async () => {
    expect(await difference(schema)).toBe("");
  });

  it("is not described where a part, or an index of a part, is missing", async () => {
    const lacking = async (sql: string) => {
      const url = await scratchDatabase(inject("testRun"));
      return schemaDifference(url, [...readMigrations(), { name: "9999_lacking", checksum: "", sql }], schema);
    };
    const [day] = await onServer(inject("testRun").adminUrl, (client) =>
      queryRows(client, { day: text }, "select to_char(now() at time zone 'UTC', 'YYYYMMDD') as day"),
    );
    expect(await lacking(`drop table metric_points_${day?.day}`)).toBe(
      "-- 1 parts from 8 days ago to 13 days from now are missing",
    );
    const index = "create index by_list on only metric_points (list)";
    expect(await lacking(index)).toContain(`-- the index by_list is not on the part metric_points_${day?.day}\n`);
    expect(await lacking("create table undivided (id int primary key) partition by range (id)")).toContain(
      "-- undivided has no parts",
    );
  }, 60_000);

  it("with a new table yields the SQL of a migration", async () => {
    const copy = fs.mkdtempSync(path.join(os.tmpdir(), "muster-schema-"));
    fs.cpSync(schema, copy, { recursive: true });
    fs.writeFileSync(path.join(copy, "trial.prisma"), "model Trial {\n  id String @id\n}\n");
    expect(await difference(copy)).toContain('CREATE TABLE "Trial"');
    fs.rmSync(copy, { recursive: true });
  });
});

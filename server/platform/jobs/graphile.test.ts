import { beforeAll, describe, expect, inject, test } from "vitest";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { checkQueuePackage } from "@/server/platform/jobs/graphile";
import { logFor } from "@/server/platform/log";
import { onServer, scratchDatabase } from "@/server/testing/database";

describe("the version of the job queue", () => {
  let url: string;
  beforeAll(async () => {
    url = await scratchDatabase(inject("testRun"));
  });

  test("that is installed is the supported one, and any other is refused by name", () => {
    expect(() => checkQueuePackage()).not.toThrow();
    expect(() => checkQueuePackage("0.18.0")).toThrow("and 0.18.0 is installed");
  });

  test("in a database is the supported one, or migrating it fails", async () => {
    const log = logFor("test");
    await migrateDatabase(url, log, []);
    await onServer(url, (client) => client.query("insert into graphile_worker.migrations (id) values (1000)"));
    await expect(migrateDatabase(url, log, [])).rejects.toThrow("of another version (migration 1000)");
  });
});

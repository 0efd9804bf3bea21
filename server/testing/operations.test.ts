import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { registry } from "@/server/composition/rest-registry";
import { appRouter } from "@/server/composition/trpc-root";
import { selectOperations } from "@/server/testing/operations";

/** What the tables over all operations run over. */

const names = Object.keys(appRouter._def.procedures);

describe("the tables run over", () => {
  test("every operation and procedure, unless folders are named", async () => {
    const { operations, procedures } = await selectOperations(undefined);
    expect(operations).toEqual(registry);
    expect(procedures).toEqual(names);
    expect(names.length).toBeGreaterThan(5);
  });

  test("those that the named folders declare", async () => {
    const { operations, procedures } = await selectOperations(["server/features/silences", "server/read-models/fleet"]);
    const ofSilences = registry.filter(({ id }) => id.startsWith("silences."));
    expect(ofSilences.length).toBeGreaterThan(3);
    expect(operations.filter(({ id }) => id.startsWith("silences."))).toEqual(ofSilences);
    expect(operations.map(({ path }) => path)).toContain("/fleet/health/");
    expect(operations.length).toBeLessThan(20);
    expect(procedures).toEqual(names.filter((name) => name.startsWith("silences.")));
  });

  test.each(["server/features/nothing", "server/features/retention", "", "silences"])(
    "nothing, with an error, when %j is named, which declares no operation",
    async (part) => {
      await expect(selectOperations(["server/features/silences", part])).rejects.toThrow(
        `TEST_PARTS names ${part}, which declares no operation`,
      );
    },
  );

  test("everything when every folder with declarations is named, but for the Model Context Protocol", async () => {
    const parts = fs
      .readdirSync("server", { recursive: true, encoding: "utf8" })
      .filter((file) => /^(features|read-models|demo)\/(.*[/-])?(rest|trpc)\.ts$/.test(file))
      .map((file) => `server/${path.posix.dirname(file)}`);
    const { operations, procedures } = await selectOperations(parts);
    expect(registry.filter((endpoint) => !operations.includes(endpoint)).map(({ id }) => id)).toEqual(["mcp.message"]);
    expect(procedures).toEqual(names);
  });
});

import { expect, test } from "vitest";
import { prepareDatabase } from "@/server/platform/process/supervise";
import { underSettings } from "@/server/testing/settings";

test("hosts that share a bucket and no folder do not start without the secret that they must share", async () => {
  const changes = { STORAGE: { bucket: "files", prefix: null }, AUTH_SECRET: undefined };
  await underSettings(changes, async () => {
    await expect(prepareDatabase()).rejects.toThrow("set AUTH_SECRET to the same value on all");
  });
});

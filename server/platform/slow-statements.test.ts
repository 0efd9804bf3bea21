import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bundleProgram, killNow, type LogLine, startProgram } from "@/server/testing/child-program";

describe("slow statements", () => {
  let program: Awaited<ReturnType<typeof bundleProgram>>;
  beforeAll(async () => {
    program = await bundleProgram("slow-statements");
  });
  afterAll(() => program.remove());

  test("are logged with their text, without their values, under the id of their request, at most 20 a minute", async () => {
    const logged: LogLine[] = [];
    const settings = { LOG_LEVEL: "info", SLOW_STATEMENT_MS: "10" };
    const [child] = await startProgram(program.file, settings, (line) => logged.push(line));
    await vi.waitFor(() => expect(logged.length).toBeGreaterThanOrEqual(20), { timeout: 60_000 });
    await killNow(child);
    const lines = logged.filter(({ msg }) => msg === "slow statement");
    const ofRequest = lines.filter(({ request_id: id }) => id === "the-request");
    expect(ofRequest.find(({ name }) => name === "named")).toMatchObject({
      level: "warn",
      part: "database",
      ms: expect.any(Number),
      statement: "select pg_sleep($1), $2::text",
    });
    expect(
      ofRequest.some(({ statement }) => statement === "select pg_sleep($1)::text as slept, $2::text as value"),
    ).toBe(true);
    expect(JSON.stringify(lines)).not.toContain("a-value");
    expect(lines).toHaveLength(20);
  });
});

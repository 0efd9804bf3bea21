import { fork } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { bundleProgram, type LogLine } from "@/server/testing/child-program";

test("what Next, libraries and Node print are lines of the log, each one JSON object", async () => {
  const { file, remove } = await bundleProgram("console-process");
  try {
    const env = { ...process.env, LOG_LEVEL: "debug" };
    const child = fork(file, { execArgv: [], env, silent: true });
    if (!child.stdout || !child.stderr) throw new Error("it has no output");
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(errors).toBe("");
    const lines = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as LogLine);
    const failed = {
      type: "Error",
      message: "a page could not be rendered\nfor two reasons",
      stack: expect.any(String),
    };
    expect(lines).toEqual(
      [
        { level: "info", msg: "Running next.config.mjs" },
        { level: "error", msg: "a page could not be rendered\nfor two reasons", err: expect.objectContaining(failed) },
        { level: "debug", msg: "The service is not ready to answer.", err: expect.anything() },
        { level: "warn", msg: "a setting is not known" },
        { level: "info", msg: "several\nlines of a library" },
        { level: "info", msg: expect.stringMatching(/name.*size[^]*'a'.*1/) },
        { level: "info", msg: "a group" },
        { level: "info", msg: "{ nested: { deep: true } }" },
        { level: "warn", msg: "a module is old", err: expect.objectContaining({ name: "DeprecationWarning" }) },
      ].map((line) => expect.objectContaining({ part: "console", ...line })),
    );
  } finally {
    remove();
  }
});

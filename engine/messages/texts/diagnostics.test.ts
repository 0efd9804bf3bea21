import { expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import { listDiagnosticChanges } from "@/engine/messages/texts/diagnostic-changes";
import { isDiagnosticSchema, readDiagnostics } from "@/engine/messages/texts/diagnostic-status";
import { readDiagnosticsAt } from "@/engine/messages/texts/diagnostics";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const status = (name: string, level: unknown, message = "") => ({
  name,
  level,
  message,
  hardware_id: "h1",
  values: [],
});
const second = 1_000_000_000n;
const start = 1_770_000_000n * second;

test.each([
  ["diagnostic_msgs/DiagnosticArray", true],
  ["diagnostic_msgs/msg/DiagnosticArray", true],
  ["diagnostic_msgs/msg/DiagnosticStatus", false],
])("%s holds diagnostics: %s", (schema, expected) => {
  expect(isDiagnosticSchema(schema)).toBe(expected);
});

test("levels are bytes, numbers or texts of one character", () => {
  const levels = [0, 1, 2n, "\u0003", "2", 9, undefined];
  const read = readDiagnostics({ status: levels.map((level) => status("part", level)) });
  expect(read.map(({ level }) => level)).toEqual(["ok", "warning", "error", "stale", "error", null, null]);
});

test("a status has its text, hardware and values", () => {
  const values = [{ key: "temperature", value: "81.5" }, { key: "odd" }];
  expect(readDiagnostics({ status: [{ ...status("motor", 2, "too hot"), values }] })).toEqual([
    {
      level: "error",
      name: "motor",
      text: "too hot",
      hardwareId: "h1",
      values: [
        { key: "temperature", value: "81.5" },
        { key: "odd", value: "" },
      ],
    },
  ]);
  expect(() => readDiagnostics({ status: "ok" })).toThrow(UnreadableMessage);
  expect(() => readDiagnostics({ status: [3] })).toThrow(UnreadableMessage);
});

async function openChunks() {
  const message = (seconds: number, value: unknown, topic = "/diagnostics"): TestMessage => ({
    topic,
    time: start + BigInt(seconds) * second,
    data: Buffer.from(typeof value === "string" ? value : JSON.stringify({ status: value })),
  });
  const schema = { schemaName: "diagnostic_msgs/DiagnosticArray", schemaEncoding: "jsonschema", schema: "{}" };
  const file = await writeMcap(
    ["/diagnostics", "/more"].map((topic) => ({ topic, messageEncoding: "json", ...schema })),
    [
      message(0, [status("old", 2)]),
      message(60, [status("motor", 2, "hot"), status("arm", 0)]),
      message(70, [status("motor", 1, "warm"), status("radio", 3)]),
      message(80, "{not json"),
      message(90, [status("motor", 2, "hot again"), status("lidar", 7)]),
      message(95, [status("motor", 0)], "/more"),
      message(100, [status("motor", 0, "cool")]),
    ],
    { chunkBytes: 64 },
  );
  const codecs = await recordingCodecs();
  const source = { ...memorySource(file), id: "file" };
  const reader = await openRecording([source], codecs, { timeBudgetMs: 20_000 });
  await reader.summary();
  return openPacked(reader.pack(), new Map([["file", source]]), codecs)!.chunks;
}

test("the last status of each part counts, of each topic, the most urgent first", async () => {
  const chunks = await openChunks();
  const reach = { before: 60n * second, maxBytes: 1_000_000 };
  const readAt = async (seconds: number, topics = ["/diagnostics", "/more"]) => {
    const at = start + BigInt(seconds) * second;
    const { statuses, unreadable, unread } = await readDiagnosticsAt(chunks, new MessageDecoders(), topics, at, reach);
    const lines = statuses.map(({ name, level, text }) => [name, level, text].join(" ").trim());
    return { lines, unreadable, unread: unread && Number(unread.time - start) / Number(second) };
  };
  expect(await readAt(95)).toEqual({
    lines: ["motor error hot again", "lidar", "radio stale", "arm ok", "motor ok"],
    unreadable: 1,
    unread: 80,
  });
  const lines = ["radio stale", "motor warning warm", "arm ok"];
  expect(await readAt(75)).toEqual({ lines, unreadable: 0, unread: null });
  expect((await readAt(200)).lines).toEqual([]);
  expect((await readAt(60)).lines[0]).toBe("motor error hot");
  expect((await readAt(100, ["/diagnostics"])).lines).toEqual(["lidar", "radio stale", "arm ok", "motor ok cool"]);
});

test("a part whose level becomes another one has changed; its first report is no change", async () => {
  const chunks = await openChunks();
  const list = async (from: number, to: number) => {
    const range = { start: start + BigInt(from) * second, end: start + BigInt(to) * second };
    const changes = await listDiagnosticChanges(chunks, new MessageDecoders(), ["/diagnostics", "/more"], range);
    return changes.map(({ time, name, before, level }) => `${(time - start) / second}: ${name} ${before} → ${level}`);
  };
  expect(await list(0, 100)).toEqual([
    "70: motor error → warning",
    "90: motor warning → error",
    "100: motor error → ok",
  ]);
  expect(await list(85, 95)).toEqual([]);
});

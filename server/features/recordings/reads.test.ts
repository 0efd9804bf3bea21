import { beforeAll, describe, expect, test } from "vitest";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { jsonSafe } from "@/engine/decode/json-safe";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import type { MessagesAround, RecordingDetail, SeriesWindow } from "@/server/features/recordings/resource";
import type { TopicResource } from "@/server/features/rules/resource";
import { prisma } from "@/server/platform/db";
import { diskStore } from "@/server/platform/storage/own";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { epoch, processedRecording } from "@/server/testing/processing";
import { request, createTrpcCaller } from "@/server/testing/requests";

const ms = 1_000_000n;
/** 40,000 samples, one per millisecond: more than the stored series resolves. */
const samples = 40_000;
const spike = 31_234;

let org: TestOrganization;
let uid: string;

const at = (i: number) => epoch + BigInt(i) * ms;
const computeValue = (i: number) => (i === spike ? 1_000 : Math.sin(i / 500));

beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  function* messages(): Generator<TestMessage> {
    for (let i = 0; i < samples; i++) {
      yield {
        topic: "/fast",
        time: at(i),
        data: encode({ value: computeValue(i), mode: i < 20_000 ? "idle" : "run" }),
        sequence: i,
      };
      if (i % 10_000 === 0)
        yield {
          topic: "/slow",
          time: at(i),
          data: encode({
            n: i / 10_000,
            on: i > 0,
            text: "é",
            stamp: { sec: i, nanosec: 2 * i },
            clock: { sec: i, nanosec: 3 * i, synchronized: true },
          }),
        };
    }
    yield { topic: "/broken", time: at(samples), data: new TextEncoder().encode("{nope") };
  }
  const channels = ["/fast", "/slow", "/broken"].map((topic) => ({ topic, messageEncoding: "json" }));
  uid = await processedRecording(org, device.uid, [await writeMcap(channels, messages())]);
});

const series = (query: Record<string, string>) =>
  request<SeriesWindow & Record<string, unknown>>(
    "GET",
    `/fleet/recordings/${uid}/series/?${new URLSearchParams(query)}`,
    { key: org.key },
  );
const messages = (query: Record<string, string>) =>
  request<MessagesAround & Record<string, unknown>>(
    "GET",
    `/fleet/recordings/${uid}/messages/?${new URLSearchParams(query)}`,
    { key: org.key },
  );

describe("a series", () => {
  test("covers the whole recording in at most two points per requested point, and shows every spike", async () => {
    const { status, body } = await series({ topic: "/fast", field: "value", points: "100" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      topic: "/fast",
      field: "value",
      kind: "number",
      from: String(at(0)),
      to: String(at(samples - 1)),
    });
    expect(body.points.length).toBeGreaterThan(50);
    expect(body.points.length).toBeLessThanOrEqual(200);
    expect(Math.max(...body.points.map((point) => point[2]))).toBe(1_000);
    expect(body.points.reduce((sum, point) => sum + point[5], 0)).toBe(samples);
    expect(body.level).not.toBe("raw");
  });

  test("of a window finer than what is stored is read from the messages themselves", async () => {
    const [from, to] = [at(spike - 10), at(spike + 10)];
    const { body } = await series({
      topic: "/fast",
      field: "value",
      from: String(from),
      to: String(to),
      points: "100",
    });
    expect(body.level).toBe("raw");
    const expected = Array.from({ length: 21 }, (_, i) => {
      const value = computeValue(spike - 10 + i);
      return [String(at(spike - 10 + i)), value, value, value, value, 1];
    });
    expect(body.points).toEqual(expected);
  });

  test("read from messages merges samples when there are more than points", async () => {
    const window = { from: String(at(1_000)), to: String(at(1_099)) };
    const { body } = await series({ topic: "/fast", field: "value", ...window, points: "10" });
    expect(body.points.length).toBeLessThanOrEqual(20);
    expect(body.points.reduce((sum, point) => sum + point[5], 0)).toBeGreaterThanOrEqual(100);
  });

  test("of nanoseconds is found by either name, stored or read from the messages", async () => {
    for (const field of ["clock.nsec", "clock.nanosec"]) {
      const { body } = await series({ topic: "/slow", field });
      expect(body).toMatchObject({ field, kind: "number" });
      expect(body.points.map((point) => point[4])).toEqual([0, 30_000, 60_000, 90_000]);
    }
  });

  test("is found with quotes around keys that need none", async () => {
    const { body } = await series({ topic: "/slow", field: '["clock"]["sec"]' });
    expect(body.points.map((point) => point[4])).toEqual([0, 10_000, 20_000, 30_000]);
  });

  test("exists for every field that its topic lists, also of recordings whose stored topics list more", async () => {
    const listed = async () => {
      const { body } = await request<RecordingDetail>("GET", `/fleet/recordings/${uid}/`, { key: org.key });
      return body.topics.map(({ name, fields }) => [name, fields.map(({ path }) => path)]);
    };
    const expected = [
      ["/broken", []],
      ["/fast", ["value", "mode"]],
      ["/slow", ["n", "on", "text", "clock.sec", "clock.nanosec", "clock.synchronized"]],
    ];
    expect(await listed()).toEqual(expected);
    const row = { recordingId_name: { recordingId: uid, name: "/fast" } };
    const { fields } = await prisma.topic.findUniqueOrThrow({ where: row });
    const more = [...(fields as { path: string; kind: string }[]), { path: "list[0]", kind: "number" }];
    await prisma.topic.update({ where: row, data: { fields: more } });
    // Those versions stored series as rows only.
    const pack = await prisma.seriesPack.delete({ where: { recordingId: uid } });
    try {
      expect(await listed()).toEqual(expected);
      const { body } = await request<{ results: TopicResource[] }>("GET", "/fleet/topics/", { key: org.key });
      expect(body.results.find(({ name }) => name === "/fast")?.fields.map(({ path }) => path)).toEqual([
        "value",
        "mode",
      ]);
    } finally {
      await prisma.seriesPack.create({ data: pack });
      await prisma.topic.update({ where: row, data: { fields: fields as [] } });
    }
  });

  test("takes ISO times, and an empty window has an empty result", async () => {
    const { body } = await series({ topic: "/fast", field: "value", from: isoFromNs(at(100)), to: isoFromNs(at(110)) });
    expect(body.from).toBe(String(at(100)));
    const reversed = await series({ topic: "/fast", field: "value", from: String(at(10)), to: String(at(5)) });
    expect([reversed.status, reversed.body.points]).toEqual([200, []]);
    const outside = await series({ topic: "/fast", field: "value", from: "0", to: "10" });
    expect([outside.status, outside.body.points]).toEqual([200, []]);
  });

  test("of texts and booleans is a series of states", async () => {
    const { body } = await series({ topic: "/fast", field: "mode" });
    expect([body.kind, body.points, body.states]).toEqual([
      "state",
      [],
      [
        [String(at(0)), "idle", 0],
        [String(at(20_000)), "run", 0],
      ],
    ]);
    expect((await series({ topic: "/slow", field: "on" })).body.states?.map((state) => state[1])).toEqual([
      false,
      true,
    ]);
  });

  test("is the same over tRPC", async () => {
    const { body } = await series({ topic: "/slow", field: "n" });
    expect(await createTrpcCaller(org).recordings.series({ uid, topic: "/slow", field: "n" })).toEqual(body);
    expect(body.points.map((point) => point[1])).toEqual([0, 1, 2, 3]);
  });

  test.each([
    ["topic", { field: "value" }],
    ["field", { topic: "/fast" }],
    ["topic", { topic: "/none", field: "value" }],
    ["field", { topic: "/fast", field: "none" }],
    ["points", { topic: "/fast", field: "value", points: "0" }],
    ["points", { topic: "/fast", field: "value", points: "x" }],
    ["from", { topic: "/fast", field: "value", from: "yesterday" }],
    ["to", { topic: "/fast", field: "value", to: "99999999999999999999" }],
  ])("a bad %s is refused", async (field, query: Record<string, string>) => {
    const { status, body } = await series(query);
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
  });
});

describe("messages", () => {
  const times = (body: MessagesAround) =>
    body.messages.map((message) => Number((BigInt(message.log_time_ns) - epoch) / ms));

  test("are returned half before and half from the time on", async () => {
    const { status, body } = await messages({ topic: "/fast", at: String(at(500)), limit: "6" });
    expect([status, times(body)]).toEqual([200, [497, 498, 499, 500, 501, 502]]);
    expect(body.messages[3]).toEqual({
      time: isoFromNs(at(500)),
      log_time_ns: String(at(500)),
      publish_time_ns: String(at(500)),
      sequence: 500,
      size_bytes: body.messages[3]?.size_bytes,
      value: { value: computeValue(500), mode: "idle" },
      error: null,
    });
  });

  test("start at the first message and are twenty by default", async () => {
    expect(times((await messages({ topic: "/fast" })).body)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test("at and beyond the end are the last ones", async () => {
    const last = Array.from({ length: 4 }, (_, i) => samples - 4 + i);
    expect(times((await messages({ topic: "/fast", at: String(at(samples - 1)), limit: "4" })).body)).toEqual(last);
    expect(times((await messages({ topic: "/fast", at: "2100-01-01T00:00:00Z", limit: "4" })).body)).toEqual(last);
    expect(times((await messages({ topic: "/fast", at: "0", limit: "2" })).body)).toEqual([0, 1]);
  });

  test("of a topic with few messages are all of them", async () => {
    const { body } = await messages({ topic: "/slow", at: String(at(15_000)) });
    expect(body.messages.map((message) => message.value)).toMatchObject([
      { n: 0, on: false, text: "é" },
      { n: 1, on: true, text: "é" },
      { n: 2, on: true, text: "é" },
      { n: 3, on: true, text: "é" },
    ]);
  });

  test("that cannot be decoded carry the reason", async () => {
    const { status, body } = await messages({ topic: "/broken" });
    expect([status, body.messages[0]?.value, typeof body.messages[0]?.error]).toEqual([200, null, "string"]);
  });

  test("are limited to 200 per request", async () => {
    expect((await messages({ topic: "/fast", at: String(at(500)), limit: "9999" })).body.messages.length).toBe(200);
  });

  test("of a recording whose files were deleted are not found", async () => {
    const file = await prisma.storedFile.findFirstOrThrow({ where: { recordingId: uid } });
    const bytes = await diskStore().readBytes(file.storageKey, 0, Number(file.sizeBytes));
    await diskStore().delete(file.storageKey);
    expect((await messages({ topic: "/fast" })).status).toBe(404);
    await diskStore().put(file.storageKey, new Blob([bytes as BlobPart]).stream(), bytes.length);
    expect((await messages({ topic: "/fast" })).status).toBe(200);
  });

  test("of a recording without topics are refused with the topic as unknown", async () => {
    const empty = await makeRecording(org, (await makeDevice(org)).uid);
    const { status, body } = await request("GET", `/fleet/recordings/${empty.uid}/messages/?topic=/fast`, {
      key: org.key,
    });
    expect([status, body]).toEqual([400, { topic: ['"/fast" is not a topic of this recording.'] }]);
  });
});

test("a decoded message is serialized without loss where JSON permits it", () => {
  expect(
    jsonSafe({
      big: 9_007_199_254_740_993n,
      small: 5n,
      nan: NaN,
      inf: [Infinity, -Infinity],
      bytes: new Uint8Array(3_000).fill(1),
      floats: new Float32Array([0.5, 1]),
      longs: new BigInt64Array([1n, 9_007_199_254_740_993n]),
      many: new Float64Array(1_000),
      lone: "a\ud800",
      none: undefined,
      nil: null,
    }),
  ).toEqual({
    big: "9007199254740993",
    small: 5,
    nan: "NaN",
    inf: ["Infinity", "-Infinity"],
    bytes: { $bytes: true, length: 3_000, base64: Buffer.alloc(1_024, 1).toString("base64") },
    floats: [0.5, 1],
    longs: [1, "9007199254740993"],
    many: { $list: true, length: 1_000, items: Array(256).fill(0) },
    lone: "a\ufffd",
    none: null,
    nil: null,
  });
  let deep: unknown = 1;
  for (let i = 0; i < 10_000; i++) deep = { deep };
  expect(JSON.stringify(jsonSafe(deep)).length).toBeLessThan(1_000);
});

describe("densities", () => {
  test("count the messages of each requested topic along the recording, and omit topics it lacks", async () => {
    const { from, to, topics } = await createTrpcCaller(org).recordings.densities({
      uid,
      topics: ["/fast", "/slow", "/none"],
    });
    expect([from, to]).toEqual([String(at(0)), String(at(samples))]);
    const counted = Object.fromEntries(topics.map(({ topic, basis, counts }) => [topic, { basis, counts }]));
    expect(Object.keys(counted).sort()).toEqual(["/fast", "/slow"]);
    expect(topics.map(({ basis }) => basis)).toEqual(["counted", "counted"]);
    const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0);
    expect([sum(counted["/fast"]?.counts), sum(counted["/slow"]?.counts)]).toEqual([samples, 4]);
  });

  test("of a recording without stored counts come from a field's samples, or else are spread evenly", async () => {
    await prisma.seriesPack.deleteMany({ where: { recordingId: uid } });
    await prisma.series.deleteMany({ where: { recordingId: uid, topic: { in: ["/fast", "/slow"] }, kind: "density" } });
    await prisma.series.deleteMany({ where: { recordingId: uid, topic: "/slow" } });
    const { topics } = await createTrpcCaller(org).recordings.densities({ uid, topics: ["/fast", "/slow"] });
    expect(Object.fromEntries(topics.map(({ topic, basis }) => [topic, basis]))).toEqual({
      "/fast": "sampled",
      "/slow": "even",
    });
  });
});

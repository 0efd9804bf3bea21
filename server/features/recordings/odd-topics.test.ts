import { beforeAll, describe, expect, test } from "vitest";
import { writeMcap } from "@/engine/testing/write-mcap";
import type { MessagesAround, RecordingDetail, SeriesWindow } from "@/server/features/recordings/resource";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, processedRecording } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let detail: RecordingDetail;

const topics = ["", "  ", "/a\0b", "/a\ufffdb", " /padded "];

beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  const channels = topics.map((topic) => ({ topic, messageEncoding: "json" }));
  const messages = topics.map((topic, at) => ({
    topic,
    time: epoch + BigInt(at),
    data: Buffer.from(JSON.stringify({ v: at })),
  }));
  const uid = await processedRecording(org, device.uid, [await writeMcap(channels, messages)]);
  const { body } = await request<RecordingDetail>("GET", `/fleet/recordings/${uid}/`, { key: org.key });
  detail = body;
});

describe("topics that no request and no database can name", () => {
  test("are listed under a name that tells them apart, with a warning", () => {
    expect(detail.topics.map(({ name }) => name).toSorted()).toEqual(
      ["(unnamed)", "/a\\u0000b", "/a\ufffdb", " /padded "].toSorted(),
    );
    expect(detail.warnings.toSorted()).toEqual([
      'A topic without a name is listed as "(unnamed)".',
      "Topic names with NUL characters are listed with \\u0000 in place of them.",
    ]);
  });

  test("can be read under that name, as every topic that is listed", async () => {
    const read = async <T extends Record<string, unknown>>(what: string, query: Record<string, string>) =>
      (
        await request<T>("GET", `/fleet/recordings/${detail.uid}/${what}/?${new URLSearchParams(query)}`, {
          key: org.key,
        })
      ).body;
    const found: Record<string, unknown> = {};
    for (const { name } of detail.topics) {
      const { messages } = await read<MessagesAround & Record<string, unknown>>("messages", { topic: name });
      const series = await read<SeriesWindow & Record<string, unknown>>("series", { topic: name, field: "v" });
      expect(series.points.map((point) => point[4])).toEqual(messages.map(({ value }) => (value as { v: number }).v));
      found[name] = messages.map(({ value }) => (value as { v: number }).v);
    }
    expect(found).toEqual({ "(unnamed)": [0, 1], "/a\\u0000b": [2], "/a\ufffdb": [3], " /padded ": [4] });
  });
});

import { describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import { RecordBytes } from "@/engine/testing/record-bytes";
import {
  attachmentRecord,
  McapFileWriter,
  mcapRecord,
  metadataRecord,
  type McapOptions,
} from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

async function write(records: readonly Buffer[], options: McapOptions = {}): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = await McapFileWriter.create(
    (bytes) => parts.push(bytes),
    [{ topic: "/a", messageEncoding: "json" }],
    options,
  );
  for (const [at, record] of records.entries()) {
    writer.add({ topic: "/a", time: BigInt(at) * 1_000_000n, data: Buffer.from("{}") });
    writer.addRecord(record);
  }
  writer.close();
  return Buffer.concat(parts);
}

async function read(...files: Buffer[]) {
  const sources = files.map((file, at) => ({ ...memorySource(file), id: `file ${at}` }));
  return (await openRecording(sources, await recordingCodecs())).summary();
}

const picture = Buffer.from("not really a picture");
const calibration = attachmentRecord("calibration/left.png", "image/png", picture, 2n ** 64n - 1n);
const bag = metadataRecord("rosbag2", { ROS_DISTRO: "jazzy", serialized_metadata: "rosbag2_bagfile_information: {}" });

describe("attachments and metadata records", () => {
  test.each<McapOptions>([{}, { noSummary: true }, { chunkBytes: 0 }, { compression: "zstd", noMessageIndex: true }])(
    "are listed with the place of their bytes in the file: %j",
    async (options) => {
      const file = await write([calibration, bag], options);
      const { attachments, warnings, messageCount } = await read(file);
      expect(messageCount).toBe(2);
      expect(warnings).toEqual(
        options.noSummary === true ? ["The file has no index; the file was read through instead."] : [],
      );
      expect(attachments).toMatchObject([
        {
          kind: "attachment",
          file: "file 0",
          name: "calibration/left.png",
          mediaType: "image/png",
          createTime: 8n,
          values: null,
        },
        {
          kind: "metadata",
          name: "rosbag2",
          values: { ROS_DISTRO: "jazzy", serialized_metadata: "rosbag2_bagfile_information: {}" },
          truncated: false,
        },
      ]);
      const [first] = attachments;
      expect(file.subarray(first!.offset, first!.offset + first!.length)).toEqual(picture);
    },
  );

  test("of several files are listed in their order", async () => {
    const { attachments } = await read(await write([bag]), await write([calibration]));
    expect(attachments.map(({ file, kind }) => [file, kind])).toEqual([
      ["file 0", "metadata"],
      ["file 1", "attachment"],
    ]);
  });

  test("are listed up to a thousand, and counted beyond", async () => {
    const many = Array.from({ length: 1_003 }, (_, at) => metadataRecord(`m${at}`, {}));
    const { attachments, warnings } = await read(await write(many));
    expect(attachments).toHaveLength(1_000);
    expect(warnings).toEqual(["3 attachments and metadata records beyond the first 1,000 are not listed."]);
  });

  test("have their texts cut, with a mark", async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`k${at}`, ""]));
    const { attachments } = await read(
      await write([metadataRecord("n".repeat(300), { long: "x".repeat(5_000) }), metadataRecord("keys", many)]),
    );
    expect(attachments.map(({ truncated }) => truncated)).toEqual([true, true]);
    expect(attachments[0]!.name).toBe(`${"n".repeat(255)}…`);
    expect(attachments[0]!.values).toEqual({ long: `${"x".repeat(4_095)}…` });
    expect(Object.keys(attachments[1]!.values!)).toHaveLength(200);
  });

  test("keep no more values than a quarter of a million characters in all files together", async () => {
    const large = Array.from({ length: 100 }, (_, at) => metadataRecord(`m${at}`, { text: "x".repeat(4_000) }));
    const file = await write(large);
    const { attachments } = await read(file, file);
    expect(attachments).toHaveLength(200);
    expect(JSON.stringify(attachments.map(({ values }) => values)).length).toBeLessThan(270_000);
    expect([attachments[0]!.truncated, attachments[199]!.truncated]).toEqual([false, true]);
    expect(attachments[199]!.name).toBe("m99");
  });

  test("that are damaged are left out with a warning, and the messages are read", async () => {
    const tooLong = mcapRecord(
      0x09,
      new RecordBytes()
        .u64(1n)
        .u64(1n)
        .text("a")
        .text("b")
        .u64(2n ** 40n)
        .u32(0),
    );
    const cut = mcapRecord(0x0c, new RecordBytes().text("name").u32(100).text("key"));
    const { attachments, warnings, messageCount } = await read(await write([tooLong, bag, cut]));
    expect(attachments.map(({ name }) => name)).toEqual(["rosbag2"]);
    expect(warnings).toEqual(["A damaged record was skipped."]);
    expect(messageCount).toBe(3);
  });

  test("larger than 4 MiB are not taken apart when they hold texts, and cost no memory when they hold bytes", async () => {
    const long = metadataRecord("long", { text: "x".repeat(4 * 1024 * 1024) });
    const { attachments, warnings } = await read(
      await write([long, attachmentRecord("map.pgm", "", Buffer.alloc(5 * 1024 * 1024))]),
    );
    expect(attachments).toMatchObject([{ name: "map.pgm", length: 5 * 1024 * 1024 }]);
    expect(warnings).toEqual(["Metadata records of more than 4 MiB were left out."]);
  });
});

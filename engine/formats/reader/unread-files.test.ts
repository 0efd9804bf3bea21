import { describe, expect, it } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const channels = [{ topic: "/a", messageEncoding: "json" }];
const message = (time: bigint) => ({ topic: "/a", time, data: Buffer.from("{}") });

const named = (name: string, bytes: Uint8Array) => ({ ...memorySource(bytes), name });

async function open(...files: ReturnType<typeof named>[]) {
  const reader = await openRecording(files, await recordingCodecs());
  return reader.summary();
}

describe("the folder of a rosbag2 recording", () => {
  it("is read with other descriptions, pictures and empty files left aside, one warning for each kind", async () => {
    const pictures = ["a.jpg", "b.jpg", "c.jpg", "d.jpg"].map((name) => named(name, Buffer.from("\xff\xd8", "latin1")));
    const summary = await open(
      named("run/camera.yaml", Buffer.from("width: 640\n")),
      named("run/run_0.mcap", await writeMcap(channels, [message(1n), message(2n)])),
      named("run/run_1.mcap", await writeMcap(channels, [message(3n)])),
      named("run/run_2.mcap", Buffer.alloc(0)),
      named("run/calibration.yaml.gz", Buffer.from("1f8b0800", "hex")),
      ...pictures,
    );
    expect(summary).toMatchObject({ format: "mcap", messageCount: 3 });
    expect(summary.warnings).toEqual([
      expect.stringMatching(/^"run\/camera.yaml" is kept but not read: it is neither an MCAP file/),
      '"run/run_2.mcap" is kept but not read: it is empty (zero bytes).',
      '"run/calibration.yaml.gz" is kept but not read: it is compressed as a whole: unpack it with `gunzip` first.',
      expect.stringMatching(/^"a.jpg", "b.jpg", "c.jpg" and 1 more files are kept but not read: each is neither/),
    ]);
  });

  it("without a file that can be read is refused with the reason of its first", async () => {
    const files = [named("metadata.yaml", Buffer.from("a: 1")), named("x.mcap", Buffer.alloc(0))];
    await expect(open(...files)).rejects.toThrow(/^None of the 2 files can be read\. The first is neither an MCAP/);
  });

  it("names the tool that unpacks a compressed file", async () => {
    await expect(open(named("a.mcap", Buffer.from("28b52ffd04", "hex")))).rejects.toThrow(
      "The file is compressed as a whole: unpack it with `zstd -d` first.",
    );
  });
});

import { describe, expect, test } from "vitest";
import { readVideoUnit, type VideoUnit } from "@/engine/messages/pictures/video";
import { VideoStream } from "@/engine/messages/pictures/video-stream";
import { UnreadableMessage } from "@/engine/messages/reading";
import { clip, readClip, toLengthPrefixed, type ClipName } from "@/engine/testing/clips";

const formats: Record<ClipName, string> = { h264: "h264", "h264-b": "h264", h265: "h265", vp9: "vp9", av1: "av1" };
const readAll = (name: ClipName): VideoUnit[] =>
  readClip(name).map((data) => readVideoUnit({ format: formats[name], data }));

describe.each([
  ["h264", "avc1.640015", 0],
  ["h264-b", "avc1.640015", 2],
  ["h265", "hvc1.1.6.L63.90", 0],
  ["vp9", "vp09.00.31.08", 0],
  ["av1", "av01.0.00M.08", 0],
] as const)("a clip of %s", (name, codec, reorder) => {
  test("has its keyframes, and says what it is as browsers name it", () => {
    const units = readAll(name);
    const keys = units.flatMap(({ kind }, index) => (kind === "key" ? [index] : []));
    expect(keys).toEqual([0, 15, 30, 45]);
    expect(units.filter(({ kind }) => kind === "delta")).toHaveLength(clip.pictures - 4);
    const { width, height } = clip;
    expect(units[0]!.parameters).toMatchObject({ codec, reorder, width, height });
    expect(new VideoStream().next(units[0]!)).toMatchObject({ isKey: true, isAfterGap: false });
  });

  test("is refused when its bytes are cut or changed, or read, but never ends otherwise", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff) % below;
    const stream = new VideoStream();
    for (const whole of readClip(name).slice(0, 20)) {
      for (let round = 0; round < 20; round++) {
        const data = whole.slice(0, 1 + random(Math.min(200, whole.length)));
        for (let change = random(8); change > 0; change--) data[random(data.length)] = random(256);
        try {
          stream.next(readVideoUnit({ format: formats[name], data }));
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableMessage);
        }
      }
    }
    expect(stream.reorder).toBeLessThanOrEqual(16);
  });
});

test("parts with their lengths before them become a byte stream", () => {
  for (const name of ["h264", "h265"] as const) {
    const [first] = readClip(name);
    const [plain, unit] = [first!, toLengthPrefixed(first!)].map((data) => readVideoUnit({ format: name, data }));
    expect(unit).toMatchObject({ kind: "key", parameters: plain!.parameters });
    expect(toLengthPrefixed(unit!.data)).toEqual(toLengthPrefixed(plain!.data));
  }
});

test("a length that looks like a start code is a length", () => {
  const part = new Uint8Array(0x0123).fill(0x41);
  const data = Uint8Array.of(0, 0, 1, 0x23, ...part);
  const unit = readVideoUnit({ format: "h264", data });
  expect(unit.kind).toBe("delta");
  expect([...unit.data.subarray(0, 6)]).toEqual([0, 0, 0, 1, 0x41, 0x41]);
});

test("FFMPEGPacket names the codec in its encoding, also by encoders", () => {
  const [h264] = readClip("h264");
  const [h265] = readClip("h265");
  for (const encoding of ["h264;yuv420p;bgr8;bgr8", "libx264", "h264_nvenc"])
    expect(readVideoUnit({ encoding, flags: 1, data: h264 }).codec).toBe("h264");
  for (const encoding of ["hevc;nv12;bgr8;bgr8", "hevc_nvenc", "libx265"])
    expect(readVideoUnit({ encoding, flags: 1, data: h265 }).codec).toBe("h265");
});

test("bytes in JSON are base64", () => {
  const [data] = readClip("vp9");
  expect(readVideoUnit({ format: "vp9", data: Buffer.from(data!).toString("base64") }).kind).toBe("key");
});

test("parameters seen once are put before the keyframes without them", () => {
  const stream = new VideoStream();
  const units = readAll("h264");
  stream.next(units[0]!);
  const key = units[15]!;
  const bare = toLengthPrefixed(key.data);
  // Without its parameter sets: only parts of other types.
  const kept: Uint8Array[] = [];
  for (let at = 0; at < bare.length;) {
    const length = Buffer.from(bare).readUInt32BE(at);
    if (![7, 8].includes(bare[at + 4]! & 31)) kept.push(bare.slice(at, at + 4 + length));
    at += 4 + length;
  }
  const stripped = readVideoUnit({ format: "h264", data: Buffer.concat(kept) });
  expect(stripped).toMatchObject({ kind: "key", parameters: null, sets: [] });
  const given = readVideoUnit({ format: "h264", data: stream.next(stripped)!.data });
  expect(given.parameters).toEqual(units[0]!.parameters);
  expect(given.sets).toEqual(key.sets);
});

test("a missing picture of H.264 is noticed by the numbers", () => {
  for (const name of ["h264", "h264-b"] as const) {
    const units = readAll(name);
    const whole = new VideoStream();
    expect(units.filter((unit) => whole.next(unit)?.isAfterGap)).toEqual([]);
    // Without a reference picture of the second group.
    const missing = name === "h264" ? 20 : 16;
    const damaged = new VideoStream();
    const gaps = units.flatMap((unit, index) => (index !== missing && damaged.next(unit)?.isAfterGap ? [index] : []));
    expect(gaps).toEqual([missing + 1]);
  }
});

test("a message that is no video says why", () => {
  const refusals: [object, string][] = [
    [{ format: "mpeg2", data: new Uint8Array(9) }, 'Video of the format "mpeg2" cannot be shown.'],
    [{ format: "h264", data: new Uint8Array(0) }, "The message carries no video."],
    [{ format: "h264", data: new Uint8Array(100) }, "The bytes of the message are no H.264 video."],
    [{ format: "h265", data: Uint8Array.of(0xff, 0xd8, 0xff) }, "The bytes of the message are no H.265 video."],
    [
      { format: "av1", data: readClip("av1")[0]!.map((byte) => byte | 0x80) },
      "The bytes of the message are no AV1 video.",
    ],
    [{ format: "vp9", data: Uint8Array.of(0) }, "The bytes of the message are no VP9 video."],
    [{ format: "h264" }, 'The field "data" holds no bytes.'],
  ];
  for (const [message, reason] of refusals) expect(() => readVideoUnit(message)).toThrow(new UnreadableMessage(reason));
});

test("a picture of more than 100 megapixels is refused before it is decoded", () => {
  const data = readClip("vp9")[0]!.slice();
  // Width and height follow the four bytes of head and sync code, and three or four bits.
  data.fill(0xff, 5, 9);
  expect(() => readVideoUnit({ format: "vp9", data })).toThrow(/at most 100 megapixels/);
});

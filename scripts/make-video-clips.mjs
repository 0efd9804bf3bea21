// Makes the clips of engine/testing/clips with Debian's ffmpeg, which the tests do not need. Each is an IVF file, also those
// of H.264 and H.265: one access unit a record. Each picture carries its number in 16 squares along its top.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const [width, height, count, group] = [480, 272, 60, 15];
const square = width / 16;

/** Pixels of the nth picture: its number, a pattern, and a disc that moves. */
function drawPicture(n) {
  const pixels = Buffer.alloc(width * height * 3);
  const [discX, discY] = [60 + n * 6, 150 + 60 * Math.sin(n / 6)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      if (y < square) pixels.fill((n >> Math.floor(x / square)) & 1 ? 235 : 16, at, at + 3);
      else if ((x - discX) ** 2 + (y - discY) ** 2 < 1_600) pixels.set([240, 120, 30], at);
      else pixels.set([(x + n * 3) & 255, (y * 2) & 255, ((x ^ y) & 32) * 4], at);
    }
  }
  return pixels;
}

const folder = mkdtempSync(path.join(tmpdir(), "clips-"));
const source = Buffer.concat(Array.from({ length: count }, (_, n) => drawPicture(n)));

function encode(name, args) {
  const file = path.join(folder, name);
  const input = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", `${width}x${height}`, "-r", "30", "-i", "-"];
  const result = spawnSync("ffmpeg", ["-y", "-v", "error", ...input, "-pix_fmt", "yuv420p", ...args, file], {
    input: source,
    maxBuffer: 1 << 26,
  });
  if (result.status !== 0) throw new Error(`${name}: ${result.stderr.toString()}`);
  return readFileSync(file);
}

/** Access units of a byte stream, each of which begins with an access unit delimiter (NAL type `delimiter`). */
function splitUnits(bytes, delimiter, getType) {
  const starts = [];
  for (let at = 0; at + 4 < bytes.length; at++) {
    const isStart = bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 0 && bytes[at + 3] === 1;
    if (isStart && getType(bytes[at + 4]) === delimiter) starts.push(at);
  }
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length));
}

function writeIvf(name, fourCc, units) {
  const head = Buffer.alloc(32);
  head.write("DKIF");
  head.writeUInt16LE(32, 6);
  head.write(fourCc, 8);
  head.writeUInt16LE(width, 12);
  head.writeUInt16LE(height, 14);
  head.writeUInt32LE(30, 16);
  head.writeUInt32LE(1, 20);
  head.writeUInt32LE(units.length, 24);
  const records = units.flatMap((unit, index) => {
    const record = Buffer.alloc(12);
    record.writeUInt32LE(unit.length);
    record.writeUInt32LE(index, 4);
    return [record, unit];
  });
  save(name, Buffer.concat([head, ...records]), units.length);
}

function save(name, bytes, units) {
  writeFileSync(new URL(`../engine/testing/clips/${name}.ivf`, import.meta.url), bytes);
  console.log(name, bytes.length, "bytes", units, "units");
}

const h264 = ["-c:v", "libx264", "-g", `${group}`, "-keyint_min", `${group}`, "-preset", "veryfast", "-crf", "26"];
const h264Delimited = ["-bsf:v", "h264_metadata=aud=insert"];
const h264Type = (byte) => byte & 31;
const plain = encode("plain.h264", [...h264, "-bf", "0", "-tune", "zerolatency", ...h264Delimited]);
writeIvf("h264", "H264", splitUnits(plain, 9, h264Type));
writeIvf("h264-b", "H264", splitUnits(encode("b.h264", [...h264, "-bf", "2", ...h264Delimited]), 9, h264Type));
// As cameras and editors write files: pictures decoded in another order than shown, the index at the end.
const movie = encode("b.mp4", [...h264, "-bf", "2", "-video_track_timescale", "90000"]);
writeFileSync(new URL("../engine/testing/clips/h264-b.mp4", import.meta.url), movie);
console.log("h264-b.mp4", movie.length, "bytes");
const x265 = `keyint=${group}:min-keyint=${group}:bframes=0:log-level=none`;
const h265 = [
  "-c:v",
  "libx265",
  "-preset",
  "fast",
  "-crf",
  "30",
  "-x265-params",
  x265,
  "-bsf:v",
  "hevc_metadata=aud=insert",
];
writeIvf(
  "h265",
  "HEVC",
  splitUnits(encode("plain.hevc", h265), 35, (byte) => (byte >> 1) & 63),
);
const vp9 = [
  "-c:v",
  "libvpx-vp9",
  "-g",
  `${group}`,
  "-deadline",
  "realtime",
  "-cpu-used",
  "8",
  "-crf",
  "40",
  "-b:v",
  "0",
];
save("vp9", encode("vp9.ivf", [...vp9, "-auto-alt-ref", "0", "-lag-in-frames", "0"]), count);
const av1 = [
  "-c:v",
  "libsvtav1",
  "-g",
  `${group}`,
  "-preset",
  "10",
  "-crf",
  "45",
  "-svtav1-params",
  "pred-struct=1:lookahead=0",
];
save("av1", encode("av1.ivf", av1), count);
rmSync(folder, { recursive: true });

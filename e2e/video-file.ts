import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createFile, MP4BoxBuffer } from "mp4box";

interface ReadVideo {
  codec: string;
  /** Seconds of each picture. */
  times: number[];
  /** The number that each picture carries in 16 squares along its top; null where nothing here decodes it. */
  numbers: number[] | null;
}

const run = (program: string, args: readonly string[]): Buffer | null => {
  const { status, stdout } = spawnSync(program, args, { maxBuffer: 1 << 28 });
  return status === 0 ? stdout : null;
};

/** Reads an MP4 file with programs of another project: FFmpeg's where they are installed, else mp4box. */
export async function readVideoFile(file: string): Promise<ReadVideo> {
  return readByFfmpeg(file) ?? readByMp4box(await readFile(file));
}

function readByFfmpeg(file: string): ReadVideo | null {
  const entries = "stream=codec_name,width,height:frame=pts_time";
  const probed = run("ffprobe", [
    "-v",
    "error",
    "-select_streams",
    "v:0",
    "-show_entries",
    entries,
    "-of",
    "json",
    file,
  ]);
  const pixels = run("ffmpeg", [
    "-v",
    "error",
    "-i",
    file,
    "-fps_mode",
    "passthrough",
    "-f",
    "rawvideo",
    "-pix_fmt",
    "gray",
    "-",
  ]);
  if (!probed || !pixels) return null;
  const { frames, streams } = JSON.parse(probed.toString()) as {
    frames: { pts_time: string }[];
    streams: { codec_name: string; width: number; height: number }[];
  };
  const [{ codec_name: codec, width, height } = { codec_name: "", width: 16, height: 1 }] = streams;
  const square = width / 16;
  const readNumber = (start: number): number => {
    let number = 0;
    for (let bit = 0; bit < 16; bit++) {
      const at = start + Math.floor(square / 2) * width + Math.floor((bit + 0.5) * square);
      if (pixels[at]! > 128) number |= 1 << bit;
    }
    return number;
  };
  const numbers = Array.from({ length: pixels.length / (width * height) }, (_, n) => readNumber(n * width * height));
  return { codec, times: frames.map(({ pts_time: time }) => Number(time)), numbers };
}

function readByMp4box(bytes: Buffer): ReadVideo {
  const file = createFile();
  const read: ReadVideo = { codec: "", times: [], numbers: null };
  file.onReady = ({ videoTracks: [track] }) => {
    if (!track) return;
    read.codec = track.codec.startsWith("avc1") ? "h264" : track.codec.startsWith("vp09") ? "vp9" : "av1";
    file.setExtractionOptions(track.id);
    file.onSamples = (_id, _user, samples) => read.times.push(...samples.map(({ cts, timescale }) => cts / timescale));
    file.start();
  };
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(bytes).buffer, 0), true);
  file.flush();
  return read;
}

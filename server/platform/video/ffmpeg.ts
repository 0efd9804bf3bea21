import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { environmentWith } from "@/server/platform/env";
import { residentMb } from "@/server/platform/process/resident-memory";

/** The limits of one picture. */
const ffmpegLimits = { ms: 10_000, memoryMb: 512, outputBytes: 8 * 1024 * 1024, pixels: 100_000_000 };

/** How ffmpeg calls the form of its input and the decoder, by codec. VP9 and AV1 come in IVF files. */
const inputs = {
  h264: ["h264", "h264"],
  h265: ["hevc", "hevc"],
  vp9: ["ivf", "vp9"],
  av1: ["ivf", null],
} as const;

/** The units of a video from a keyframe on, and which of their pictures is wanted. */
export interface WantedPicture {
  codec: keyof typeof inputs;
  units: readonly Uint8Array[];
  width: number;
  height: number;
  /** The number of the picture, from 0, in the order in which they are shown. */
  index: number;
  /** Pixels on the longer side of the result. */
  maxSide: number;
}

/** ffmpeg gave no picture; `message` is safe to show to users. */
export class VideoUndecoded extends Error {
  override readonly name = "VideoUndecoded";
}

/** The program ffmpeg in the folders of a PATH; null when there is none. */
export function findFfmpeg(folders = environmentWith({}).PATH ?? ""): string | null {
  for (const folder of folders.split(path.delimiter).filter((each) => path.isAbsolute(each))) {
    const file = path.join(folder, "ffmpeg");
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // the next one
    }
  }
  return null;
}

/**
 * A picture of a video as JPEG, decoded by ffmpeg in a process of its own without any of our settings, which is killed at its
 * limits. Throws VideoUndecoded when no picture comes of it, and the signal's reason.
 */
export function decodePicture(program: string, wanted: WantedPicture, signal: AbortSignal): Promise<Uint8Array> {
  const [format, decoder] = inputs[wanted.codec];
  const { index, maxSide } = wanted;
  const size = `w='min(iw,${maxSide})':h='min(ih,${maxSide})':force_original_aspect_ratio=decrease`;
  const input = ["-f", format, ...(decoder === null ? [] : ["-c:v", decoder]), "-i", "pipe:0"];
  const child = spawn(
    program,
    [
      ...["-hide_banner", "-loglevel", "error", "-protocol_whitelist", "pipe", "-threads", "1"],
      ...["-max_pixels", String(ffmpegLimits.pixels), ...input],
      ...["-vf", `select=gte(n\\,${index}),scale=${size}`, "-frames:v", "1", "-an", "-sn", "-dn"],
      ...["-c:v", "mjpeg", "-q:v", "4", "-pix_fmt", "yuvj420p", "-f", "image2pipe", "pipe:1"],
    ],
    // Empty: nothing of this process's settings may be read by a decoder of foreign bytes.
    { env: {} as NodeJS.ProcessEnv, stdio: ["pipe", "pipe", "ignore"], cwd: "/" },
  );
  return new Promise<Uint8Array>((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener("abort", cancel);
      child.kill("SIGKILL");
    };
    const end = (error: unknown): void => {
      finish();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const refuse = (text: string): void => end(new VideoUndecoded(text));
    const cancel = (): void => end(signal.reason);
    const timer = setTimeout(() => refuse("Decoding the picture took longer than 10 seconds."), ffmpegLimits.ms);
    const watch = setInterval(() => {
      if (child.pid !== undefined && residentMb(child.pid) > ffmpegLimits.memoryMb)
        refuse(`Decoding the picture needed more than ${ffmpegLimits.memoryMb} MB of memory.`);
    }, 50);
    signal.addEventListener("abort", cancel, { once: true });
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > ffmpegLimits.outputBytes) refuse("The decoded picture is too large.");
      else parts.push(part);
    });
    child.once("error", end);
    child.once("close", () => {
      if (bytes === 0) return refuse("The video is damaged before this picture.");
      finish();
      resolve(new Uint8Array(Buffer.concat(parts)));
    });
    // ffmpeg ends before it has read everything when it has its picture.
    child.stdin.on("error", () => {});
    child.stdin.end(writeInput(wanted));
    if (signal.aborted) cancel();
  });
}

function writeInput({ codec, units, width, height }: WantedPicture): Buffer {
  if (codec === "h264" || codec === "h265") return Buffer.concat(units);
  const head = Buffer.alloc(32);
  head.write("DKIF");
  head.writeUInt16LE(32, 6);
  head.write(codec === "vp9" ? "VP90" : "AV01", 8);
  head.writeUInt16LE(Math.min(width, 65_535), 12);
  head.writeUInt16LE(Math.min(height, 65_535), 14);
  head.writeUInt32LE(30, 16);
  head.writeUInt32LE(1, 20);
  head.writeUInt32LE(units.length, 24);
  return Buffer.concat([
    head,
    ...units.flatMap((unit, index) => {
      const record = Buffer.alloc(12);
      record.writeUInt32LE(unit.length);
      record.writeUInt32LE(index, 4);
      return [record, unit];
    }),
  ]);
}

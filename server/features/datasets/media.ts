import { secondsFromNs } from "@/domain/time/nanoseconds";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { NotAnItem, type Examined } from "@/server/features/datasets/examined";
import { examineImage } from "@/server/features/datasets/image";
import { examinePoints } from "@/server/features/datasets/points";
import { examineVideo } from "@/server/features/datasets/video";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const headBytes = 64;

/** Detects the media type from the first bytes, independent of the file's name; null for an unsupported format. */
function detectMediaType(head: Uint8Array): string | null {
  const text = Buffer.from(head).toString("latin1");
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  if (text.slice(4, 8) === "ftyp") return text.slice(8, 12) === "qt  " ? "video/quicktime" : "video/mp4";
  if (["moov", "wide", "mdat"].includes(text.slice(4, 8))) return "video/quicktime";
  if (text.startsWith("\x89MCAP0\r\n")) return "recording/mcap";
  if (text.startsWith("#ROSBAG V2.0")) return "recording/bag";
  if (/^ply\r?\n/.test(text)) return "pointcloud/ply";
  if (/^(#[^\n]*PCD|VERSION\s|FIELDS\s)/i.test(text)) return "pointcloud/pcd";
  return null;
}

/** Reads media type, metadata and thumbnail of a file. Throws a NotAnItem for what cannot be annotated. */
export async function examine(file: ByteSource, signal: AbortSignal): Promise<Examined> {
  if (file.size === 0) throw new NotAnItem("The file is empty.");
  const mediaType = detectMediaType(await file.read(0, Math.min(headBytes, file.size)));
  if (mediaType === null) {
    throw new NotAnItem("Unknown format. Datasets take JPEG, PNG, WebP, MP4, MOV, PCD, PLY, MCAP and ROS bags.");
  }
  const [kind] = mediaType.split("/");
  if (kind === "image") return examineImage(file, mediaType);
  if (kind === "video") return examineVideo(file, mediaType, signal);
  if (kind === "pointcloud") return examinePoints(file, mediaType, signal);
  return examineRecording(file, mediaType);
}

async function examineRecording(file: ByteSource, mediaType: string): Promise<Examined> {
  try {
    const reader = await openRecording([file], await recordingCodecs());
    const summary = await reader.summary();
    const seconds = secondsFromNs(summary.endTime - summary.startTime);
    return {
      mediaType,
      thumbnail: null,
      tint: null,
      sha256: null,
      metadata: {
        format: mediaType === "recording/mcap" ? "mcap" : "bag",
        topic_count: summary.topics.length,
        message_count: summary.messageCount,
        duration_seconds: summary.messageCount > 0 ? seconds : 0,
      },
    };
  } catch (error) {
    if (error instanceof RecordingError) throw new NotAnItem(error.message);
    throw error;
  }
}

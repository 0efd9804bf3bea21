import { codecLabels, type VideoCodec } from "@/engine/messages/pictures/video";
import type { StreamParameters } from "@/engine/video/stream-parameters";

const owners: Readonly<Record<VideoCodec, string>> = {
  h264: "Chrome, Edge, Firefox and Safari have it.",
  h265: "Safari, and Chrome and Edge on Windows and macOS, have it.",
  vp9: "Chrome, Edge and Firefox have it.",
  av1: "Chrome, Edge and Firefox have it.",
};

/** Whether the browser decodes streams, asked once for each kind. */
export class VideoSupport {
  private readonly known = new Map<string, Promise<string | null>>();

  /** Why a stream cannot be decoded here; null when it can. */
  findReason(codec: VideoCodec, { codec: name }: StreamParameters): Promise<string | null> {
    const known = this.known.get(name) ?? this.check(codec, name);
    this.known.set(name, known);
    return known;
  }

  private async check(codec: VideoCodec, name: string): Promise<string | null> {
    if (typeof VideoDecoder === "undefined")
      return isSecureContext ? "This browser does not decode video for pages." : "Video needs https.";
    const isSupported = await VideoDecoder.isConfigSupported({ codec: name }).then(
      ({ supported }) => supported === true,
      () => false,
    );
    return isSupported ? null : `This browser has no ${codecLabels[codec]}. ${owners[codec]}`;
  }
}

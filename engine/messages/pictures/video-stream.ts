import { equalBytes } from "@/engine/bytes";
import type { VideoUnit } from "@/engine/messages/pictures/video";
import { readH264Slice } from "@/engine/video/h264";
import { joinByteStream } from "@/engine/video/nal-units";
import type { StreamParameters } from "@/engine/video/stream-parameters";

/** Parameter sets of a stream that are held, and their bytes. */
const maxSets = 64;
const maxSetBytes = 64 * 1024;
/** Pictures that a stream with pictures of both directions may hold back, where it does not say how many. */
const usualReorder = 2;

/** A unit as a decoder takes it. */
export interface StreamUnit {
  isKey: boolean;
  data: Uint8Array;
  /** Whether a picture before it is missing, so that it and all up to the next keyframe are damaged. */
  isAfterGap: boolean;
}

/** The units of one stream in the order of its messages, from a keyframe on, each as a decoder takes it. */
export class VideoStream {
  private sets: Uint8Array[] = [];
  private known: StreamParameters | null = null;
  private lastReference: number | null = null;
  private hasBidirectional = false;

  /** What the stream said of itself; null before its first parameters. */
  get parameters(): StreamParameters | null {
    return this.known;
  }

  /** Pictures that may be decoded before one that is shown earlier. */
  get reorder(): number {
    return Math.min(16, this.known?.reorder ?? (this.hasBidirectional ? usualReorder : 0));
  }

  /** Takes over the parameters that a unit carries. */
  learn({ sets, parameters }: VideoUnit): void {
    if (parameters) {
      this.known = parameters;
      this.sets = [];
    }
    for (const set of sets) {
      const bytes = this.sets.reduce((sum, { length }) => sum + length, set.length);
      if (this.sets.length >= maxSets || bytes > maxSetBytes) return;
      // Copies: they outlive the chunk of their message.
      if (!this.sets.some((known) => equalBytes(known, set))) this.sets.push(new Uint8Array(set));
    }
  }

  /** The next unit; null for one without a picture. */
  next(unit: VideoUnit): StreamUnit | null {
    this.learn(unit);
    if (unit.kind === "parameters") return null;
    const isKey = unit.kind === "key";
    const lacksSets = isKey && unit.parameters === null && this.sets.length > 0;
    return {
      isKey,
      data: lacksSets ? joinByteStream(this.sets, unit.data) : unit.data,
      isAfterGap: this.checkNumber(unit, isKey),
    };
  }

  /** Decoders of H.264 report no missing picture: its number tells. */
  private checkNumber({ slice }: VideoUnit, isKey: boolean): boolean {
    const numbers = this.known?.frameNumbers;
    if (!numbers || slice === null) return false;
    const { frameNumber, isReference, isBidirectional } = readH264Slice(slice, numbers);
    this.hasBidirectional ||= isBidirectional;
    const last = this.lastReference;
    if (isKey || isReference) this.lastReference = frameNumber;
    return !isKey && last !== null && frameNumber !== last && frameNumber !== (last + 1) % 2 ** numbers.bits;
  }
}

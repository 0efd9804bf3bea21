/** A stream of messages as a converter describes it, in the terms of MCAP. */
export interface ConvertedChannel {
  topic: string;
  messageEncoding: string;
  schemaName: string;
  /** Empty, like `schemaData`, when the file has no definition: its messages are counted, not decoded. */
  schemaEncoding: string;
  schemaData: Uint8Array;
}

/** The schema of a topic whose fields are settings of a robot: states, whatever numbers they are. */
export const parametersSchema = "px4/msg/parameters";

/** What a converter writes to: an indexed MCAP file. Messages may come in any order. */
export interface ConversionSink {
  /** The id for the messages of the channel. */
  addChannel(channel: ConvertedChannel): Promise<number>;
  /** `logTime` in nanoseconds since 1970, not negative. `data` is copied. */
  addMessage(channelId: number, logTime: bigint, data: Uint8Array): Promise<void>;
  /** Texts that belong to the file as a whole, such as parameters. */
  addMetadata(name: string, entries: ReadonlyMap<string, string>): Promise<void>;
}

/** The outcome of a conversion. */
export interface Conversion {
  /** Of the original: db3 or ulog. */
  format: "db3" | "ulog";
  messageCount: number;
  /** The original ends, or cannot be read any further, before its recorder closed it. */
  truncated: boolean;
  /** One line each, safe to show to users. */
  warnings: string[];
}

export interface ConversionOptions {
  /** Lets other work run; throws when the time for the conversion is over or it was cancelled. */
  pause: () => Promise<void>;
  /** Whether it is time for a pause; cheap. */
  isDue: () => boolean;
  /** `done`: 0..1. */
  onProgress?: (done: number) => void;
}

/** A file that no converter can read; `message` is the end of a sentence that begins with the file. */
export class NotConvertible extends Error {
  override readonly name = "NotConvertible";
}

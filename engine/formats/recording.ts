import type { Attachment } from "@/engine/formats/attachment";
import type { UnpackMessage } from "@/engine/formats/packed-message";

/** One stream of messages: a topic and how its messages are encoded. `id` is unique within the recording. */
export interface Channel {
  id: number;
  topic: string;
  /** ros1, cdr, protobuf, json, … as named in the file. */
  messageEncoding: string;
  schemaName: string;
  /** ros1msg, ros2msg, ros2idl, omgidl, protobuf, jsonschema, … or empty. */
  schemaEncoding: string;
  schemaData: Uint8Array;
  /** Unpacks payloads, which some recorders compress one by one; for channels in CDR. */
  unpack?: UnpackMessage;
}

/** One message, undecoded. Times in nanoseconds since the epoch; bags have only the log time and no sequence. */
export interface RawMessage {
  channel: Channel;
  logTime: bigint;
  publishTime: bigint;
  sequence: number;
  data: Uint8Array;
}

export interface TopicStats {
  topic: string;
  schemaName: string;
  messageCount: number;
  /** Nanoseconds. */
  firstTime: bigint;
  lastTime: bigint;
  /** Median time between neighbouring messages, zero periods ignored; null with fewer than 3 messages. */
  medianPeriodNs: bigint | null;
  encoding: string;
}

/**
 * A span without data. `silence`: no topic has a message for longer than a second and than five times the
 * recording's median period over all messages. `truncated`: messages were recorded there but could not be read.
 */
export interface Gap {
  startTime: bigint;
  endTime: bigint;
  kind: "silence" | "truncated";
}

export interface RecordingSummary {
  /** Of the first file as it was uploaded. */
  format: "mcap" | "rosbag" | "db3" | "ulog";
  /** Nanoseconds; both 0 for a recording without messages. Outliers are counted nowhere but in a warning. */
  startTime: bigint;
  endTime: bigint;
  messageCount: number;
  /** By topic, then by what defines them: equal definitions in several files are one channel. */
  channels: Channel[];
  /** By topic; only topics with messages. */
  topics: TopicStats[];
  gaps: Gap[];
  /** Some file ends before its recorder closed it. */
  truncated: boolean;
  /** What recorders wrote beside the messages, in the order of the files. */
  attachments: Attachment[];
  /** Problems of the files, one line each, safe to show to users. */
  warnings: string[];
}

export interface ReadOptions {
  /** Exact topic names; all when absent. */
  topics?: ReadonlySet<string>;
  /** First and last log time wanted, nanoseconds, both included. */
  start?: bigint;
  end?: bigint;
  /** Ends the reading with the signal's reason. */
  signal?: AbortSignal;
}

/** An open recording. Other readers could implement the same interface. */
export interface RecordingReader {
  /**
   * Counts, times and definitions, from indexes or a scan of the message headers; payloads are never decoded. Damage
   * found while messages are read is included in summaries requested afterwards. Throws a RecordingError when there are
   * messages but none that can be read.
   */
  summary(): Promise<RecordingSummary>;
  /**
   * All messages of all files by (log time, topic, sequence, payload bytes), however they are stored, in batches.
   * After `summary`, messages whose time is an outlier are left out.
   * Payloads are views that hold on to their chunk: copy what has to outlive the next batch.
   */
  messages(options?: ReadOptions): AsyncIterable<RawMessage[]>;
  /** Where its chunks lie and what they hold, for `openPacked`; complete after `summary`. */
  pack(): Uint8Array;
}

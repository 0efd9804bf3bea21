/** A picture of a camera at a moment of the shared range. */
interface SharedStill {
  at_ns: string;
  /** Short-lived. */
  url: string;
}

/** A field over the shared range, as series are. */
export interface SharedPlot {
  topic: string;
  field: string;
  kind: "number";
  unit?: string | undefined;
  level: number | "raw";
  from: string;
  to: string;
  points: [time: string, min: number, max: number, first: number, last: number, count: number][];
}

/** What whoever has the link sees of a recording, and nothing else of its organization. */
export interface SharedRecording {
  name: string;
  device_name: string;
  started_at: string;
  organization_name: string;
  shared_by: string;
  expires_at: string;
  note: string;
  from_ns: string;
  to_ns: string;
  plots: SharedPlot[];
  cameras: { topic: string; stills: SharedStill[] }[];
  /** The range as a file; null while it cannot be read. */
  download: { url: string; file_name: string } | null;
  /** Other programs that open it; null where only a part of the recording is shared, which they cannot be limited to. */
  viewers: { name: string; href: string | null; reason: string | null }[] | null;
}

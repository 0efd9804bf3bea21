import { widen, type SignalField, type SignalType } from "@/engine/signals/signal-types";
import { columnName } from "@/engine/signals/signals-writer";

/** The file of a topic in one recording. */
export interface TopicFile {
  recordingId: string;
  deviceId: string;
  deviceName: string;
  topic: string;
  storageKey: string;
  sizeBytes: number;
  etag: string;
  fields: readonly SignalField[];
}

/** A recording that a topic's table leaves out. */
export interface SkippedRecording {
  recording_id: string;
  topic: string;
  reason: string;
}

/** Definitions of one topic that a table joins at most. */
const maxShapes = 100;

const sqlTypes: Record<SignalType, string> = {
  bool: "BOOLEAN",
  int8: "TINYINT",
  uint8: "UTINYINT",
  int16: "SMALLINT",
  uint16: "USMALLINT",
  int32: "INTEGER",
  uint32: "UINTEGER",
  int64: "BIGINT",
  uint64: "UBIGINT",
  float32: "FLOAT",
  float64: "DOUBLE",
  enum: "VARCHAR",
};

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The name of a topic's file of a recording in the folder: recording and device are in it, for DuckDB. */
export const tablePath = (topicAt: number, recordingId: string, deviceAt: number): string =>
  `${topicAt}~${recordingId}~${deviceAt}.parquet`;

/** A part of that name in SQL. DuckDB leaves out files whose names a filter by it excludes. */
const namePart = (position: number): string => `split_part(parse_filename(filename, true), '~', ${position})`;

interface Shape {
  key: string;
  fields: readonly SignalField[];
  files: TopicFile[];
}

/**
 * The statement that creates a topic's table over its files, the newest first. Fields of one name and several types are
 * widened; a recording whose types cannot be is skipped.
 */
export function createTable(
  topic: string,
  files: readonly TopicFile[],
  place: { topicAt: number; folder: string; devices: ReadonlyMap<string, number> },
): { sql: string; files: TopicFile[]; skipped: SkippedRecording[] } {
  const types = new Map<string, SignalField>();
  const shapes = new Map<string, Shape>();
  const skipped: SkippedRecording[] = [];
  for (const file of files) {
    const own = new Map<string, SignalType>();
    const clash = file.fields.find((field) => {
      const known = types.get(field.path.toLowerCase());
      const type = known ? widen(known.type, field.type) : field.type;
      if (type) own.set(field.path, type);
      return type === null;
    });
    const key = JSON.stringify(file.fields);
    if (clash || (!shapes.has(key) && shapes.size >= maxShapes)) {
      const reason = clash
        ? `"${clash.path}" is ${clash.type}, and ${types.get(clash.path.toLowerCase())!.type} in newer recordings.`
        : "There are too many definitions of this topic.";
      skipped.push({ recording_id: file.recordingId, topic, reason });
      continue;
    }
    for (const [path, type] of own) {
      const known = types.get(path.toLowerCase());
      types.set(path.toLowerCase(), { path: known?.path ?? path, type });
    }
    const shape = shapes.get(key) ?? { key, fields: file.fields, files: [] };
    shape.files.push(file);
    shapes.set(key, shape);
  }
  const columns = [...types.values()];
  const parts = [...shapes.values()].map((shape) => select(shape, columns, place));
  const used = [...shapes.values()].flatMap((shape) => shape.files);
  return { sql: `create view ${quoteName(topic)} as ${parts.join(" union all ")}`, files: used, skipped };
}

/** The rows of recordings that have the same fields. */
function select(
  { fields, files }: Shape,
  columns: readonly SignalField[],
  { topicAt, folder, devices }: { topicAt: number; folder: string; devices: ReadonlyMap<string, number> },
): string {
  const names = new Map(
    files.map((file) => [devices.get(file.deviceId) ?? 0, { id: file.deviceId, name: file.deviceName }]),
  );
  const known = [...names].sort(([a], [b]) => a - b);
  const positions = `[${known.map(([at]) => at).join(", ")}]`;
  const pick = (values: string[]): string =>
    `list_extract([${values.map(quoteText).join(", ")}]::VARCHAR[], list_position(${positions}::BIGINT[], ${namePart(3)}::BIGINT))`;
  const has = new Set(fields.map(({ path }) => path.toLowerCase()));
  const paths = files.map((file) =>
    quoteText(`${folder}/${tablePath(topicAt, file.recordingId, devices.get(file.deviceId) ?? 0)}`),
  );
  const list = [
    `${namePart(2)} as recording_id`,
    `${pick(known.map(([, { id }]) => id))} as device_id`,
    `${pick(known.map(([, { name }]) => name))} as device_name`,
    "log_time",
    ...columns.map(({ path, type }) => {
      const name = quoteName(columnName(path));
      return has.has(path.toLowerCase())
        ? `${name}::${sqlTypes[type]} as ${name}`
        : `null::${sqlTypes[type]} as ${name}`;
    }),
  ];
  return `select ${list.join(", ")} from read_parquet([${paths.join(", ")}], filename = true, hive_partitioning = false)`;
}

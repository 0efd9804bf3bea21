import { otherName, parsePath, PathError, type PathStep } from "@/domain/conditions/path";
import { csvCell, csvLine, joinCsvCells } from "@/domain/csv";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";

/** The column of the time at which each message was recorded. */
const timeColumn = "log_time_ns";

/** The steps of a path; null for one that names no single value. */
function toSteps(path: string): PathStep[] | null {
  try {
    return parsePath(path, "");
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

function readStep(value: unknown, step: PathStep): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (step.kind === "key") {
    if (Object.hasOwn(value, step.key)) return Reflect.get(value, step.key);
    const other = otherName(step.key);
    return other !== undefined && Object.hasOwn(value, other) ? Reflect.get(value, other) : undefined;
  }
  if (step.kind !== "index" || !(Array.isArray(value) || ArrayBuffer.isView(value))) return undefined;
  return Reflect.get(value, step.index);
}

/** A time in seconds with nine digits; other values as they are. */
function toCell(value: unknown): string {
  if (typeof value !== "object" || value === null) return csvCell(value);
  const seconds: unknown = Reflect.get(value, "sec");
  const nanoseconds: unknown = Reflect.get(value, "nanosec") ?? Reflect.get(value, "nsec");
  if (typeof seconds !== "number" || typeof nanoseconds !== "number") return "";
  return `${seconds}.${String(nanoseconds).padStart(9, "0")}`;
}

/** Writes messages of one topic as lines of a table, with a column for each field by its path. */
export class CsvRows {
  private readonly columns: { path: string; steps: PathStep[] }[];
  /** Messages that could not be decoded: their rows have only a time. */
  unreadable = 0;

  constructor(
    paths: readonly string[],
    private readonly decoders: MessageDecoders,
  ) {
    this.columns = paths.flatMap((path) => {
      const steps = toSteps(path);
      return steps === null ? [] : [{ path, steps }];
    });
  }

  header(): string {
    return csvLine([timeColumn, ...this.columns.map(({ path }) => path)]);
  }

  row(message: RawMessage): string {
    const value = this.decode(message);
    const cells = this.columns.map(({ steps }) => toCell(steps.reduce(readStep, value)));
    return joinCsvCells([String(message.logTime), ...cells]);
  }

  private decode(message: RawMessage): unknown {
    try {
      return this.decoders.decode(message);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      this.unreadable += 1;
      return undefined;
    }
  }
}

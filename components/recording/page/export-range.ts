import type { CutFormat } from "@/domain/cuts/schema";
import { maxNs, parseDateTimeNs, shortIsoFromNs } from "@/domain/time/nanoseconds";
import { isCameraSchema, isPictureSchema } from "@/engine/messages/pictures/picture-schemas";

/** What a range is saved as: by the server, or as a video, which the page makes. */
export type ExportFormat = CutFormat | "video";

/** A moment as its field shows it: `2026-01-02 03:04:05.5`, in UTC. */
export const formatMoment = (ns: bigint): string => shortIsoFromNs(ns).replace("T", " ").replace(/Z$/, "");

/** The moment in a field; null for anything else. */
export function parseMoment(text: string): bigint | null {
  const trimmed = text.trim();
  if (/^\d{16,19}$/.test(trimmed)) return BigInt(trimmed) <= maxNs ? BigInt(trimmed) : null;
  const iso = trimmed.replace(/\s+/, "T");
  return parseDateTimeNs(/(Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso : `${iso}Z`);
}

/** A topic that may be exported. */
interface ExportedTopic {
  name: string;
  schema: string;
  fields: readonly unknown[];
}

/** Whether a format can hold a topic. */
export function canHold(format: ExportFormat, { schema, fields }: ExportedTopic): boolean {
  if (format === "mcap") return true;
  if (format === "video") return isCameraSchema(schema);
  return format === "csv" ? fields.length > 0 : isPictureSchema(schema);
}

/** What is to be exported. */
export interface RangeExport {
  uid: string;
  from: bigint;
  to: bigint;
  /** Null for all. */
  topics: readonly string[] | null;
  format: CutFormat;
}

/** The address from which the browser downloads it. */
export function toAddress({ uid, from, to, topics, format }: RangeExport): string {
  const query = new URLSearchParams({ from: String(from), to: String(to), format });
  if (topics !== null) query.set("topics", topics.join(","));
  return `/media/recordings/${uid}/cut?${query}`;
}

/** The name of a video file, as the server names ranges. */
export const toVideoName = (title: string, from: bigint): string =>
  `${title.replace(/[^\p{L}\p{N} ._-]+/gu, "_")} ${shortIsoFromNs(from).replaceAll(":", "-")}.mp4`;

const quote = (text: string): string => (/^[\w/.:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The command that downloads the same, and opens it in Rerun where that can. */
export function toCommand({ uid, from, to, topics, format }: RangeExport): string {
  const parts = ["muster download", uid, "--from", shortIsoFromNs(from), "--to", shortIsoFromNs(to)];
  if (topics !== null) parts.push("--topics", quote(topics.join(",")));
  if (format !== "mcap") return [...parts, "--format", format].join(" ");
  return `${[...parts, "-o", "cut.mcap"].join(" ")} && rerun cut.mcap`;
}

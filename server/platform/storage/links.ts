import { databaseMs } from "@/server/platform/clock";
import { actorTypes } from "@/server/platform/context";
import { isSignature, sign } from "@/server/platform/crypto";
import { isKey } from "@/server/platform/storage/keys";
import type { DownloadTarget, ObjectPart, UploadTarget } from "@/server/platform/storage/store";

/** Our own server serves and receives the objects of the disk store below these paths. */
export const filesPath = "/files/";
export const uploadPath = "/files/upload/";

type Field = string | number;

function link(base: string, purpose: string, key: string, fields: Readonly<Record<string, Field>>): string {
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  query.set("signature", sign(purpose, JSON.stringify([key, ...Object.values(fields)])));
  return `${base}${key}?${query}`;
}

const inSeconds = (ttlSeconds: number): number => Math.floor(databaseMs() / 1000) + ttlSeconds;

/** A path on our own server to upload this object to, until the link expires. */
export const uploadLink = ({ key, sizeBytes, account, ttlSeconds }: UploadTarget): string =>
  link(uploadPath, "upload", key, { size: sizeBytes, account, expires: inSeconds(ttlSeconds) });

/** A path on our own server to download this object from, or a part of it, until the link expires. */
export const downloadLink = ({ key, fileName, by, ttlSeconds }: DownloadTarget, part?: ObjectPart): string =>
  // By its purpose, so that a link to a part never becomes one to the object.
  link(filesPath, part ? "download-part" : "download", key, {
    name: fileName,
    ...(by && { by: `${by.type}:${by.id}` }),
    ...(part && { part: `${part.as}:${part.start}-${part.end}` }),
    expires: inSeconds(ttlSeconds),
  });

export interface ReadUploadLink {
  key: string;
  sizeBytes: number;
  account: string;
}

/** Verifies an upload link and returns what it grants; `invalid` without a valid signature. */
export function readUploadLink(url: URL): ReadUploadLink | "invalid" | "expired" {
  const key = url.pathname.slice(uploadPath.length);
  const { searchParams: query } = url;
  const [size, account, expires] = [
    Number(query.get("size")),
    query.get("account") ?? "",
    Number(query.get("expires")),
  ];
  if (!isValid("upload", key, [size, account, expires], query)) return "invalid";
  return expires * 1000 < databaseMs() ? "expired" : { key, sizeBytes: size, account };
}

export interface ReadDownloadLink extends Omit<DownloadTarget, "ttlSeconds"> {
  /** Null for the complete object. */
  part: ObjectPart | null;
}

/** Verifies a download link and returns what it grants; null without a valid signature or after its expiry. */
export function readDownloadLink(url: URL): ReadDownloadLink | null {
  const key = url.pathname.slice(filesPath.length);
  const { searchParams: query } = url;
  const [name, by, part] = [query.get("name") ?? "", query.get("by"), query.get("part")];
  const expires = Number(query.get("expires"));
  const fields = [name, ...(by === null ? [] : [by]), ...(part === null ? [] : [part]), expires];
  const purpose = part === null ? "download" : "download-part";
  if (!isValid(purpose, key, fields, query) || expires * 1000 < databaseMs()) return null;
  return { key, fileName: name, by: parseActor(by), part: part === null ? null : parsePart(part) };
}

function parsePart(text: string): ObjectPart {
  const [as, start, end] = text.split(/[:-]/);
  return { as: as === "metadata" ? "metadata" : "bytes", start: Number(start), end: Number(end) };
}

function parseActor(text: string | null): DownloadTarget["by"] {
  const [type = "", id] = text?.split(":") ?? [];
  const known = actorTypes.find((each) => each === type);
  return known && id !== undefined ? { type: known, id } : null;
}

const isValid = (purpose: string, key: string, fields: readonly Field[], query: URLSearchParams): boolean =>
  isKey(key) && isSignature(purpose, JSON.stringify([key, ...fields]), query.get("signature") ?? "");

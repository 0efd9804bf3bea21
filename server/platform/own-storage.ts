/** Where the installation stores its files: below DATA_DIR, or in a bucket. */
export type OwnStorage = "disk" | { bucket: string; prefix: string | null };

/** Parses `disk` or `s3://bucket/prefix`; null for anything else. */
export function parseStorage(text: string): OwnStorage | null {
  if (text === "disk") return "disk";
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]{1,200}))?\/?$/.exec(text);
  if (!match?.[1]) return null;
  const prefix = (match[2] ?? "").split("/").filter(Boolean).join("/");
  return { bucket: match[1], prefix: prefix === "" ? null : prefix };
}

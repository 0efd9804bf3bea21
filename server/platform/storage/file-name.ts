/** Names that Windows reserves, also with an extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const maxLength = 200;

/** A safe name to show and to save an uploaded file: the last part of its path, without what file systems refuse. */
export function displayName(path: string): string {
  const last = path.split(/[\\/]/).at(-1) ?? "";
  // Control characters, marks that change the direction of text, and characters that Windows refuses.
  const clean = last
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"|?*]/gu, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const safe = reserved.test(clean) ? `_${clean}` : clean;
  return cut(safe) || "file";
}

/** Shortens the name before its extension. */
function cut(name: string): string {
  const characters = [...name];
  if (characters.length <= maxLength) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  return characters.slice(0, maxLength - extension.length).join("") + extension;
}

/** `Content-Disposition` of a download (RFC 6266): plain ASCII for old clients and UTF-8 for others. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Media that cannot run scripts, by the extension of the file name; everything else is served as bytes. */
const mediaTypes: Readonly<Record<string, string>> = {
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  mov: "video/quicktime",
  mp4: "video/mp4",
  png: "image/png",
  webp: "image/webp",
};

/** The media type with which a download is served. */
export const getMediaType = (fileName: string): string =>
  mediaTypes[/\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";

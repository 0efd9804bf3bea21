/** Names that Windows gives a meaning of its own, whatever follows their first dot. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const longest = 200;

/**
 * The name of an uploaded file as it may be shown and saved: the last part of its path, without what file systems
 * refuse.
 */
export function displayName(path: string): string {
  const last = path.split(/[\\/]/).at(-1) ?? "";
  // Control characters, the marks that turn the direction of text, and what Windows refuses.
  const clean = last
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"|?*]/gu, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const safe = reserved.test(clean) ? `_${clean}` : clean;
  return cut(safe) || "file";
}

/** Cut in the middle of its stem, so that the extension survives. */
function cut(name: string): string {
  const characters = [...name];
  if (characters.length <= longest) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  return characters.slice(0, longest - extension.length).join("") + extension;
}

/** `Content-Disposition` of a download (RFC 6266): plain ASCII for old clients, UTF-8 beside it. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Longest name of a file without its ending: file systems take 255 bytes. */
const maxLength = 180;

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*~]|^\./g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/**
 * Names the files of a recording's topics: the topic percent-encoded, and `.parquet`. Where two names would differ only
 * in case, which some file systems ignore, or be too long, the later one ends in a number.
 */
export function createSignalFileNames(): (topic: string) => string {
  const taken = new Set<string>();
  return (topic) => {
    // Lone surrogates cannot be encoded.
    const full = encode(topic.replace(/[\uD800-\uDFFF]/gu, "\uFFFD"));
    const base = full.length > maxLength ? full.slice(0, maxLength).replace(/%.?$/, "") : full;
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()) || name === ""; number++) name = `${base}-${number}`;
    taken.add(name.toLowerCase());
    return `${name}.parquet`;
  };
}

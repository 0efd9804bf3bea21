/** Makes the browser save a text as a file, as it does for a link to one. */
export function saveFile({ name, content, type }: { name: string; content: string; type: string }): void {
  saveBlob(new Blob([content], { type }), name);
}

/** Makes the browser save bytes as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

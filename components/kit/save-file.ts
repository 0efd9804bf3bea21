/** Makes the browser save a text as a file, as it does for a link to one. */
export function saveFile({ name, content, type }: { name: string; content: string; type: string }): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

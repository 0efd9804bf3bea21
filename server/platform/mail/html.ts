const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes text for HTML, including attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Wraps the HTML content of a mail into a document: one column, no images, readable without styles. */
export const page = (content: string): string =>
  `<!doctype html><html><body style="font:16px/1.5 sans-serif;color:#111;max-width:36em">${content}</body></html>`;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as it may stand in HTML, in attributes too. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** A mail's HTML around its content, which is HTML already: one column, no images, readable without styles. */
export const page = (content: string): string =>
  `<!doctype html><html><body style="font:16px/1.5 sans-serif;color:#111;max-width:36em">${content}</body></html>`;

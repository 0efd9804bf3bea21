/** Percent-encodes for signed URLs, including the five characters that encodeURIComponent does not encode. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

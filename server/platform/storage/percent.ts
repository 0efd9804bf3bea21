/** As addresses are signed: the five that encodeURIComponent leaves as they are count among those to be escaped. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Escapes `%`, `_` and the backslash, so that a LIKE pattern matches the text literally. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`);

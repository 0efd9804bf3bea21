/** Text as a pattern of LIKE finds it, character for character: `%`, `_` and the backslash stand for themselves. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`);

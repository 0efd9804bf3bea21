/** A part of a text by its character positions. */
export interface Place {
  from: number;
  to: number;
}

const marked = /\n\nLINE (\d+): (.*)\n( *)\^/s;

/**
 * What a refusal of DuckDB says, without the line that it quotes, and where in the query that line's mark is: the word
 * there. `place` is null without a mark, or when the query was changed since.
 */
export function readRefusal(message: string, sql: string): { text: string; place: Place | null } {
  const found = marked.exec(message);
  const text = (found ? message.slice(0, found.index) : message).trim();
  if (!found) return { text, place: null };
  const [, number = "1", quoted = "", indent = ""] = found;
  const lines = sql.split("\n");
  const at = Number(number) - 1;
  const line = lines[at];
  if (line === undefined) return { text, place: null };
  // Of a long line DuckDB quotes what is near the mark, between dots.
  const begins = quoted.startsWith("...") ? 3 : 0;
  const core = quoted.slice(begins).replace(/\.\.\.$/, "");
  const start = line.indexOf(core);
  const column = start + indent.length - `LINE ${number}: `.length - begins;
  if (start < 0 || column < 0 || column > line.length) return { text, place: null };
  const offset = lines.slice(0, at).reduce((sum, each) => sum + each.length + 1, 0);
  const word = /^("[^"]*"?|'[^']*'?|\w+|\S)/.exec(line.slice(column))?.[0].length ?? 0;
  // At the end of a line there is no word to mark; the character before it is.
  const from = offset + (word === 0 ? Math.max(0, column - 1) : column);
  return { text, place: { from, to: Math.min(sql.length, from + Math.max(1, word)) } };
}

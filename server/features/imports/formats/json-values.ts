import { TokenType, Tokenizer, TokenParser } from "@streamparser/json";
import { BadAnnotationFile, readLimits } from "@/server/features/imports/formats/annotation-file";
import { inSource, type Source } from "@/server/features/imports/formats/sources";

/** A value of a document. */
interface JsonValue {
  /** The name of the outermost list that it is in; a number where the document itself is that list. */
  list: string | number | undefined;
  /** The keys that lead to it. */
  path: readonly (string | number | undefined)[];
  value: unknown;
}

interface JsonPart {
  values: JsonValue[];
  /** Whether the list of the last value ended in this part or an earlier one. */
  hasEnded: boolean;
}

const maxDepth = 64;

/** Counts lines up to where a fault is. */
class Lines {
  private before = 1;
  private bytes = 0;
  private last: Buffer = Buffer.alloc(0);

  add(part: Buffer): void {
    this.before += countLines(this.last, this.last.length);
    this.bytes += this.last.length;
    this.last = part;
  }

  /** The line of a byte of the last part. */
  getLine(at: number): number {
    return this.before + countLines(this.last, at);
  }

  get total(): number {
    return this.bytes + this.last.length;
  }
}

function countLines(part: Buffer, end: number): number {
  let lines = 0;
  for (let at = part.indexOf(10); at >= 0 && at < end; at = part.indexOf(10, at + 1)) lines += 1;
  return lines;
}

const cutOff = "the document ends too early: it is cut off.";

/** What is wrong with a text that is no JSON, in words. */
function describeFault(error: unknown, lines: Lines): string {
  if (!(error instanceof Error)) return "it cannot be read.";
  if (error instanceof TypeError) return `from line ${lines.getLine(0)}: the text is not UTF-8.`;
  const [, character, at] = /^Unexpected "(.*)" at chunk position "(\d+)"/s.exec(error.message) ?? [];
  if (character !== undefined && at !== undefined) {
    const line = lines.getLine(Number(at));
    return character === "N" || character === "I"
      ? `line ${line}: NaN and Infinity are no numbers of JSON; write null, or leave the value out.`
      : `line ${line}: ${JSON.stringify(character)} is not expected here.`;
  }
  const [, token] = /^Unexpected (\w+)/.exec(error.message) ?? [];
  return token === undefined ? cutOff : `from line ${lines.getLine(0)}: the structure of the document is broken.`;
}

/**
 * The values at paths of a document of JSON, such as `$.images.*`, in parts. What is not at one of them is passed over. Throws
 * BadAnnotationFile for what is no JSON, or has values of more bytes than memory may hold.
 */
export async function* readJson(source: Source, paths: readonly string[]): AsyncGenerator<JsonPart> {
  const tokenizer = new Tokenizer({ numberBufferSize: 64 });
  const parser = new TokenParser({ paths: [...paths], keepStack: false });
  // Between the values of the outermost lists nothing is kept.
  const outside = Math.min(...paths.map((path) => path.split(".").length - 1));
  const lines = new Lines();
  let values: JsonValue[] = [];
  let [depth, kept, parts, hasEnded, isIn]: [number, number, number, boolean, boolean] = [0, 0, 0, false, false];
  tokenizer.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) {
      depth += 1;
      parts += 1;
      if (parts > readLimits.valueParts)
        throw new BadAnnotationFile(
          `${inSource(source, `up to line ${lines.getLine(Infinity)}`)}: a value has more than ${readLimits.valueParts} parts.`,
        );
      if (depth > maxDepth) throw new BadAnnotationFile(`${inSource(source, "the document")} is nested too deeply.`);
    } else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (depth <= outside) [kept, parts] = [lines.total, 0];
    if (depth < outside && isIn) [hasEnded, isIn] = [true, false];
    parser.write(token);
  };
  parser.onValue = ({ value, key, stack }) => {
    const path = [...stack.slice(1).map((each) => each.key), key];
    values.push({ list: path[0], path, value });
    [kept, parts] = [lines.total, 0];
    isIn = true;
  };
  try {
    for await (const part of source.read()) {
      lines.add(part);
      tokenizer.write(part);
      if (lines.total - kept > readLimits.valueBytes)
        throw new BadAnnotationFile(
          `${inSource(source, `up to line ${lines.getLine(part.length)}`)}: a value has more than ${readLimits.valueBytes / 1024 ** 2} MiB.`,
        );
      if (values.length > 0 || hasEnded) yield { values, hasEnded };
      values = [];
    }
    if (lines.total === 0) throw new BadAnnotationFile(inSource(source, "the file is empty."));
    tokenizer.end();
    if (!parser.isEnded) throw new BadAnnotationFile(inSource(source, cutOff));
    if (values.length > 0) yield { values, hasEnded };
  } catch (error) {
    if (error instanceof BadAnnotationFile || !isFault(error)) throw error;
    throw new BadAnnotationFile(inSource(source, describeFault(error, lines)));
  }
}

/** Whether an error is the document's; those of the disk have other codes. */
const isFault = (error: unknown): boolean =>
  error instanceof Error &&
  (/^Token(izer|Parser)Error$/.test(error.constructor.name) ||
    ("code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA") ||
    (error.constructor === Error && !("code" in error)));

/** Bytes in which the members of a document show what it is. */
const maxHead = 4 * 1024 * 1024;

/**
 * What `decide` makes of the names of a document's members so far, or of the members of its first entry where it is a list; null
 * where it decides nothing in the first megabytes. Faults are left to whoever reads it.
 */
export async function decideByMembers<T>(
  source: Source,
  decide: (names: ReadonlySet<string>, isList: boolean) => T | null,
): Promise<T | null> {
  const tokenizer = new Tokenizer();
  const names = new Set<string>();
  let [depth, bytes, isList, isDone]: [number, number, boolean, boolean] = [0, 0, false, false];
  let text: string | null = null;
  let decided: T | null = null;
  tokenizer.onToken = ({ token, value }) => {
    if (isDone) return;
    if (token === TokenType.LEFT_BRACKET && depth === 0) isList = true;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (depth === (isList ? 2 : 1) && token === TokenType.COLON && text !== null) {
      names.add(text);
      decided = decide(names, isList);
    }
    text = token === TokenType.STRING ? String(value) : null;
    isDone = decided !== null || (isList && names.size > 0 && depth === 1);
  };
  try {
    for await (const part of source.read()) {
      tokenizer.write(part);
      bytes += part.length;
      if (isDone || bytes > maxHead) break;
    }
  } catch (error) {
    if (!isFault(error)) throw error;
  }
  return decided;
}

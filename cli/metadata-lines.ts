import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { z } from "zod";
import { CommandError } from "@/cli/client/api-client";
import { itemMetadata } from "@/domain/datasets/schema";
import { issueMessage } from "@/domain/field-messages";

const Line = z.object({ key: z.string(), metadata: itemMetadata() });
type Metadata = z.output<typeof Line>["metadata"];

/** The metadata of items by the paths of their files. */
export interface ItemMetadata {
  /** The number of files that metadata is given for. */
  count: number;
  has: (path: string) => boolean;
  read: (path: string) => Promise<Metadata | null>;
  close: () => Promise<void>;
}

/** None. */
export const noMetadata: ItemMetadata = {
  count: 0,
  has: () => false,
  read: () => Promise.resolve(null),
  close: () => Promise.resolve(),
};

function parseLine(text: string, at: string): z.output<typeof Line> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new CommandError(`${at} is not JSON.`);
  }
  const parsed = Line.safeParse(document, { error: issueMessage });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CommandError(`${at}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

/** The lines of a file with their places in it. */
async function* scanLines(file: string): AsyncGenerator<{ text: string; start: number; length: number }> {
  let rest = Buffer.alloc(0);
  let start = 0;
  const cut = (line: Buffer) => {
    const found = { text: line.toString("utf8").trim(), start, length: line.length };
    start += line.length + 1;
    return found;
  };
  for await (const chunk of createReadStream(file)) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      yield cut(rest.subarray(from, end));
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield cut(rest);
}

/**
 * Opens a file of lines such as `{"key": "front/1.png", "metadata": {"weather": "rain"}}`. All are checked; of each only its
 * key and place are kept. Throws a CommandError that names the line.
 */
export async function openMetadata(file: string): Promise<ItemMetadata> {
  const places = new Map<string, { start: number; length: number }>();
  let handle: FileHandle;
  try {
    handle = await open(file, "r");
  } catch {
    throw new CommandError(`${file} does not exist or cannot be read.`);
  }
  try {
    let number = 0;
    for await (const { text, start, length } of scanLines(file)) {
      number++;
      if (text === "") continue;
      const at = `${file}, line ${number}`;
      const { key } = parseLine(text, at);
      if (places.has(key)) throw new CommandError(`${at}: ${JSON.stringify(key)} has metadata in a line above.`);
      places.set(key, { start, length });
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    count: places.size,
    has: (path) => places.has(path),
    read: async (path) => {
      const place = places.get(path);
      if (!place) return null;
      const bytes = Buffer.alloc(place.length);
      await handle.read(bytes, 0, place.length, place.start);
      return parseLine(bytes.toString("utf8"), `${file}, the line of ${path}`).metadata;
    },
    close: () => handle.close(),
  };
}

import { normalizePath } from "@/domain/conditions/path";

/** A field of a topic, and how a path names both: `/motor/temp.data.value`, `/scan.ranges[0]`. */
export interface FieldPath {
  topic: string;
  field: string;
}

export interface PathTopic {
  name: string;
  fields: readonly { path: string; kind: string; unit?: unknown }[];
}

export const formatPath = ({ topic, field }: FieldPath): string =>
  field.startsWith("[") ? `${topic}${field}` : `${topic}.${field}`;

/**
 * Reads a path against the topics of a recording: the longest topic that begins it and a field the topic has. Topics
 * may hold dots, so the path alone does not show where one ends. Null for what names no field.
 */
export function parsePath(path: string, topics: readonly PathTopic[]): FieldPath | null {
  const text = path.trim();
  for (const { name, fields } of listBegun(text, topics)) {
    const rest = text.slice(name.length).replace(/^\./, "");
    const normal = normalizePath(rest);
    const found = fields.find((field) => field.path === rest) ?? fields.find((field) => field.path === normal);
    if (found) return { topic: name, field: found.path };
  }
  return null;
}

/** The topics that begin a path, the longest first. */
const listBegun = <Topic extends { name: string }>(path: string, topics: readonly Topic[]): Topic[] =>
  topics
    .filter(({ name }) => path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
    .sort((a, b) => b.name.length - a.name.length);

/** The topic of a path, where its messages cannot be decoded. */
export const findUnreadTopic = <Topic extends { name: string; error: string | null }>(
  path: string,
  topics: readonly Topic[],
): (Topic & { error: string }) | null => {
  const [topic] = listBegun(path.trim(), topics);
  return topic && topic.error !== null ? { ...topic, error: topic.error } : null;
};

/** Paths in which every word of a search occurs, those that begin with it first; at most `max`. */
export function searchPaths(topics: readonly PathTopic[], text: string, max = 60): FieldPath[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { path: FieldPath; rank: number }[] = [];
  for (const topic of topics) {
    for (const field of topic.fields) {
      const path = { topic: topic.name, field: field.path };
      const name = formatPath(path).toLowerCase();
      if (!terms.every((term) => name.includes(term))) continue;
      found.push({ path, rank: terms[0] && name.startsWith(terms[0]) ? 0 : 1 });
      if (found.length >= max * 20) break;
    }
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, max)
    .map(({ path }) => path);
}

import { formatPath, searchPaths, type PathTopic } from "@/components/recording/session/topic-path";
import { timeFunctions } from "@/engine/signals/expression";
import { elementwise } from "@/engine/signals/expression-functions";

/** Something that may stand where the caret is. */
export interface Completion {
  label: string;
  hint: string;
  /** The expression after it was chosen, and where the caret stands then. */
  text: string;
  caret: number;
}

const maxPaths = 12;
const computable = new Set(["number", "boolean"]);

const functions: { name: string; hint: string; end: string }[] = [
  ...Object.entries(elementwise).map(([name, { says }]) => ({ name, hint: says, end: "(" })),
  ...Object.entries(timeFunctions).map(([name, { says }]) => ({ name, hint: says, end: "(" })),
];

/** Where the name begins that ends at the caret: topics may hold slashes and dashes, so a slash after a dash begins one. */
function findStart(before: string): number {
  const [word = ""] = /[^\s()+*^%,<>=!]*$/.exec(before) ?? [];
  const begun = Math.max(word.lastIndexOf("-/"), word.lastIndexOf("//"));
  return before.length - word.length + (begun === -1 ? 0 : begun + 1);
}

/** The places of a topic whose members a function takes together, such as orientations. */
function listGroups(topics: readonly PathTopic[], members: readonly string[]): { path: string }[] {
  const last = `.${members.at(-1)}`;
  return topics.flatMap(({ name, fields }) => {
    const paths = new Set(fields.map(({ path }) => path));
    return [...paths]
      .filter((path) => path.endsWith(last))
      .map((path) => path.slice(0, -last.length))
      .filter((group) => members.every((member) => paths.has(`${group}.${member}`)))
      .map((group) => ({ path: formatPath({ topic: name, field: group }) }));
  });
}

/** What completes the name at the caret: fields and functions. Nothing where no name begins. */
export function completeExpression(text: string, caret: number, topics: readonly PathTopic[]): Completion[] {
  const before = text.slice(0, caret);
  const start = findStart(before);
  const word = before.slice(start);
  const [, outer = ""] = /([A-Za-z_]\w*)\(\s*$/.exec(before.slice(0, start)) ?? [];
  const whole = Object.hasOwn(elementwise, outer) ? functionMembers(outer) : undefined;
  if (word === "" && text.trim() !== "" && !whole) return [];
  const put = (insert: string): Pick<Completion, "text" | "caret"> => ({
    text: before.slice(0, start) + insert + text.slice(caret),
    caret: start + insert.length,
  });
  const usable = topics.map(({ name, fields }) => ({
    name,
    fields: fields.filter(({ kind }) => computable.has(kind)),
  }));
  const groups = whole
    ? listGroups(usable, whole)
        .filter(({ path }) => path.toLowerCase().includes(word.toLowerCase()))
        .slice(0, maxPaths)
        .map(({ path }) => ({ label: path, hint: `holds ${whole.join(", ")}`, ...put(path) }))
    : [];
  const names = /^[A-Za-z_]\w*$/.test(word)
    ? functions
        .filter(({ name }) => name.startsWith(word.toLowerCase()))
        .map(({ name, hint, end }) => ({ label: name, hint, ...put(name + end) }))
    : [];
  const paths = searchPaths(usable, word, maxPaths).flatMap((path) => {
    const found = usable.find(({ name }) => name === path.topic)?.fields.find((field) => field.path === path.field);
    const label = formatPath(path);
    return label === word ? [] : [{ label, hint: typeof found?.unit === "string" ? found.unit : "", ...put(label) }];
  });
  return [...groups, ...names, ...paths];
}

const functionMembers = (name: string): readonly string[] | undefined =>
  Object.entries(elementwise).find(([each]) => each === name)?.[1].members?.needed;

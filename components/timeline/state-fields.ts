import type { FieldPath, PathTopic } from "./topic-path";

const stateKinds = new Set(["boolean", "enum", "string"]);

/** The fields of a recording that hold a state rather than a number. */
export const listStateFields = (topics: readonly PathTopic[]): FieldPath[] =>
  topics.flatMap(({ name, fields }) =>
    fields.flatMap(({ path, kind }) => (stateKinds.has(kind) ? [{ topic: name, field: path }] : [])),
  );

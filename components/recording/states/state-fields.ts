import type { FieldPath, PathTopic } from "@/components/recording/session/topic-path";
import { parametersSchema } from "@/engine/formats/conversion";
import { isGoalSchema } from "@/engine/messages/scenes/goals";
import { isBatterySchema } from "@/engine/messages/texts/battery";

const stateKinds = new Set(["boolean", "enum", "string"]);

/** Numbers that say by their name that they stand for states: `mode`, `drive_state`, `goals[0].status`. */
const stateName = /(^|[._])(state|mode|status)$/i;

type SchemaTopic = PathTopic & { schema: string };

/** Settings of a robot are states, fractions too. */
export const holdsParameters = ({ schema }: Pick<SchemaTopic, "schema">): boolean => schema === parametersSchema;

const isState = ({ path, kind }: PathTopic["fields"][number], topic: SchemaTopic): boolean =>
  stateKinds.has(kind) || (kind === "number" && (holdsParameters(topic) || stateName.test(path)));

/** The fields of a recording that hold a state rather than an amount. */
export const listStateFields = (topics: readonly SchemaTopic[]): FieldPath[] =>
  topics.flatMap((topic) =>
    topic.fields.flatMap((field) => (isState(field, topic) ? [{ topic: topic.name, field: field.path }] : [])),
  );

/** Whether a recording has anything that its states can show. */
export const hasStates = (topics: readonly SchemaTopic[]): boolean =>
  topics.some(({ schema }) => isBatterySchema(schema) || isGoalSchema(schema)) || listStateFields(topics).length > 0;

/** What the names of an enum's constants have in common at their beginning, up to an underscore: `POWER_SUPPLY_STATUS_`. */
export function findConstantPrefix(names: readonly string[]): string {
  const [first = "", ...others] = names;
  if (others.length === 0) return "";
  const ends = [...first.matchAll(/_/g)].map(({ index }) => index + 1).reverse();
  const end = ends.find((end) => others.every((name) => name.startsWith(first.slice(0, end)) && name.length > end));
  return end === undefined || end === first.length ? "" : first.slice(0, end);
}

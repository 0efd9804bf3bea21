export interface Option<Value extends string> {
  value: Value;
  label: string;
}

/** The options of a select or a filter, in the order of the labels; a record makes every value required. */
export const toOptions = <Value extends string>(labels: Readonly<Record<Value, string>>): Option<Value>[] =>
  (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label }));

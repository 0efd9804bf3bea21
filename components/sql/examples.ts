import { quoteName, type Table } from "./query";

/** A query that is offered while the editor is empty. */
export interface Example {
  label: string;
  sql: string;
}

/** Fields of the newest rows; a query reads only those that it names. */
const maxFields = 4;
const newestRows = 100;

/** Parts of names whose numbers count or tell the time, and say little about a device. */
const countsOrTimes = /(^|[._])((time)?stamp\w*|time\w*|n?secs?|nanosecs?|nsecs|seq\w*|id|covariance\w*)($|[.[])/i;
const isFloat = ({ type }: Table["fields"][number]): boolean => type.startsWith("float");
const isNumber = ({ type }: Table["fields"][number]): boolean => /^(u?int|float)\d/.test(type);

/** The fields that measure something, those of numbers with a fraction first: the others may be modes and counts. */
function listMeasures({ fields }: Table): Table["fields"] {
  const measures = fields.filter((field) => isNumber(field) && !countsOrTimes.test(field.path));
  return [...measures.filter(isFloat), ...measures.filter((field) => !isFloat(field))];
}

/** The topic that examples are about: the first that measures numbers with a fraction, else any. */
const chooseTable = (tables: readonly Table[]): Table | undefined =>
  tables.find((table) => listMeasures(table).some((field) => isFloat(field) && !field.path.includes("["))) ??
  tables.find((table) => listMeasures(table).length > 0) ??
  tables[0];

/** Queries over one of the organization's own topics; none where it has no topic. */
export function exampleQueries(tables: readonly Table[]): Example[] {
  const table = chooseTable(tables);
  if (!table) return [];
  const { topic } = table;
  const from = `from ${quoteName(topic)}`;
  const measures = listMeasures(table);
  const names = (measures.length > 0 ? measures : table.fields).slice(0, maxFields).map(({ path }) => quoteName(path));
  const shown = ["make_timestamp_ns(log_time) as time", "device_name", ...names].join(", ");
  const newest = {
    label: `Newest rows of ${topic}`,
    sql: `select ${shown}\n${from}\norder by log_time desc\nlimit ${newestRows}`,
  };
  const perDay = {
    label: `Messages in ${topic} by day`,
    sql: `select make_timestamp_ns(log_time)::date as day, count(*) as messages\n${from}\ngroup by day\norder by day`,
  };
  const [measure] = measures;
  if (!measure) return [newest, perDay];
  const name = quoteName(measure.path);
  const byDevice = {
    label: `Average and maximum of ${measure.path} by device`,
    sql: `select device_name, avg(${name}) as average, max(${name}) as maximum\n${from}\ngroup by device_name\norder by maximum desc`,
  };
  return [newest, byDevice, perDay];
}

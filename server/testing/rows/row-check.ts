import path from "node:path";
import pg from "pg";
import { processWide } from "@/server/platform/process-wide";
import { type Column, type Columns, int8, rowObserver, queryRows, text } from "@/server/platform/rows";
import { onServer } from "@/server/testing/database";

/** Called for each compared statement with its place (`file:line`) and the faults of its declaration. */
export type Report = (site: string, faults: readonly string[]) => void;

interface Described {
  fields: readonly pg.FieldDef[];
  database: string | undefined;
}

interface Catalog {
  database: string;
  /** Names of types by their OID. */
  types: ReadonlyMap<number, string>;
  /** `table.column` of each column that may be null, by `OID.number`. */
  nullables: ReadonlyMap<string, string>;
}

/**
 * From now on compares declared columns with PostgreSQL's description of each statement and with its rows; a difference
 * throws. Names, types and (unless through an outer join or `notNull`) nulls of columns read directly from a table are
 * certain; other nulls and values are checked only in the rows at hand.
 */
export async function checkRows(databaseUrl: string, report: Report = () => {}): Promise<void> {
  const catalog = await readCatalog(databaseUrl);
  const described = processWide("describedStatements", recordDescriptions);
  rowObserver.current = (columns, statement) => {
    const site = findCallSite();
    return (rows) => {
      const faults = listFaults(columns, described.get(statement), rows, catalog);
      report(site, faults);
      if (faults.length > 0) throw new Error([`${site} declares other rows:`, ...faults, statement].join("\n  "));
    };
  };
}

async function readCatalog(databaseUrl: string): Promise<Catalog> {
  return onServer(databaseUrl, async (client) => {
    const types = await queryRows(
      client,
      { oid: int8, name: text },
      "select oid::int8, typname::text as name from pg_type",
    );
    const nullables = await queryRows(
      client,
      { key: text, name: text },
      `select attrelid || '.' || attnum as key, attrelid::regclass || '.' || attname as name from pg_attribute
        where attnum > 0 and not attnotnull`,
    );
    return {
      database: new URL(databaseUrl).pathname.slice(1),
      types: new Map(types.map(({ oid, name }) => [Number(oid), name])),
      nullables: new Map(nullables.map(({ key, name }) => [key, name])),
    };
  });
}

/** PostgreSQL's description of each statement's rows, by its text. Prisma hides it, so it is taken from the driver. */
function recordDescriptions(): ReadonlyMap<string, Described> {
  const described = new Map<string, Described>();
  const prototype = pg.Client.prototype as { query: (...input: unknown[]) => unknown; database?: string };
  const send = prototype.query;
  prototype.query = function (this: pg.Client, ...input) {
    const [statement] = input;
    const text = typeof statement === "string" ? statement : (statement as pg.QueryConfig).text;
    const record = (result: unknown): void => {
      const { fields } = (result ?? {}) as Partial<pg.QueryResult>;
      if (fields) described.set(text, { fields, database: this.database });
    };
    const last = input.length - 1;
    const callback = input[last];
    if (typeof callback === "function") {
      input[last] = (error: unknown, result: unknown) => {
        record(result);
        callback(error, result);
      };
    }
    const result = send.apply(this, input);
    if (!(result instanceof Promise)) return result;
    return result.then((result: unknown) => {
      record(result);
      return result;
    });
  };
  return described;
}

const root = `${path.resolve(import.meta.dirname, "../../..")}/`;

/** By stack as V8 has it. Finding a place in the sources takes longer than many a statement. */
const callSites = new Map<string, string>();

function findCallSite(): string {
  const stack = readCompiledStack();
  const known = callSites.get(stack);
  if (known !== undefined) return known;
  const found = locateCallSite();
  callSites.set(stack, found);
  return found;
}

/** The stack in positions of the code that runs, which no source map translates. */
function readCompiledStack(): string {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, frames) =>
    frames.map((frame) => `${frame.getFileName()}:${frame.getLineNumber()}:${frame.getColumnNumber()}`).join(" ");
  try {
    return new Error().stack ?? "";
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Finds the caller that sends the statement: the first stack frame outside the functions that send all statements. */
function locateCallSite(): string {
  const through = /server\/(platform\/(db|rows)|testing\/rows\/row-check)\.ts/;
  for (const frame of new Error().stack?.split("\n").slice(1) ?? []) {
    const file = /(?:^|[/(\s])((?:bench|cli|faults|server)\/[^\s()]*:\d+):\d+/.exec(frame.replace(root, ""))?.[1];
    if (file && !through.test(file)) return file;
  }
  return "unknown place";
}

function listFaults(
  columns: Columns,
  described: Described | undefined,
  rows: readonly object[],
  catalog: Catalog,
): string[] {
  if (!described) return ["PostgreSQL's description of it was not seen"];
  const names = described.fields.map(({ name }) => name);
  return [
    ...Object.keys(columns)
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is declared but not selected`),
    ...names.filter((name, n) => names.indexOf(name) !== n).map((name) => `${name} is selected twice`),
    ...described.fields.flatMap((field) => {
      const column = columns[field.name];
      if (!column) return [`${field.name} is selected but not declared`];
      return [
        ...descriptionFaults(column, field, described.database, catalog),
        ...valueFaults(column, field.name, rows),
      ].map((fault) => `${field.name} ${fault}`);
    }),
  ];
}

function descriptionFaults(
  column: Column,
  field: pg.FieldDef,
  database: string | undefined,
  { types, nullables, ...own }: Catalog,
): string[] {
  const type = types.get(field.dataTypeID) ?? String(field.dataTypeID);
  if (type !== column.type) return [`is declared as ${column.type}, and is ${type}`];
  // In another database the same OIDs are those of other tables.
  const origin = database === own.database && nullables.get(`${field.tableID}.${field.columnID}`);
  if (!origin || column.nullable || column.proven) return [];
  return [`is declared as never null, and ${origin} may be`];
}

/** The fault of the first value that has one. */
function valueFaults(column: Column, name: string, rows: readonly object[]): string[] {
  for (const row of rows) {
    const value = (row as Record<string, unknown>)[name];
    const fault = valueFault(column, value);
    if (fault !== undefined) return [`${fault}: ${formatValue(value)}`];
  }
  return [];
}

function valueFault(column: Column, value: unknown): string | undefined {
  const { nullable, schema, allowed, element } = column;
  if (value === null && nullable) return undefined;
  // The schema comes first, because null is also a JSON value that it may accept.
  if (schema) {
    const parsed = schema.safeParse(value);
    if (parsed.error) return parsed.error.message;
    return holds(value, parsed.data) ? undefined : `is changed by its schema to ${formatValue(parsed.data)}`;
  }
  if (value === null) return "is declared as never null, and is";
  if (allowed && !allowed.some((each) => each === value)) return `is declared as one of ${allowed.join(", ")}`;
  if (!element) return undefined;
  for (const one of value as unknown[]) {
    const fault = valueFault(element, one);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether `value` has everything that `part` has; it may have more. */
function holds(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null || typeof value !== "object" || value === null) return value === part;
  if (Array.isArray(part) && (!Array.isArray(value) || value.length !== part.length)) return false;
  return Object.entries(part).every(([name, member]) => holds((value as Record<string, unknown>)[name], member));
}

const formatValue = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)).slice(0, 300);

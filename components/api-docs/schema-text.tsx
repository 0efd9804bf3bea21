import { Fragment, type ReactNode } from "react";
import { describeBounds, getReferenceName, type JsonSchema } from "./document";

/** A text of the document, in which backticks mark code. */
export const MarkedText = ({ text }: { text: string }) =>
  text.split("`").map((part, index) => <Fragment key={index}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>);

const join = (parts: readonly ReactNode[]): ReactNode =>
  parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && " | "}
      {part}
    </Fragment>
  ));

/** A schema's type in a few words, with links to the schemas it names. */
export function SchemaType({ schema }: { schema: JsonSchema }): ReactNode {
  const { $ref, anyOf, oneOf, allOf, items, type, format } = schema;
  if ($ref !== undefined) {
    const name = getReferenceName($ref);
    return <a href={`#schema.${name}`}>{name}</a>;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = anyOf ?? oneOf ?? allOf;
  if (branches) return join(branches.map((branch, index) => <SchemaType key={index} schema={branch} />));
  if (type === "array" && items)
    return (
      <>
        array of <SchemaType schema={items} />
      </>
    );
  if (format) return `${[type].flat().join(" | ")} (${format})`;
  return Array.isArray(type) ? type.join(" | ") : (type ?? "any");
}

export interface MemberRow {
  name: string;
  schema: JsonSchema;
  description?: string | undefined;
  required?: boolean | undefined;
}

/** The members of an object, as rows. */
export const listMembers = ({ properties = {}, required = [] }: JsonSchema): MemberRow[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    description: schema.description,
    required: required.includes(name),
  }));

/**
 * The style of everything below, given once: a page has a thousand of these rows, and each class name would be sent
 * with every one of them.
 */
export const schemaStyles =
  "[&_code]:font-mono [&_dd]:min-w-0 [&_dd]:break-words [&_dd_a]:text-accent-text [&_dd_a]:underline " +
  "[&_dl]:mt-1 [&_dl]:border-t [&_dl]:text-table [&_dl]:text-muted [&_dl>div]:flex [&_dl>div]:flex-wrap " +
  "[&_dl>div]:items-baseline [&_dl>div]:gap-x-3 [&_dl>div]:border-b [&_dl>div]:py-1.5 [&_dt]:font-mono " +
  "[&_dt]:text-foreground [&_dt_small]:font-sans [&_dt_small]:text-meta [&_dt_small]:text-muted " +
  "[&_p_a]:text-accent-text [&_p_a]:underline";

/** Members or parameters with their types, limits and descriptions. */
export function Members({ title, rows }: { title?: string; rows: readonly MemberRow[] }) {
  if (rows.length === 0) return null;
  return (
    <div>
      {title !== undefined && <h3 className="mt-4 text-meta font-medium text-muted">{title}</h3>}
      <dl>
        {rows.map(({ name, schema, description, required }) => {
          const bounds = describeBounds(schema);
          return (
            <div key={name}>
              <dt>
                {name}
                {required && <small> required</small>}
              </dt>
              <dd>
                <SchemaType schema={schema} />
                {bounds !== "" && `, ${bounds}`}
                {description !== undefined && (
                  <>
                    {" · "}
                    <MarkedText text={description} />
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

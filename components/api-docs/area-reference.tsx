import { Badge } from "@/components/kit/badge";
import { CodeBlock } from "@/components/kit/code-block";
import {
  formatCurl,
  listAreas,
  listParameters,
  listSchemaNames,
  resolveSchema,
  type Area,
  type Entry,
  type JsonSchema,
  type OpenApiDocument,
} from "./document";
import { ReferenceFrame } from "./reference-frame";
import { listMembers, MarkedText, Members, schemaStyles, SchemaType } from "./schema-text";

/** One area of the reference: its operations with their input and responses, and the schemas that these name. */
export function AreaReference({ document, area }: { document: OpenApiDocument; area: Area }) {
  const areas = listAreas(document);
  return (
    <ReferenceFrame areas={areas} current={areas.find(({ name }) => name === area.name) ?? area}>
      <h1 className="text-title font-semibold">{area.title}</h1>
      <p className="mt-1 max-w-160 text-body text-muted">{area.description}</p>
      <div className={schemaStyles}>
        {area.entries.map((entry) => (
          <OperationView key={entry.operation.operationId} entry={entry} document={document} />
        ))}
        <h2 className="mt-10 text-section font-semibold">Schemas</h2>
        {listSchemaNames(area, document).map((name) => (
          <SchemaView key={name} name={name} schema={document.components.schemas[name] ?? {}} />
        ))}
      </div>
    </ReferenceFrame>
  );
}

function OperationView({ entry, document }: { entry: Entry; document: OpenApiDocument }) {
  const { method, path, operation } = entry;
  const body = operation.requestBody?.content["application/json"];
  const parameters = listParameters(operation, document);
  const curl = formatCurl(entry, document.servers[0]?.url ?? "");
  const responses = Object.entries(operation.responses);
  return (
    <article id={operation.operationId} className="mt-5 scroll-mt-6 border-t pt-5">
      <h2 className="text-body font-semibold">{operation.summary}</h2>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <Badge mono>{method}</Badge>
        <code className="font-mono text-table break-all text-muted">{path ?? "to your address"}</code>
      </p>
      {operation.description.split("\n\n").map((paragraph) => (
        <p key={paragraph} className="mt-2 max-w-160 text-table text-muted">
          <MarkedText text={paragraph} />
        </p>
      ))}
      <Members title="Path" rows={parameters.filter((parameter) => parameter.in === "path")} />
      <Members title="Query" rows={parameters.filter((parameter) => parameter.in === "query")} />
      {body && <Body schema={body.schema} document={document} />}
      {responses
        .filter(([status]) => status.startsWith("2"))
        .map(([status, { content }]) => {
          const schema = content?.["application/json"]?.schema;
          return (
            <p key={status} className="mt-4 text-table text-muted">
              Response {status}: {schema ? <SchemaType schema={schema} /> : "no content"}
            </p>
          );
        })}
      {path !== null && (
        <p className="mt-3 text-meta text-subtle">
          Errors:{" "}
          {responses
            .map(([status]) => status)
            .filter((status) => !status.startsWith("2"))
            .join(", ")}
        </p>
      )}
      {curl !== null && <CodeBlock code={curl} label={`curl for ${operation.summary}`} className="mt-3" />}
    </article>
  );
}

/** The members of a body; a body that is no object shows its type. */
function Body({ schema, document }: { schema: JsonSchema; document: OpenApiDocument }) {
  const rows = listMembers(resolveSchema(schema, document));
  if (rows.length > 0) return <Members title="Body" rows={rows} />;
  return (
    <p className="mt-4 text-table text-muted">
      Body: <SchemaType schema={schema} />
    </p>
  );
}

function SchemaView({ name, schema }: { name: string; schema: JsonSchema }) {
  const rows = listMembers(schema);
  const isAlias = rows.length === 0;
  return (
    <section id={`schema.${name}`} aria-label={name} className="mt-5 scroll-mt-6 border-t pt-4">
      <h3 className="font-mono text-table font-medium">{name}</h3>
      {schema.description !== undefined && (
        <p className="mt-1 text-table text-muted">
          <MarkedText text={schema.description} />
        </p>
      )}
      {isAlias && (
        <p className="mt-1 text-table break-words text-muted">
          <SchemaType schema={schema} />
        </p>
      )}
      <Members rows={rows} />
      {schema.oneOf && !isAlias && (
        <>
          <p className="mt-3 text-table text-muted">And one of:</p>
          {schema.oneOf.map((variant, index) => (
            <Members key={index} rows={listMembers(variant)} />
          ))}
        </>
      )}
    </section>
  );
}

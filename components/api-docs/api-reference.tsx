import Link from "next/link";
import { Badge } from "@/components/kit/badge";
import { CodeBlock } from "@/components/kit/code-block";
import { Mark } from "@/components/shell/mark";
import {
  describeBounds,
  byArea,
  formatCurl,
  describeType,
  type Entry,
  type JsonSchema,
  type OpenApiDocument,
} from "./document";

const areaTitle = (area: string): string => (area.charAt(0).toUpperCase() + area.slice(1)).replaceAll("-", " ");

/** The API's reference, drawn from its OpenAPI document: every operation with its input, responses and a curl line. */
export function ApiReference({ document }: { document: OpenApiDocument }) {
  const areas = byArea(document);
  const server = document.servers[0]?.url ?? "";
  return (
    <div className="mx-auto flex max-w-300 gap-10 px-4 sm:px-6">
      <nav aria-label="Operations" className="sticky top-0 hidden h-dvh w-64 shrink-0 overflow-y-auto py-8 lg:block">
        <Link href="/" className="mb-6 flex items-center gap-2 text-body font-semibold">
          <Mark />
          Muster
        </Link>
        {areas.map(([area, entries]) => (
          <div key={area} className="mb-4">
            <a href={`#${area}`} className="text-meta font-medium text-muted hover:text-foreground">
              {areaTitle(area)}
            </a>
            <ul className="mt-1">
              {entries.map(({ operation }) => (
                <li key={operation.operationId}>
                  <a
                    href={`#${operation.operationId}`}
                    className="block truncate rounded-control px-2 py-1 text-table text-muted hover:bg-hover hover:text-foreground"
                  >
                    {operation.summary}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <main className="min-w-0 flex-1 py-8">
        <h1 className="text-title font-semibold">API reference</h1>
        <p className="mt-1 max-w-160 text-body text-muted">{document.info.description}</p>
        <p className="mt-2 text-body text-muted">
          Keys are made under{" "}
          <Link href="/settings/api-keys" className="text-accent-text underline underline-offset-2">
            Settings, API keys
          </Link>{" "}
          and sent as <code className="font-mono text-table">X-Service-Api-Key</code>. The document itself is at{" "}
          {/* oxlint-disable-next-line nextjs/no-html-link-for-pages -- a file, not a page */}
          <a href="/api/v1/openapi.json" className="text-accent-text underline underline-offset-2">
            /api/v1/openapi.json
          </a>{" "}
          (OpenAPI 3.1).
        </p>
        {areas.map(([area, entries]) => (
          <section key={area} id={area} aria-labelledby={`${area}-title`} className="mt-10 scroll-mt-6">
            <h2 id={`${area}-title`} className="text-section font-semibold">
              {areaTitle(area)}
            </h2>
            {entries.map((entry) => (
              <OperationView key={entry.operation.operationId} entry={entry} server={server} />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}

function OperationView({ entry, server }: { entry: Entry; server: string }) {
  const { method, path, operation } = entry;
  const body = operation.requestBody?.content["application/json"]?.schema;
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
  const query = operation.parameters.filter((parameter) => parameter.in === "query");
  return (
    <article id={operation.operationId} className="mt-5 scroll-mt-6 border-t pt-5">
      <h3 className="text-body font-semibold">{operation.summary}</h3>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <Badge mono>{method}</Badge>
        <code className="font-mono text-table break-all text-muted">{path}</code>
      </p>
      {operation.description.split("\n\n").map((paragraph) => (
        <p key={paragraph} className="mt-2 max-w-160 text-table text-muted">
          {paragraph}
        </p>
      ))}
      {inPath.length > 0 && (
        <Members title="Path" rows={inPath.map(({ name, schema }) => ({ name, schema, required: true }))} />
      )}
      {query.length > 0 && <Members title="Query" rows={query} />}
      {body && <Members title="Body" rows={listMembers(body)} />}
      {Object.entries(operation.responses)
        .filter(([status]) => status.startsWith("2"))
        .map(([status, response]) => {
          const schema = response.content?.["application/json"]?.schema;
          return schema ? (
            <Members key={status} title={`Response ${status}`} rows={listMembers(schema)} />
          ) : (
            <p key={status} className="mt-4 text-table text-muted">
              Response {status}: no content.
            </p>
          );
        })}
      <p className="mt-3 text-meta text-subtle">
        Errors:{" "}
        {Object.keys(operation.responses)
          .filter((status) => !status.startsWith("2"))
          .join(", ")}
      </p>
      <CodeBlock code={formatCurl(entry, server)} label={`curl for ${operation.summary}`} className="mt-3" />
    </article>
  );
}

interface MemberRow {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

/** The members of an object, or of a list's entries; lists of the API's envelope show what a result holds. */
function listMembers(schema: JsonSchema): MemberRow[] {
  const object = schema.type === "array" ? (schema.items ?? {}) : schema;
  const results = object.properties?.results?.items;
  const rows = (from: JsonSchema, prefix: string): MemberRow[] =>
    Object.entries(from.properties ?? {}).map(([name, member]) => ({
      name: prefix + name,
      schema: member,
      required: from.required?.includes(name) ?? false,
    }));
  return [...rows(object, ""), ...(results ? rows(results, "results[].") : [])];
}

function Members({ title, rows }: { title: string; rows: readonly MemberRow[] }) {
  if (rows.length === 0) return null;
  return (
    <div className="mt-4">
      <h4 className="text-meta font-medium text-muted">{title}</h4>
      <dl className="mt-1 border-t">
        {rows.map(({ name, schema, required }) => (
          <div key={name} className="flex flex-wrap items-baseline gap-x-3 border-b py-1.5">
            <dt className="font-mono text-table">
              {name}
              {required && title !== "Path" && !title.startsWith("Response") && (
                <span className="ml-1.5 font-sans text-meta text-muted">required</span>
              )}
            </dt>
            <dd className="min-w-0 text-table break-words text-muted">
              {describeType(schema)}
              {describeBounds(schema) && `, ${describeBounds(schema)}`}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

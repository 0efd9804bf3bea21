import Link from "next/link";
import { listAreas, type OpenApiDocument } from "./document";
import { OperationSearch } from "./operation-search";
import { ReferenceFrame } from "./reference-frame";
import { MarkedText } from "./schema-text";

/** The first page of the API's reference: every operation, searchable, by area. */
export function ApiReference({ document }: { document: OpenApiDocument }) {
  const areas = listAreas(document);
  return (
    <ReferenceFrame areas={areas}>
      <h1 className="text-title font-semibold">API reference</h1>
      <p className="mt-1 max-w-160 text-body text-muted [&_code]:font-mono">
        <MarkedText text={document.info.description} />
      </p>
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
      <OperationSearch
        areas={areas.map(({ name, title, description, entries }) => ({
          name,
          title,
          description,
          operations: entries.map(({ method, path, operation: { operationId, summary } }) => ({
            id: operationId,
            summary,
            method,
            path,
          })),
        }))}
      />
    </ReferenceFrame>
  );
}

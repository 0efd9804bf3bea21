import type { ReactNode } from "react";
import { DocsFrame, DocsLink } from "@/components/docs/docs-frame";
import type { Area } from "./document";

/** The frame of the reference: the areas, and the operations of the current one, beside a page. */
export function ReferenceFrame({
  areas,
  current,
  children,
}: {
  areas: readonly Area[];
  current?: Area;
  children: ReactNode;
}) {
  const navigation = (
    <>
      <DocsLink href="/docs/api" current={!current}>
        All operations
      </DocsLink>
      <ul className="mt-2">
        {areas.map((area) => (
          <li key={area.name}>
            <DocsLink href={`/docs/api/${area.name}`} current={area === current}>
              {area.title}
            </DocsLink>
            {area === current && (
              <ul className="mb-2 ml-2 border-l pl-2">
                {area.entries.map(({ operation }) => (
                  <li key={operation.operationId}>
                    <DocsLink href={`#${operation.operationId}`}>{operation.summary}</DocsLink>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </>
  );
  return (
    <DocsFrame label="Areas" navigation={navigation}>
      {children}
    </DocsFrame>
  );
}

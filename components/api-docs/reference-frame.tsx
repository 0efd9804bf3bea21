import type { ReactNode } from "react";
import { DocsFrame, DocsLink, SectionLinks } from "@/components/docs/docs-frame";
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
  const sections = (current?.entries ?? []).map(({ operation }) => ({
    id: operation.operationId,
    text: operation.summary,
  }));
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
            {area === current && <SectionLinks sections={sections} />}
          </li>
        ))}
      </ul>
    </>
  );
  return (
    <DocsFrame label="Areas" navigation={navigation} sections={sections}>
      {children}
    </DocsFrame>
  );
}

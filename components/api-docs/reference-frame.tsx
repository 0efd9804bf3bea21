import Link from "next/link";
import type { ReactNode } from "react";
import { Mark } from "@/components/shell/mark";
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
  return (
    <div className="mx-auto flex max-w-300 gap-10 px-4 sm:px-6">
      <nav aria-label="Areas" className="sticky top-0 hidden h-dvh w-64 shrink-0 overflow-y-auto py-8 lg:block">
        <Link href="/" className="mb-6 flex items-center gap-2 text-body font-semibold">
          <Mark />
          Muster
        </Link>
        <Link
          href="/docs/api"
          aria-current={current ? undefined : "page"}
          className="block rounded-control px-2 py-1 text-table text-muted hover:bg-hover hover:text-foreground aria-[current=page]:text-foreground"
        >
          All operations
        </Link>
        <ul className="mt-2">
          {areas.map((area) => (
            <li key={area.name}>
              <Link
                href={`/docs/api/${area.name}`}
                aria-current={area === current ? "page" : undefined}
                className="block rounded-control px-2 py-1 text-table text-muted hover:bg-hover hover:text-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground"
              >
                {area.title}
              </Link>
              {area === current && (
                <ul className="mb-2 ml-2 border-l pl-2">
                  {area.entries.map(({ operation }) => (
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
              )}
            </li>
          ))}
        </ul>
      </nav>
      <main className="min-w-0 flex-1 py-8">{children}</main>
    </div>
  );
}

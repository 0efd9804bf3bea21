import Link from "next/link";
import type { ReactNode } from "react";
import { Disclosure } from "@/components/kit/disclosure";
import { Mark } from "@/components/shell/mark";

const linkStyles =
  "block rounded-control px-2 py-1 text-table text-muted hover:bg-hover hover:text-foreground " +
  "aria-[current=page]:font-medium aria-[current=page]:text-foreground";

/** A link beside the page: to another page, or to a heading of this one. */
export function DocsLink({ href, current, children }: { href: string; current?: boolean; children: ReactNode }) {
  if (href.startsWith("#")) {
    return (
      <a href={href} className={`${linkStyles} truncate`}>
        {children}
      </a>
    );
  }
  return (
    <Link href={href} prefetch={false} aria-current={current ? "page" : undefined} className={linkStyles}>
      {children}
    </Link>
  );
}

/** A part of a page, by its anchor. */
export interface DocsSection {
  id: string;
  text: string;
}

/** Links to the sections of the current page, below its own link. */
export const SectionLinks = ({ sections }: { sections: readonly DocsSection[] }) => (
  <ul className="mb-2 ml-2 border-l pl-2">
    {sections.map(({ id, text }) => (
      <li key={id}>
        <DocsLink href={`#${id}`}>{text}</DocsLink>
      </li>
    ))}
  </ul>
);

interface DocsFrameProps {
  /** What the list beside the page holds: "Guides", "Areas". */
  label: string;
  navigation: ReactNode;
  /** Sections of the page itself; phones show them above it. */
  sections?: readonly DocsSection[];
  children: ReactNode;
}

/** The frame of all pages below /docs: a bar with their two halves, and a list beside the page on wide screens. */
export function DocsFrame({ label, navigation, sections = [], children }: DocsFrameProps) {
  return (
    <>
      <header className="border-b">
        <div className="mx-auto flex h-12 max-w-300 items-center gap-x-5 px-4 text-table sm:px-6">
          <Link href="/" className="flex items-center gap-2 text-body font-semibold">
            <Mark />
            Muster
          </Link>
          <nav aria-label="Documentation" className="flex gap-x-4 text-muted">
            <Link href="/docs" className="hover:text-foreground">
              Guides
            </Link>
            <Link href="/docs/api" className="hover:text-foreground">
              API reference
            </Link>
          </nav>
        </div>
      </header>
      <div className="mx-auto flex max-w-300 gap-10 px-4 sm:px-6">
        <nav aria-label={label} className="sticky top-0 hidden h-dvh w-64 shrink-0 overflow-y-auto py-8 lg:block">
          {navigation}
        </nav>
        <main className="min-w-0 flex-1 py-8">
          {sections.length > 1 && (
            <Disclosure label="On this page" className="mb-6 rounded-panel border px-2 py-2 lg:hidden">
              <SectionLinks sections={sections} />
            </Disclosure>
          )}
          {children}
        </main>
      </div>
    </>
  );
}

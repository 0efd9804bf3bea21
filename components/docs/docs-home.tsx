import Link from "next/link";
import { DocsFrame } from "./docs-frame";
import type { IndexedGroup } from "./guide-index";
import { GuideNavigation } from "./guide-navigation";
import { GuideSearch } from "./guide-search";

/** The first page of the documentation: every guide, searchable, and the way to the reference. */
export function DocsHome({ index }: { index: readonly IndexedGroup[] }) {
  return (
    <DocsFrame label="Guides" navigation={<GuideNavigation />}>
      <h1 className="text-title font-semibold">Documentation</h1>
      <p className="mt-1 max-w-160 text-body text-muted">
        Guides to Muster and its API. Every operation with its fields and an example is in the{" "}
        <Link href="/docs/api" className="text-accent-text underline underline-offset-2">
          API reference
        </Link>
        .
      </p>
      <GuideSearch index={index} />
    </DocsFrame>
  );
}

import Link from "next/link";
import type { ParsedGuide } from "@/components/product/markdown/parse-guide";
import { guideHref, guideNames, guides, type GuideName } from "@/domain/docs/guides";
import { DocsFrame } from "./docs-frame";
import { GuideNavigation } from "./guide-navigation";
import { GuideText } from "./guide-text";

/** One guide, with links to its sections and to the next guide. */
export function GuidePage({ name, guide, origin }: { name: GuideName; guide: ParsedGuide; origin: string }) {
  const next = guideNames[guideNames.indexOf(name) + 1];
  const sections = guide.headings.filter(({ level }) => level === 2);
  return (
    <DocsFrame label="Guides" navigation={<GuideNavigation current={name} sections={sections} />} sections={sections}>
      <GuideText name={name} guide={guide} origin={origin} />
      {next !== undefined && (
        <p className="mt-10 border-t pt-4 text-table text-muted">
          Next:{" "}
          <Link href={guideHref(next)} className="text-accent-text underline underline-offset-2">
            {guides[next].title}
          </Link>
        </p>
      )}
    </DocsFrame>
  );
}

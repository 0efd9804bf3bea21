import { guideGroups, guideHref, guides, type GuideName } from "@/domain/docs/guides";
import { DocsLink } from "./docs-frame";
import type { GuideHeading } from "./parse-guide";

interface GuideNavigationProps {
  current?: GuideName;
  headings?: readonly GuideHeading[];
}

/** Every guide in groups, with the sections of the current one. */
export function GuideNavigation({ current, headings = [] }: GuideNavigationProps) {
  return guideGroups.map(({ heading, names }) => (
    <div key={heading} className="mb-5">
      <p className="px-2 pb-1 text-meta text-subtle">{heading}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <DocsLink href={guideHref(name)} current={name === current}>
              {guides[name].title}
            </DocsLink>
            {name === current && <SectionLinks headings={headings} />}
          </li>
        ))}
      </ul>
    </div>
  ));
}

/** Links to the sections of a page. */
export function SectionLinks({ headings }: { headings: readonly GuideHeading[] }) {
  const sections = headings.filter(({ level }) => level === 2);
  if (sections.length === 0) return null;
  return (
    <ul className="mb-2 ml-2 border-l pl-2">
      {sections.map(({ id, text }) => (
        <li key={id}>
          <DocsLink href={`#${id}`}>{text}</DocsLink>
        </li>
      ))}
    </ul>
  );
}

import { guideGroups, guideHref, guides, type GuideName } from "@/domain/docs/guides";
import { DocsLink, SectionLinks, type DocsSection } from "./docs-frame";

interface GuideNavigationProps {
  current?: GuideName;
  sections?: readonly DocsSection[];
}

/** Every guide in groups, with the sections of the current one. */
export function GuideNavigation({ current, sections = [] }: GuideNavigationProps) {
  return guideGroups.map(({ heading, names }) => (
    <div key={heading} className="mb-5">
      <p className="px-2 pb-1 text-meta text-subtle">{heading}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <DocsLink href={guideHref(name)} current={name === current}>
              {guides[name].title}
            </DocsLink>
            {name === current && sections.length > 0 && <SectionLinks sections={sections} />}
          </li>
        ))}
      </ul>
    </div>
  ));
}

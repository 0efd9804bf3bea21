import type { GuideHeading } from "@/components/product/markdown/parse-guide";
import { guideGroups, guides, type GuideName } from "@/domain/docs/guides";

/** A guide as the search knows it. */
interface IndexedGuide {
  name: GuideName;
  title: string;
  description: string;
  /** Its sections, without the title. */
  headings: { id: string; text: string }[];
}

export interface IndexedGroup {
  heading: string;
  guides: IndexedGuide[];
}

/** What the search looks through: titles, descriptions and headings of every guide. */
export const buildGuideIndex = (listHeadings: (name: GuideName) => readonly GuideHeading[]): IndexedGroup[] =>
  guideGroups.map(({ heading, names }) => ({
    heading,
    guides: names.map((name) => ({
      name,
      title: guides[name].title,
      description: guides[name].description,
      headings: listHeadings(name).flatMap(({ id, text, level }) => (level > 1 ? [{ id, text }] : [])),
    })),
  }));

/**
 * The guides with every word of a text in their title, description or headings. With a text, a guide has only the
 * headings with one of its words; without one it has none.
 */
export function searchGuides(index: readonly IndexedGroup[], text: string): IndexedGroup[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  const isBlank = text.trim() === "";
  const includes = (facts: string) => (word: string) => facts.toLowerCase().includes(word);
  return index.flatMap(({ heading, guides: all }) => {
    const found = all.flatMap((guide) => {
      const { title, description, headings } = guide;
      const facts = [title, description, ...headings.map((each) => each.text)].join(" ");
      if (!words.every(includes(facts))) return [];
      return { ...guide, headings: isBlank ? [] : headings.filter((each) => words.some(includes(each.text))) };
    });
    return found.length > 0 ? [{ heading, guides: found }] : [];
  });
}

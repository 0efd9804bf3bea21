import { toString } from "hast-util-to-string";
import rehypeSanitize from "rehype-sanitize";
import rehypeSlug from "rehype-slug";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { visit } from "unist-util-visit";

// HTML in the Markdown is left out. Headings get the same anchors as on GitHub.
const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype).use(rehypeSanitize).use(rehypeSlug);

export interface GuideHeading {
  id: string;
  text: string;
  level: number;
}

export interface ParsedGuide {
  tree: ReturnType<typeof processor.runSync>;
  headings: GuideHeading[];
  /** The targets of its links, as written. */
  links: string[];
}

/** Parses a guide's Markdown: tables, fenced code and links, but no HTML. */
export function parseGuide(markdown: string): ParsedGuide {
  const tree = processor.runSync(processor.parse(markdown));
  const headings: GuideHeading[] = [];
  const links: string[] = [];
  visit(tree, "element", ({ tagName, properties, ...element }) => {
    const level = /^h([1-6])$/.exec(tagName)?.[1];
    if (level !== undefined)
      headings.push({ id: String(properties.id), text: toString(element as never), level: Number(level) });
    if (tagName === "a" && typeof properties.href === "string") links.push(properties.href);
  });
  return { tree, headings, links };
}

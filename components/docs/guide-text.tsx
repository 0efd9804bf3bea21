import { toJsxRuntime, type Components } from "hast-util-to-jsx-runtime";
import { toString } from "hast-util-to-string";
import Link from "next/link";
import type { CSSProperties } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { CodeBlock } from "@/components/kit/code-block";
import type { ParsedGuide } from "@/components/product/markdown/parse-guide";
import { resolveGuideLink, type GuideName } from "@/domain/docs/guides";

/** Addresses in the guides that stand for the reader's own Muster. */
const placeholders = ["http://127.0.0.1:3000", "https://muster.example.com"];

type Element = Extract<ParsedGuide["tree"]["children"][number], { type: "element" }>;

interface GuideTextProps {
  name: GuideName;
  guide: ParsedGuide;
  /** The origin of this Muster, so that the examples can be run as they are. */
  origin: string;
}

/** The heads of a table as texts of the stylesheet, which puts them before cells where a row is no line. */
function styleHeads(table: Element): CSSProperties {
  const [head] = table.children.filter((part) => part.type === "element" && part.tagName === "thead");
  const rows = head?.type === "element" ? head.children.filter((row) => row.type === "element") : [];
  const cells = rows[0]?.children.filter((cell) => cell.type === "element") ?? [];
  const texts = cells.map((cell) => toString(cell));
  return Object.fromEntries(
    texts.flatMap((text, at) => (text === "" ? [] : [[`--head-${at + 1}`, JSON.stringify(text)]])),
  );
}

/** A guide's text, with links between guides, code that can be copied, and tables whose rows are blocks on phones. */
export function GuideText({ name, guide, origin }: GuideTextProps) {
  const components: Partial<Components> = {
    pre({ node }) {
      const code = node ? toString(node).trimEnd() : "";
      return <CodeBlock code={placeholders.reduce((text, each) => text.replaceAll(each, origin), code)} />;
    },
    code: ({ children }) =>
      typeof children === "string" && /^\/docs\/[\w/-]+$/.test(children) ? (
        <Link href={children}>
          <code>{children}</code>
        </Link>
      ) : (
        <code>{children}</code>
      ),
    table: ({ node, children }) => (
      <div role="group" aria-label="Table" tabIndex={0}>
        <table style={node && styleHeads(node)}>{children}</table>
      </div>
    ),
    a({ href = "", children }) {
      const target = resolveGuideLink(name, href);
      if (target === null) return <>{children}</>;
      return target.startsWith("/") ? <Link href={target}>{children}</Link> : <a href={target}>{children}</a>;
    },
  };
  return (
    <article className="guide">{toJsxRuntime(guide.tree, { Fragment, jsx, jsxs, components, passNode: true })}</article>
  );
}

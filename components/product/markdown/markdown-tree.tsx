"use client";

import { toJsxRuntime, type Components } from "hast-util-to-jsx-runtime";
import { toString } from "hast-util-to-string";
import { useMemo } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { CodeBlock } from "@/components/kit/code-block";
import { parseGuide } from "./parse-guide";

/** Only what leads out of the page by a usual protocol is a link. */
const isAddress = (href: unknown): href is string => typeof href === "string" && /^(https?:|mailto:)/i.test(href);

const components: Partial<Components> = {
  // The page has a title of its own.
  h1: ({ children }) => <h2>{children}</h2>,
  pre: ({ node }) => <CodeBlock code={node ? toString(node).trimEnd() : ""} />,
  table: ({ children }) => (
    <div role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  a: ({ href, children }) =>
    isAddress(href) ? (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    ) : (
      <>{children}</>
    ),
  // Pictures of other hosts would tell them who reads this when.
  img: ({ src, alt }) =>
    isAddress(src) ? (
      <a href={src} target="_blank" rel="noreferrer">
        {alt || src}
      </a>
    ) : (
      <>{alt}</>
    ),
};

/** Markdown without HTML, scripts or pictures of other hosts. */
export default function MarkdownTree({ text }: { text: string }) {
  const content = useMemo(
    () => toJsxRuntime(parseGuide(text).tree, { Fragment, jsx, jsxs, components, passNode: true }),
    [text],
  );
  return <article className="guide">{content}</article>;
}

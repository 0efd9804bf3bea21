import type { Metadata } from "next";
import { loadGuide } from "@/app/docs/texts";
import { DocsHome } from "@/components/docs/docs-home";
import { buildGuideIndex } from "@/components/docs/guide-index";

export const metadata: Metadata = { title: "Documentation" };

export default function DocsPage() {
  return <DocsHome index={buildGuideIndex((name) => loadGuide(name).headings)} />;
}

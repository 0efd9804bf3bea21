import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getDocsOrigin } from "@/app/docs/origin";
import { loadGuide } from "@/app/docs/texts";
import { GuidePage } from "@/components/docs/guide-page";
import { guides, isGuideName } from "@/domain/docs/guides";

interface Props {
  params: Promise<{ guide: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { guide } = await params;
  return isGuideName(guide) ? { title: guides[guide].title, description: guides[guide].description } : {};
}

export default async function Page({ params }: Props) {
  const { guide: name } = await params;
  if (!isGuideName(name)) notFound();
  return <GuidePage name={name} guide={loadGuide(name)} origin={await getDocsOrigin()} />;
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { AreaReference } from "@/components/api-docs/area-reference";
import { listAreas } from "@/components/api-docs/document";
import { describeForRequest } from "../described";

interface Props {
  params: Promise<{ area: string }>;
}

async function load({ params }: Props) {
  const [{ area: name }, document] = await Promise.all([params, describeForRequest()]);
  const area = listAreas(document).find((each) => each.name === name);
  return area ? { area, document } : notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: `${(await load(props)).area.title} · API reference` };
}

export default async function AreaPage(props: Props) {
  return <AreaReference {...await load(props)} />;
}

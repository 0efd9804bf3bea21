import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getSession, Hydrate, prefetchFirstItems, type QueryPageProps } from "@/app/prefetch";
import { DatasetPage } from "@/components/datasets/dataset-page";
import { readFirstItems } from "@/components/items/grid/first-query";
import { readDataset, type DatasetPageProps } from "./read-dataset";

export async function generateMetadata(props: DatasetPageProps): Promise<Metadata> {
  return { title: (await readDataset(props))?.name ?? "Dataset not found" };
}

export default async function Page(props: DatasetPageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const dataset = await readDataset(props);
  if (!dataset) notFound();
  const { owner, slug } = await props.params;
  await prefetchFirstItems(readFirstItems({ dataset: dataset.uid }, await props.searchParams));
  return (
    <Hydrate>
      <DatasetPage owner={owner} slug={slug} />
    </Hydrate>
  );
}

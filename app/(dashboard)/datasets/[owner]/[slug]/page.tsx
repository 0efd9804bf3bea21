import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getSession, Hydrate, prefetchFirstItems, type QueryPageProps, getQueryClient, trpc } from "@/app/prefetch";
import { DatasetPage } from "@/components/datasets/dataset-page";
import { readFirstItems } from "@/components/items/grid/first-query";
import type { Outputs } from "@/components/trpc/client";
import type { DatasetPath } from "@/domain/datasets/schema";

/** The props of a page below `/datasets/[owner]/[slug]`. */
interface DatasetPageProps {
  params: Promise<DatasetPath>;
}

/** The dataset of a page, read once per request; null when the person sees none there. */
async function readDataset({ params }: DatasetPageProps): Promise<Outputs["datasets"]["overviewOf"] | null> {
  if (!(await getSession())) return null;
  const { owner, slug } = await params;
  try {
    return await getQueryClient().fetchQuery(trpc.datasets.overviewOf.queryOptions({ owner, slug }));
  } catch (error) {
    if (typeof error === "object" && error !== null && "code" in error && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

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

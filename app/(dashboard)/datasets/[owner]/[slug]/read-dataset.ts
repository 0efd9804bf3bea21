import { getQueryClient, getSession, trpc } from "@/app/prefetch";
import type { Outputs } from "@/components/trpc/client";
import type { DatasetPath } from "@/domain/datasets/schema";

/** The props of a page below `/datasets/[owner]/[slug]`. */
export interface DatasetPageProps {
  params: Promise<DatasetPath>;
}

/** The dataset of a page, read once per request; null when the person sees none there. */
export async function readDataset({ params }: DatasetPageProps): Promise<Outputs["datasets"]["overviewOf"] | null> {
  if (!(await getSession())) return null;
  const { owner, slug } = await params;
  try {
    return await getQueryClient().fetchQuery(trpc.datasets.overviewOf.queryOptions({ owner, slug }));
  } catch (error) {
    if (typeof error === "object" && error !== null && "code" in error && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

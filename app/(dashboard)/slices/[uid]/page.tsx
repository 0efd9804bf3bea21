import type { Metadata } from "next";
import { notFound } from "next/navigation";
import {
  getQueryClient,
  getSession,
  Hydrate,
  prefetchFirstItems,
  readForPage,
  trpc,
  type QueryPageProps,
  type ResourcePageProps,
} from "@/app/prefetch";
import { readFirstItems } from "@/components/items/grid/first-query";
import { SlicePage } from "@/components/slices/slice-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.slices.overviewOf.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await read(props))?.name ?? "Slice not found" };
}

export default async function Page(props: ResourcePageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const found = await read(props);
  if (!found) notFound();
  const items = { dataset: found.dataset, filter: found.filter_query_string };
  await Promise.all([
    prefetchFirstItems(readFirstItems(items, await props.searchParams)),
    getQueryClient().prefetchQuery(trpc.slices.changes.queryOptions({ uid: found.uid })),
    getQueryClient().prefetchQuery(trpc.slices.usedBy.queryOptions({ uid: found.uid })),
  ]);
  return (
    <Hydrate>
      <SlicePage uid={found.uid} />
    </Hydrate>
  );
}

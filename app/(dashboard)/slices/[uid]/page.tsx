import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";
import { SlicePage } from "@/components/slices/slice-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.slices.overviewOf.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await read(props))?.name ?? "Slice not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const found = await read(props);
  if (!found) notFound();
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.slices.changes.queryOptions({ uid: found.uid })),
    getQueryClient().prefetchQuery(trpc.slices.usedBy.queryOptions({ uid: found.uid })),
  ]);
  return (
    <Hydrate>
      <SlicePage uid={found.uid} />
    </Hydrate>
  );
}

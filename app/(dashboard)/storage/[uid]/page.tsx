import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, trpc, type ResourcePageProps, readForPage } from "@/app/prefetch";
import { StoragePage } from "@/components/storage/storage-page";

const readBucket = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.storage.get.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await readBucket(props))?.name ?? "Bucket not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const bucket = await readBucket(props);
  if (!bucket) notFound();
  await getQueryClient().prefetchQuery(trpc.storage.usage.queryOptions({ uid: bucket.uid }));
  return (
    <Hydrate>
      <StoragePage uid={bucket.uid} />
    </Hydrate>
  );
}

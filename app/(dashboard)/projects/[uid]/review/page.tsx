import type { Metadata } from "next";
import { notFound } from "next/navigation";
import {
  getQueryClient,
  getSession,
  Hydrate,
  readForPage,
  trpc,
  type QueryPageProps,
  type ResourcePageProps,
} from "@/app/prefetch";
import { queueInput } from "@/components/annotation/review/query";
import { ReviewPage } from "@/components/annotation/review/review-page";
import { nextPage } from "@/components/list/list-input";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.projects.overviewOf.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  const found = await read(props);
  return { title: found ? `Review of ${found.name}` : "Project not found" };
}

export default async function Page(props: ResourcePageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  const session = await getSession();
  if (!session) return null;
  const found = await read(props);
  if (!found) notFound();
  const input = queueInput(found.uid, await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.results.queue.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <ReviewPage project={found.uid} organization={session.organizationId} />
    </Hydrate>
  );
}

import type { Metadata } from "next";
import { getQueryClient, getSession, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { ComparePage } from "@/components/compare/compare-page";

export const metadata: Metadata = { title: "Compare recordings" };

export default async function Page(props: QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const { a, b } = await props.searchParams;
  const named = [a, b].filter((uid) => typeof uid === "string");
  const client = getQueryClient();
  await Promise.all(
    named.flatMap((uid) => [
      client.prefetchQuery(trpc.recordings.get.queryOptions({ uid })),
      client.prefetchQuery(trpc.recordings.lanes.queryOptions({ uid })),
      client.prefetchQuery(trpc.recordings.events.queryOptions({ uid })),
    ]),
  );
  const [first, second] = named;
  if (first !== undefined && second !== undefined) {
    const pair = { a: first, b: second };
    await Promise.all([
      client.prefetchQuery(trpc.recordings.anchors.queryOptions(pair)),
      client.prefetchQuery(trpc.recordings.compare.queryOptions(pair)),
    ]);
  }
  return (
    <Hydrate>
      <ComparePage />
    </Hydrate>
  );
}

import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { DescriptionList } from "@/components/robot-descriptions/description-list";
import { listInput } from "@/components/robot-descriptions/query";

export const metadata: Metadata = { title: "Robot descriptions" };

export default async function RobotDescriptionsPage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.robotDescriptions.list.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <DescriptionList />
    </Hydrate>
  );
}

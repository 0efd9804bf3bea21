import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { NewSlice } from "@/components/slices/new-slice";

export const metadata: Metadata = { title: "New slice" };

export default async function NewSlicePage() {
  await getQueryClient().prefetchQuery(trpc.exports.sources.queryOptions({}));
  return (
    <Hydrate>
      <NewSlice />
    </Hydrate>
  );
}

import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { ItemPage } from "@/components/items/viewer/item-page";

interface Props {
  params: Promise<{ owner: string; slug: string; uid: string }>;
}

export const metadata: Metadata = { title: "Item" };

export default async function Page({ params }: Props) {
  const { owner, slug, uid } = await params;
  await getQueryClient().prefetchQuery(trpc.items.get.queryOptions({ owner, slug, uid }));
  return (
    <Hydrate>
      <ItemPage dataset={{ owner, slug }} uid={uid} />
    </Hydrate>
  );
}

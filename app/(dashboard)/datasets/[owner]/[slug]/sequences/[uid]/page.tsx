import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { SequencePage } from "@/components/items/viewer/sequence-page";

interface Props {
  params: Promise<{ owner: string; slug: string; uid: string }>;
}

export const metadata: Metadata = { title: "Sequence" };

export default async function Page({ params }: Props) {
  const { owner, slug, uid } = await params;
  await getQueryClient().prefetchQuery(trpc.sequences.frames.queryOptions({ owner, slug, uid }));
  return (
    <Hydrate>
      <SequencePage dataset={{ owner, slug }} uid={uid} />
    </Hydrate>
  );
}

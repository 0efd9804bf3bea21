import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";
import { ModelPage } from "@/components/models/model-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.models.page.queryOptions({ model_uid: uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await read(props))?.name ?? "Model not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const found = await read(props);
  if (!found) notFound();
  return (
    <Hydrate>
      <ModelPage uid={found.uid} />
    </Hydrate>
  );
}

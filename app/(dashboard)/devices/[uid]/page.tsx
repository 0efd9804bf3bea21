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
import { DevicePage } from "@/components/devices/page/device-page";
import { changesInput, openAlertsInput } from "@/components/devices/query";
import { nextPage } from "@/components/list/list-input";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.devices.get.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await read(props))?.name ?? "Device not found" };
}

export default async function Page(props: ResourcePageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const device = await read(props);
  if (!device) notFound();
  const { uid } = device;
  const { tab } = await props.searchParams;
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.health.now.queryOptions({ uid })),
    // What the first tab begins with; the other tabs ask themselves.
    ...(tab === undefined
      ? [
          client.prefetchQuery(trpc.alerts.inbox.queryOptions(openAlertsInput(uid))),
          client.prefetchInfiniteQuery(trpc.fleet.changes.infiniteQueryOptions(changesInput(uid), nextPage)),
          client.prefetchQuery(trpc.fleet.picture.queryOptions({ uid })),
          client.prefetchQuery(trpc.robotDescriptions.ofDevice.queryOptions({ uid })),
        ]
      : []),
  ]);
  return (
    <Hydrate>
      <DevicePage uid={uid} />
    </Hydrate>
  );
}

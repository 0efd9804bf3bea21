import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";
import { AlertPage } from "@/components/alerts/alert-page";
import { isCaptureExpected } from "@/components/alerts/capture/capture-place";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.alerts.get.queryOptions({ uid })));

/** Whether pictures of its moment may still come. */
const isExpected = (alert: Parameters<typeof isCaptureExpected>[0]): boolean => isCaptureExpected(alert, Date.now());

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  const alert = await read(props);
  return { title: alert ? `${alert.rule_name} on ${alert.device_name}` : "Alert not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const alert = await read(props);
  if (!alert) notFound();
  const client = getQueryClient();
  const readCapture = async () => {
    const capture = await client.fetchQuery(trpc.alerts.capture.queryOptions({ uid: alert.uid })).catch(() => null);
    // The place that is kept for it depends on the cameras.
    if (!capture && alert.recording_id !== null && isExpected(alert))
      await client.prefetchQuery(trpc.recordings.get.queryOptions({ uid: alert.recording_id }));
  };
  await Promise.all([
    readCapture(),
    client.prefetchQuery(trpc.alerts.around.queryOptions({ uid: alert.uid })),
    client.prefetchQuery(trpc.alerts.timeline.queryOptions({ uid: alert.uid })),
    client.prefetchQuery(trpc.alerts.previous.queryOptions({ uid: alert.uid })),
  ]);
  return (
    <Hydrate>
      <AlertPage uid={alert.uid} />
    </Hydrate>
  );
}

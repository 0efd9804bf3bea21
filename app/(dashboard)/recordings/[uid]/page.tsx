import type { Metadata } from "next";
import { headers } from "next/headers";
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
import { LayoutArea } from "@/components/recording/layouts/layout-area";
import { toOpening } from "@/components/recording/layouts/opening";
import { RecordingPage } from "@/components/recording/page/recording-page";
import { opensEarly, preloadPack, threadScript } from "@/components/recording/session/early-opening";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.recordings.get.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  const recording = await read(props);
  return { title: recording ? recording.name || `Recording of ${recording.device_name}` : "Recording not found" };
}

export default async function Page(props: ResourcePageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const recording = await read(props);
  if (!recording) notFound();
  const { uid } = recording;
  const isProcessed = recording.status === "ready" || recording.status === "archived";
  const early = isProcessed && opensEarly(recording);
  if (early) preloadPack(uid);
  // Data that is empty before processing must not be cached beyond the end of processing.
  if (isProcessed) {
    const { layout } = await props.searchParams;
    await Promise.all([
      getQueryClient().prefetchQuery(trpc.recordings.lanes.queryOptions({ uid })),
      getQueryClient().prefetchQuery(trpc.recordings.events.queryOptions({ uid })),
      getQueryClient().prefetchQuery(trpc.layouts.open.queryOptions(toOpening(uid, layout))),
    ]);
  }
  return (
    <>
      {early && (
        <script
          nonce={(await headers()).get("x-nonce") ?? undefined}
          // A browser hides the nonce from scripts, and with it from hydration.
          suppressHydrationWarning
          dangerouslySetInnerHTML={{ __html: threadScript }}
        />
      )}
      <Hydrate>
        <RecordingPage uid={uid} panels={<LayoutArea />} />
      </Hydrate>
    </>
  );
}

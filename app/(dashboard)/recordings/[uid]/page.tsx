import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, trpc } from "@/app/prefetch";
import { RecordingPage } from "@/components/timeline/recording-page";

type Props = { params: Promise<{ uid: string }> };

/** The recording as everything of this request sees it; null when there is none of that uid in this organization. */
async function read(params: Props["params"]) {
  if (!(await getSession())) return null;
  const { uid } = await params;
  try {
    return await getQueryClient().fetchQuery(trpc.recordings.get.queryOptions({ uid }));
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "NOT_FOUND" || code === "BAD_REQUEST") return null;
    throw error;
  }
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const recording = await read(params);
  return { title: recording ? recording.name || `Recording of ${recording.device_name}` : "Recording not found" };
}

export default async function Page({ params }: Props) {
  // Who is not signed in is sent to the sign-in by the layout.
  if (!(await getSession())) return null;
  const recording = await read(params);
  if (!recording) notFound();
  const { uid } = recording;
  // What is empty before processing must not be taken for the truth once the page hears that it is over.
  if (recording.status === "ready" || recording.status === "archived") {
    await Promise.all([
      getQueryClient().prefetchQuery(trpc.recordings.lanes.queryOptions({ uid })),
      getQueryClient().prefetchQuery(trpc.recordings.events.queryOptions({ uid })),
    ]);
  }
  return (
    <Hydrate>
      <RecordingPage uid={uid} />
    </Hydrate>
  );
}

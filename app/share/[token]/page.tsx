import type { Metadata } from "next";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { SharedRecordingPage } from "@/components/shares/shared-recording-page";
import { openShare } from "@/server/features/shares/opening-service";
import { currentScope } from "@/server/platform/request-scope";
import { retryRead } from "@/server/platform/unavailable";

/** Says nothing of what is shared: previews of links show it to whoever sees them. */
export const metadata: Metadata = {
  title: "Shared recording",
  referrer: "no-referrer",
  robots: { index: false, follow: false },
};

export default async function SharePage({ params }: { params: Promise<{ token: string }> }) {
  const [{ token }, headerStore] = await Promise.all([params, headers()]);
  const visit = { ip: headerStore.get("x-muster-client"), requestId: currentScope()?.requestId ?? null };
  const shared = await retryRead(() => openShare(token, visit));
  if (!shared) notFound();
  return <SharedRecordingPage shared={shared} />;
}

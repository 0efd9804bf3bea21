import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, trpc } from "@/app/prefetch";
import { AlertPage } from "@/components/alerts/alert-page";

type Props = { params: Promise<{ uid: string }> };

/** The alert as everything of this request sees it; null when there is none of that uid in this organization. */
async function read(params: Props["params"]) {
  if (!(await getSession())) return null;
  const { uid } = await params;
  try {
    return await getQueryClient().fetchQuery(trpc.alerts.get.queryOptions({ uid }));
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "NOT_FOUND" || code === "BAD_REQUEST") return null;
    throw error;
  }
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const alert = await read(params);
  return { title: alert ? `${alert.rule_name} on ${alert.device_name}` : "Alert not found" };
}

export default async function Page({ params }: Props) {
  // Who is not signed in is sent to the sign-in by the layout.
  if (!(await getSession())) return null;
  const alert = await read(params);
  if (!alert) notFound();
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.alerts.timeline.queryOptions({ uid: alert.uid })),
    client.prefetchQuery(trpc.alerts.previous.queryOptions({ uid: alert.uid })),
  ]);
  return (
    <Hydrate>
      <AlertPage uid={alert.uid} />
    </Hydrate>
  );
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, getSession, Hydrate, trpc } from "@/app/prefetch";
import { DevicePage } from "@/components/devices/device-page";

type Props = { params: Promise<{ uid: string }> };

/** The device as everything of this request sees it; null when there is none of that uid in this organization. */
async function read(params: Props["params"]) {
  if (!(await getSession())) return null;
  const { uid } = await params;
  try {
    return await getQueryClient().fetchQuery(trpc.devices.get.queryOptions({ uid }));
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "NOT_FOUND" || code === "BAD_REQUEST") return null;
    throw error;
  }
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await read(params))?.name ?? "Device not found" };
}

export default async function Page({ params }: Props) {
  const session = await getSession();
  // Who is not signed in is sent to the sign-in by the layout.
  if (!session) return null;
  const device = await read(params);
  if (!device) notFound();
  return (
    <Hydrate>
      <DevicePage uid={device.uid} role={session.role} />
    </Hydrate>
  );
}

import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cookies, headers } from "next/headers";
import { cache, type ReactNode } from "react";
import { demoPreference, withDemoFilter } from "@/components/demo-fleet/demo-preference";
import type { ItemQuery } from "@/components/items/item-source";
import { readPreferences } from "@/components/kit/preferences";
import { addressValue } from "@/components/list/list-input";
import { makeQueryClient } from "@/components/trpc/query-client";
import { chooseDemo, demoFilters, type DemoFilter } from "@/domain/demo/choice";
import { appRouter } from "@/server/composition/trpc-root";
import { readAwaitingSignIn } from "@/server/transport/session/session";
import { createContext } from "@/server/transport/trpc/init";

/** One cache for everything a request prefetches. */
export const getQueryClient = cache(makeQueryClient);

const context = cache(async () => createContext(await headers()));

/** The session of the current request, or null, also for a user without an organization. */
export const getSession = cache(async () => (await context()).session);

/** The user of the current request, who may be in no organization; null when signed out. */
export const getSignedIn = cache(async () => (await context()).signedIn);

/** The session that may do nothing but set up the second factor that its organization requires, or null. */
export const getSettingUp = cache(async () => (await context()).settingUp?.session ?? null);

/** Whether a sign-in in this browser awaits its second factor. */
export const isAwaitingSignIn = cache(async () => (await readAwaitingSignIn((await headers()).get("cookie"))) !== null);

/** The props of a page at `/…/[uid]`. */
export interface ResourcePageProps {
  params: Promise<{ uid: string }>;
}

/** The props of a page whose address carries a query. */
export interface QueryPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** Procedures called in process: `await getQueryClient().prefetchQuery(trpc.devices.list.queryOptions({}))`. */
export const trpc = createTRPCOptionsProxy({ ctx: context, router: appRouter, queryClient: getQueryClient });

/** Whether there is demo data, read once per request; null without a session. */
async function readDemoPresence() {
  const options = trpc.demo.presence.queryOptions();
  await getQueryClient().prefetchQuery(options);
  return getQueryClient().getQueryData(options.queryKey) ?? null;
}

/** Which of the demo fleet and one's own a page shows; `DemoChoiceProvider` decides the same in the browser. */
export async function readDemoFilter({ searchParams }: QueryPageProps): Promise<DemoFilter> {
  const [session, presence, values, cookieStore] = await Promise.all([
    getSession(),
    readDemoPresence(),
    searchParams,
    cookies(),
  ]);
  if (!session || !presence) return {};
  const remembered = readPreferences(cookieStore.getAll())[demoPreference(session.userId, session.organizationId)];
  return demoFilters[chooseDemo(presence, addressValue(values, "demo"), remembered)];
}

/** The address of a list's page, as its query takes it. */
export const readListAddress = async (props: QueryPageProps) =>
  withDemoFilter(await props.searchParams, await readDemoFilter(props));

/** The first items of a grid, where the page begins with them. */
export async function prefetchFirstItems(query: ItemQuery | null): Promise<void> {
  if (query !== null) await getQueryClient().prefetchQuery(trpc.items.first.queryOptions(query));
}

/** Hands what was prefetched to the components inside, so that they show it in the first frame. */
export function Hydrate({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>;
}

/**
 * The object of a page, read once per request through its cache. Null when there
 * is no such object in this organization, or no session.
 */
export async function readForPage<Resource>(
  { params }: ResourcePageProps,
  read: (uid: string) => Promise<Resource>,
): Promise<Resource | null> {
  if (!(await getSession())) return null;
  const { uid } = await params;
  try {
    return await read(uid);
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "NOT_FOUND" || code === "BAD_REQUEST") return null;
    throw error;
  }
}

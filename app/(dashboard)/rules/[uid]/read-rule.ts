import { getQueryClient, getSession, trpc } from "@/app/prefetch";

/**
 * The rule as everything of this request sees it; null when there is none of that uid in this organization, or nobody
 * signed in.
 */
export async function readRule(params: Promise<{ uid: string }>) {
  if (!(await getSession())) return null;
  const { uid } = await params;
  try {
    return await getQueryClient().fetchQuery(trpc.rules.get.queryOptions({ uid }));
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "NOT_FOUND" || code === "BAD_REQUEST") return null;
    throw error;
  }
}

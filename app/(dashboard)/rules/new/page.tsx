import type { Metadata } from "next";
import { getQueryClient, getSession, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { RuleBuilder } from "@/components/rules/rule-builder";

export const metadata: Metadata = { title: "New rule" };

/** A rule to begin with: a copy of another one when the address names it. */
export default async function Page(props: QueryPageProps) {
  if (!(await getSession())) return null;
  const { duplicate } = await props.searchParams;
  const original =
    typeof duplicate === "string"
      ? await getQueryClient()
          .fetchQuery(trpc.rules.get.queryOptions({ uid: duplicate }))
          .catch(() => null)
      : null;
  return (
    <Hydrate>
      <RuleBuilder original={original ?? undefined} />
    </Hydrate>
  );
}

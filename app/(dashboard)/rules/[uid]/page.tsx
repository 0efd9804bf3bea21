import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getSession, Hydrate, type ResourcePageProps } from "@/app/prefetch";
import { RulePage } from "@/components/rules/rule-page";
import { readRule } from "./read-rule";

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await readRule(props))?.name ?? "Rule not found" };
}

export default async function Page(props: ResourcePageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const rule = await readRule(props);
  if (!rule) notFound();
  return (
    <Hydrate>
      <RulePage uid={rule.uid} />
    </Hydrate>
  );
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readRule } from "@/app/(dashboard)/rules/[uid]/read-rule";
import { getSession, Hydrate, type ResourcePageProps } from "@/app/prefetch";
import { RuleBuilder } from "@/components/rules/rule-builder";

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  const rule = await readRule(props);
  return { title: rule ? `Edit ${rule.name}` : "Rule not found" };
}

export default async function Page(props: ResourcePageProps) {
  if (!(await getSession())) return null;
  const rule = await readRule(props);
  if (!rule) notFound();
  return (
    <Hydrate>
      <RuleBuilder saved={rule} />
    </Hydrate>
  );
}

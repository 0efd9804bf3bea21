import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readRule } from "@/app/(dashboard)/rules/[uid]/read-rule";
import { getSession, Hydrate } from "@/app/prefetch";
import { RuleBuilder } from "@/components/rules/rule-builder";

type Props = { params: Promise<{ uid: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const rule = await readRule(params);
  return { title: rule ? `Edit ${rule.name}` : "Rule not found" };
}

export default async function Page({ params }: Props) {
  if (!(await getSession())) return null;
  const rule = await readRule(params);
  if (!rule) notFound();
  return (
    <Hydrate>
      <RuleBuilder saved={rule} />
    </Hydrate>
  );
}

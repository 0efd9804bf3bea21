import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { RuleBuilder } from "@/components/rules/rule-builder";
import { getSession, Hydrate } from "@/components/trpc/server";
import { readRule } from "../read-rule";

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

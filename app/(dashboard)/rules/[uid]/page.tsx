import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getSession, Hydrate } from "@/app/prefetch";
import { RulePage } from "@/components/rules/rule-page";
import { readRule } from "./read-rule";

type Props = { params: Promise<{ uid: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await readRule(params))?.name ?? "Rule not found" };
}

export default async function Page({ params }: Props) {
  // Who is not signed in is sent to the sign-in by the layout.
  if (!(await getSession())) return null;
  const rule = await readRule(params);
  if (!rule) notFound();
  return (
    <Hydrate>
      <RulePage uid={rule.uid} />
    </Hydrate>
  );
}

import { NotFound } from "@/components/product/page-failure";

export default function RuleNotFound() {
  return <NotFound noun="rule" list={{ label: "Rules", href: "/rules" }} />;
}

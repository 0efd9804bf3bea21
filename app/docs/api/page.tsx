import type { Metadata } from "next";
import { ApiReference } from "@/components/api-docs/api-reference";
import { describeForRequest } from "./described";

export const metadata: Metadata = { title: "API reference" };

export default async function ApiReferencePage() {
  return <ApiReference document={await describeForRequest()} />;
}

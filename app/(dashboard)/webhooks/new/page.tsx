import type { Metadata } from "next";
import { NewWebhook } from "@/components/webhooks/new-webhook";

export const metadata: Metadata = { title: "New webhook" };

export default function NewWebhookPage() {
  return <NewWebhook />;
}

import type { Metadata } from "next";
import { ConnectStorage } from "@/components/storage/connect-storage";

export const metadata: Metadata = { title: "Connect a bucket" };

export default function ConnectStoragePage() {
  return <ConnectStorage />;
}

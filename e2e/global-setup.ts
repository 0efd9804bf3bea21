import path from "node:path";
import { clearE2eRemains } from "@/scripts/e2e-remains.mjs";

export default function globalSetup(): Promise<void> {
  return clearE2eRemains(path.resolve(import.meta.dirname, "../.test"));
}

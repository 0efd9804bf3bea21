import { Download } from "lucide-react";
import { buttonStyles } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";

/** Downloads every device that matches the filters, however many there are, as CSV. */
export function ExportDevices({ query }: { query: string }) {
  return (
    <a
      href={`/devices/export${query ? `?${query}` : ""}`}
      download
      className={cn(buttonStyles({ variant: "secondary" }), "max-sm:hidden")}
    >
      <Download aria-hidden />
      Export CSV
    </a>
  );
}

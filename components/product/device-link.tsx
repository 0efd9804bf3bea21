import Link from "next/link";
import { cn } from "@/components/kit/cn";

/** The device that something belongs to, by name. */
export function DeviceLink({ of, className }: { of: { device_id: string; device_name: string }; className?: string }) {
  return (
    <Link
      href={`/devices/${of.device_id}`}
      className={cn("rounded-control text-accent-text hover:underline", className)}
    >
      {of.device_name}
    </Link>
  );
}

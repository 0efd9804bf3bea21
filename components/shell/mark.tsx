import { cn } from "@/components/kit/cn";

/** Muster's mark: three bars, the middle one raised. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 20 20" width="20" height="20" className={cn("shrink-0", className)}>
      <rect x="2" y="8" width="4" height="9" rx="1" fill="var(--foreground)" />
      <rect x="8" y="3" width="4" height="14" rx="1" fill="var(--accent)" />
      <rect x="14" y="8" width="4" height="9" rx="1" fill="var(--foreground)" />
    </svg>
  );
}

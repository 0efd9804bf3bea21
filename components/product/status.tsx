import type { ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { Shape, type ShapeName } from "@/components/kit/shape";
import type { DeviceStatus } from "@/domain/devices/connectivity";
import type { Severity } from "@/domain/severity";

export type Tone = Severity | DeviceStatus | "neutral";

const marks: Record<Tone, { shape: ShapeName; mark: string; text: string }> = {
  critical: { shape: "diamond", mark: "text-critical", text: "text-critical-text" },
  error: { shape: "disc", mark: "text-error", text: "text-error-text" },
  warning: { shape: "triangle", mark: "text-warning", text: "text-warning-text" },
  info: { shape: "ring", mark: "text-info", text: "text-info-text" },
  online: { shape: "disc", mark: "text-online", text: "text-online-text" },
  offline: { shape: "cross-ring", mark: "text-offline", text: "text-offline-text" },
  maintenance: { shape: "half", mark: "text-maintenance", text: "text-maintenance-text" },
  neutral: { shape: "square", mark: "text-subtle", text: "text-muted" },
};

export interface StatusProps {
  tone: Tone;
  /** The label; the tone itself, capitalised, unless given. */
  children?: ReactNode;
  shape?: ShapeName;
  /** Colours the label too; use it where status is the point of the page, not in every row. */
  strong?: boolean;
  /** Keeps the label for screen readers only; give the person a tooltip then. */
  hideLabel?: boolean;
  className?: string;
}

/** A state as shape, label and colour, never as colour alone: `<Status tone="online" />`. */
export function Status({ tone, children, shape, strong = false, hideLabel = false, className }: StatusProps) {
  const look = marks[tone];
  return (
    <span className={cn("inline-flex max-w-full items-center gap-1.5 align-middle whitespace-nowrap", className)}>
      <Shape name={shape ?? look.shape} className={look.mark} />
      {/* Normal states are muted, so that exceptions in a column are easy to see. */}
      <span
        className={cn(
          "truncate",
          tone === "online" && "text-muted",
          strong && "font-medium",
          strong && look.text,
          hideLabel && "sr-only",
        )}
      >
        {children ?? tone.charAt(0).toUpperCase() + tone.slice(1)}
      </span>
    </span>
  );
}

/** The shape and colour alone, for marks whose link or button carries the label. */
export const StatusMark = ({ tone }: { tone: Tone }) => <Shape name={marks[tone].shape} className={marks[tone].mark} />;

/** The severity of an alert or rule: ◆ critical, ● error, ▲ warning, ○ info. */
export function SeverityStatus({ severity, ...rest }: { severity: Severity } & Omit<StatusProps, "tone">) {
  return <Status tone={severity} {...rest} />;
}

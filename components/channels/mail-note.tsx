"use client";

import { TriangleAlert } from "lucide-react";
import { useMailState } from "@/components/account/mail-state";
import type { ChannelType } from "@/domain/channels/channel-type";

/**
 * Says of a channel of e-mail that nothing is sent to it, and why; draws nothing for others. `own`: that the person
 * causes it themselves, by saving or testing the channel, which needs an address that is confirmed.
 */
export function MailNote({ type, own = false }: { type: ChannelType; own?: boolean }) {
  const mail = useMailState(type === "email");
  if (type !== "email") return null;
  const text =
    mail === "no-server"
      ? "No mail can be sent from here until the installation has a mail server (SMTP_URL)."
      : mail === "unconfirmed" && own
        ? "Confirm your own e-mail address first (see your profile). Until then you cannot save or test this channel."
        : null;
  if (text === null) return null;
  return (
    <p className="flex items-start gap-2 text-table text-muted">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
      {text}
    </p>
  );
}

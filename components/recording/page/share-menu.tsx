"use client";

import { Check, Globe, Link2, Share2 } from "lucide-react";
import { Button } from "@/components/kit/button";
import { useCopy } from "@/components/kit/copy-button";
import { Menu } from "@/components/kit/menu";

interface ShareMenuProps {
  /** Why it cannot be shared with people outside; undefined where it can. */
  reason: string | undefined;
  onShare: () => void;
}

/** Copies the address of what is on screen, for members, or opens the links for people without an account. */
export function ShareMenu({ reason, onShare }: ShareMenuProps) {
  const { copied, copy } = useCopy();
  return (
    <Menu
      items={[
        {
          label: "Copy link for members",
          icon: <Link2 aria-hidden />,
          onSelect: () => void copy(location.href),
        },
        {
          label: "Share outside …",
          hint: "A link that expires, without an account",
          icon: <Globe aria-hidden />,
          disabledReason: reason,
          onSelect: onShare,
        },
      ]}
      trigger={
        <Button icon={copied ? <Check aria-hidden /> : <Share2 aria-hidden />}>{copied ? "Copied" : "Share"}</Button>
      }
    />
  );
}

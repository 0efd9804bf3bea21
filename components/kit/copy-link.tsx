"use client";

import { Check, Link2 } from "lucide-react";
import { Button } from "./button";
import { useCopy } from "./copy-button";
import { IconButton } from "./icon-button";

export interface CopyLinkProps {
  /** Only the icon, for drawers and dense heads. */
  compact?: boolean;
  /** Path and query to copy in place of the page's own address. */
  href?: string;
  size?: "sm" | "md";
}

/** Copies the address of what is on screen: filters, tab, selection and playhead are all in it. */
export function CopyLink({ compact = false, href, size }: CopyLinkProps) {
  const { copied, copy } = useCopy();
  const onClick = () => void copy(new URL(href ?? location.href, location.href).href);
  const icon = copied ? <Check aria-hidden /> : <Link2 aria-hidden />;
  if (compact) return <IconButton label={copied ? "Copied" : "Copy link"} icon={icon} size={size} onClick={onClick} />;
  return (
    <Button size={size} icon={icon} onClick={onClick}>
      {copied ? "Copied" : "Copy link"}
    </Button>
  );
}

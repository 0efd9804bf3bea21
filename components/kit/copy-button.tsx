"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "./button";
import { IconButton } from "./icon-button";
import { announce } from "./live-region";

/**
 * Copies text: returns `copied` (true for 1.5 s) and `copy`. Falls back to a selection where the clipboard is not
 * available, as on plain http.
 */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelection(text);
    }
    setCopied(true);
    announce("Copied");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 1500);
  };
  return { copied, copy };
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  const host = document.activeElement?.closest("[role=dialog]") ?? document.body;
  host.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export interface CopyButtonProps {
  text: string;
  /** With a label it is a full button, without one an icon. */
  label?: string;
  /** Names the icon: "Copy token". */
  name?: string;
  size?: "sm" | "md";
  variant?: "primary" | "secondary" | "ghost";
  className?: string;
}

/** Copies `text`; its icon turns into a tick for a moment. */
export function CopyButton({ text, label, name = "Copy", size = "sm", variant, className }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  const icon = copied ? <Check aria-hidden /> : <Copy aria-hidden />;
  const onClick = () => void copy(text);
  if (label === undefined) {
    return (
      <IconButton
        label={copied ? "Copied" : name}
        size={size}
        variant={variant}
        icon={icon}
        className={className}
        onClick={onClick}
      />
    );
  }
  return (
    <Button size={size} variant={variant} icon={icon} className={className} onClick={onClick}>
      {copied ? "Copied" : label}
    </Button>
  );
}

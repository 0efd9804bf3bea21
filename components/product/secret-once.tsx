"use client";

import { Download, TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { CopyButton } from "@/components/kit/copy-button";
import { saveFile } from "@/components/kit/save-file";

export interface SecretOnceProps {
  /** What it is: "API key", "Device token". */
  label: string;
  secret: string;
  /** Offers the secret as a file, such as `{ name: "arm-04.env", content: "MUSTER_TOKEN=…" }`. */
  file?: { name: string; content: string };
  /** Called when the person confirms having stored it; keep the dialog locked until then. */
  onStored: () => void;
  action?: string;
  /** Between the secret and the buttons: how to put it to use. */
  children?: ReactNode;
}

/** A secret that is shown only once: Copy, an optional download, and "I stored it" to continue. */
export function SecretOnce({ label, secret, file, onStored, action = "Done", children }: SecretOnceProps) {
  const [stored, setStored] = useState(false);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-start gap-2 text-table text-muted">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
        This is the only time it is shown. Store it where your other secrets are.
      </p>
      <div className="flex min-w-0 items-center gap-2 rounded-panel border border-border-strong bg-background py-1 pr-1 pl-3">
        <code
          aria-label={label}
          className="min-w-0 flex-1 font-mono text-table break-all whitespace-pre-line select-all"
        >
          {secret}
        </code>
        <CopyButton text={secret} label="Copy" name={`Copy ${label}`} variant="primary" />
      </div>
      {children}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Checkbox checked={stored} onCheckedChange={setStored} label="I stored it" />
        <span className="flex items-center gap-2">
          {file && (
            <Button icon={<Download aria-hidden />} onClick={() => saveFile({ ...file, type: "text/plain" })}>
              Download {file.name}
            </Button>
          )}
          <Button variant="primary" disabled={!stored} onClick={onStored}>
            {action}
          </Button>
        </span>
      </div>
    </div>
  );
}

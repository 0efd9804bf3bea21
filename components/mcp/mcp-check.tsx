"use client";

import { PlugZap } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { formatDuration, plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { Status } from "@/components/product/status";
import { checkKey, type CheckResult } from "./check";

export interface McpCheckProps {
  path: string;
  apiKey: string;
}

/** Asks the address what the key may use, from this browser. */
export function McpCheck({ path, apiKey }: McpCheckProps) {
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState<{ path: string; key: string; result: CheckResult } | null>(null);
  const result = checked?.key === apiKey && checked.path === path ? checked.result : null;
  const check = async () => {
    setBusy(true);
    setChecked({ path, key: apiKey, result: await checkKey(path, apiKey) });
    setBusy(false);
  };
  return (
    <Section
      title="Check"
      description="Lists the tools with this key, as a host does."
      actions={
        <Button
          icon={<PlugZap aria-hidden />}
          busy={busy}
          disabledReason={apiKey.trim() === "" ? "Make or enter a key first." : undefined}
          onClick={() => void check()}
        >
          Check
        </Button>
      }
    >
      <div role="status">
        {result && "problem" in result && (
          <Status tone="error" strong>
            {result.problem}
          </Status>
        )}
        {result && "tools" in result && (
          <Status tone="online" strong>
            {plural(result.tools.length, "tool")} in {formatDuration(result.ms)}
          </Status>
        )}
      </div>
      {result && "tools" in result && (
        <div className="mt-3 grid gap-6 sm:grid-cols-2">
          {[true, false].map((reads) => {
            const tools = result.tools.filter((tool) => tool.reads === reads);
            return (
              <section key={String(reads)} className="min-w-0">
                <h3 className="mb-1 text-table font-semibold">
                  {reads ? "Reads" : "Writes"}{" "}
                  <span className="font-normal text-muted tabular-nums">{tools.length}</span>
                </h3>
                {tools.length === 0 ? (
                  <p className="text-table text-muted">None.</p>
                ) : (
                  <ul
                    aria-label={reads ? "Tools that read" : "Tools that write"}
                    tabIndex={0}
                    className="max-h-72 overflow-y-auto rounded-panel border border-border"
                  >
                    {tools.map(({ name, title }) => (
                      <li key={name} className="border-b border-border px-3 py-1 last:border-b-0">
                        <code className="font-mono text-meta break-all">{name}</code>
                        {title && <p className="truncate text-meta text-muted">{title}</p>}
                      </li>
                    ))}
                  </ul>
                )}
              </section>
            );
          })}
        </div>
      )}
    </Section>
  );
}

import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";

/** The foot of a panel, in sight where the panel is longer than the page: what Enter does, in a line and on its button. */
export function PanelFoot(props: { line: ReactNode; busy: boolean; ready: boolean; children: ReactNode }) {
  const { line, busy, ready, children } = props;
  return (
    <div className="sticky -bottom-3 -mx-3 -mb-3 flex items-center justify-between gap-3 border-t bg-raised px-3 py-2.5">
      <p className="min-w-0 text-table text-muted" aria-live="polite">
        {line}
      </p>
      <Button type="submit" variant="primary" busy={busy} disabled={!ready}>
        {children}
      </Button>
    </div>
  );
}

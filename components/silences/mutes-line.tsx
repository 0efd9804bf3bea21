import { formatNumber, plural } from "@/components/kit/format";
import { readFailure } from "@/components/product/failure";
import { messageAt } from "@/domain/issues";
import type { Mutes } from "./query";

/** What matchers take in at this moment, in one line that is read out as it changes. */
export function MutesLine({ mutes, error }: { mutes: Mutes | undefined; error: unknown }) {
  if (error) {
    const { issues, detail } = readFailure(error);
    return <p className="mt-1.5 text-meta text-critical-text">{messageAt(issues, "matchers") ?? detail}</p>;
  }
  return (
    <p role="status" className="mt-1.5 min-h-4 text-meta text-muted">
      {mutes && (
        <>
          Mutes <span className="font-medium text-foreground">{plural(mutes.open_alerts, "open alert")}</span>,{" "}
          {plural(mutes.rules, "rule")}, {formatNumber(mutes.devices, 0)} {mutes.devices === 1 ? "device" : "devices"}
        </>
      )}
    </p>
  );
}

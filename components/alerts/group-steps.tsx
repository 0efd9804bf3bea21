"use client";

import { BellOff, Check, CircleCheckBig } from "lucide-react";
import { Button } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";
import { KeyHint } from "@/components/kit/kbd";
import { noDevice } from "@/domain/alerts/lifecycle";
import type { Target } from "./query";
import type { Triage } from "./triage";

/** What can be done with all alerts of a group, with the keys of a single one. */
export function GroupSteps({ target, triage }: { target: Extract<Target, { kind: "group" }>; triage: Triage }) {
  const { tab, reason } = triage;
  const count = formatNumber(target.group.count);
  if (tab === "resolved")
    return (
      <Button disabledReason={reason} onClick={() => void triage.reopen([target])}>
        Reopen {count}
      </Button>
    );
  return (
    <>
      {tab !== "acknowledged" && (
        <Button
          variant="primary"
          icon={<Check aria-hidden />}
          disabledReason={reason}
          onClick={() => void triage.acknowledge([target])}
        >
          Acknowledge {count} <KeyHint keys="a" inverted decorative />
        </Button>
      )}
      <Button
        variant={tab === "acknowledged" ? "primary" : "secondary"}
        icon={<CircleCheckBig aria-hidden />}
        disabledReason={reason}
        onClick={() => triage.resolve([target])}
      >
        Resolve {count} <KeyHint keys="r" inverted={tab === "acknowledged"} decorative />
      </Button>
      {target.group.key !== noDevice && (
        <Button icon={<BellOff aria-hidden />} disabledReason={reason} onClick={() => triage.silence([target])}>
          Silence <KeyHint keys="s" decorative />
        </Button>
      )}
    </>
  );
}

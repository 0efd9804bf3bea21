"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { Section } from "@/components/kit/page-header";
import { Switch } from "@/components/kit/switch";
import { usePermissions } from "@/components/product/permissions";
import { useSaved, type Organization } from "./use-saved";

/** Whether messages about alerts carry what cameras saw, which leaves Muster: turning it on is confirmed. */
export function PicturesSection({ organization }: { organization: Organization }) {
  const saved = useSaved();
  const reason = usePermissions().refusal({ role: "admin" });
  const [confirming, setConfirming] = useState(false);
  const isOn = organization.settings.pictures_in_messages === true;
  const set = (value: boolean) =>
    saved(
      "Pictures in messages",
      { settings: { pictures_in_messages: value } },
      { settings: { pictures_in_messages: isOn } },
    );
  return (
    <Section title="Pictures in messages" description="What messages about alerts show of the moment they are about.">
      <Switch
        label="Send what cameras saw to channels"
        hint="E-mail carries one picture; Slack, Teams, PagerDuty and webhooks get links of seven days. Turning it off ends these links."
        checked={isOn}
        onCheckedChange={(next) => (next ? setConfirming(true) : void set(false))}
        disabledReason={reason}
      />
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Send pictures to channels?"
        description="Whoever reads a channel sees what the robots' cameras saw, also without an account here. New messages wait up to 30 seconds for their pictures, critical ones up to 10."
        action="Send pictures"
        onConfirm={async () => void (await set(true))}
      />
    </Section>
  );
}

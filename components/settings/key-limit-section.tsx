"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { Section } from "@/components/kit/page-header";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { KeyLimit } from "@/domain/api-keys/schema";
import type { Organization } from "./use-saved";

/** The longest that an API key may live. A shorter limit ends keys that are in use sooner, which is said before. */
export function KeyLimitSection({ organization }: { organization: Organization }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const current = organization.settings.key_expiry_days ?? null;
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const text = (typed ?? (current === null ? "" : String(current))).trim();
  const parsed = text === "" ? null : KeyLimit.safeParse({ days: /^\d+$/.test(text) ? Number(text) : Number.NaN });
  const days = parsed?.success ? parsed.data.days : null;
  const isChanged = typed !== null && days !== current && (parsed === null || parsed.success);
  const counted = useQuery({
    ...trpc.apiKeys.endingUnder.queryOptions({ days: days ?? 1 }),
    enabled: reason === undefined && isChanged && days !== null,
    placeholderData: keepPreviousData,
  });
  const sooner = isChanged && days !== null ? counted.data?.keys : undefined;

  const save = async () => {
    if (!isChanged || busy) return;
    setBusy(true);
    try {
      await client.organizations.update.mutate({ settings: { key_expiry_days: days } });
      setTyped(null);
      toast.success(days === null ? "Keys may live for ever" : `Keys live at most ${plural(days, "day")}`, {
        description: sooner ? `${plural(sooner, "key")} ${sooner === 1 ? "ends" : "end"} sooner.` : undefined,
      });
      await Promise.all(
        [trpc.organizations.pathFilter(), trpc.apiKeys.pathFilter()].map((filter) =>
          queryClient.invalidateQueries(filter),
        ),
      );
    } catch (error) {
      toast.failure(error, { title: "The limit was not saved" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section title="API keys" description="How long a key may live at most. Those that live longer end sooner.">
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field
          label="Longest life, in days"
          optional
          error={parsed?.error ? "Enter a number of days from 1 to 3,650." : undefined}
          hint={text === "" ? "No limit: each key's own expiry holds." : undefined}
        >
          <Input
            inputMode="numeric"
            autoComplete="off"
            readOnly={reason !== undefined}
            className="max-w-32"
            placeholder="No limit"
            value={typed ?? (current === null ? "" : String(current))}
            onValueChange={setTyped}
          />
        </Field>
        <p role="status" className="text-table text-muted empty:hidden">
          {isChanged && days === null && "Keys that were shortened stay so."}
          {sooner !== undefined &&
            (sooner === 0
              ? "No key ends sooner by it."
              : `${plural(sooner, "key")} ${sooner === 1 ? "ends" : "end"} sooner by it. That cannot be undone.`)}
        </p>
        <div>
          <Button
            type="submit"
            busy={busy}
            disabled={!isChanged}
            variant={isChanged ? "primary" : "secondary"}
            disabledReason={reason}
          >
            Save limit
          </Button>
        </div>
      </form>
    </Section>
  );
}

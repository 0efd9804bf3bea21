"use client";

import { useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { CopyButton } from "@/components/kit/copy-button";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Section } from "@/components/kit/page-header";
import { usePermissions } from "@/components/product/permissions";
import { CreateOrganization } from "@/domain/organizations/schema";
import { LogoField } from "./logo-field";
import { useSaved, type Organization } from "./use-saved";

/** What the organization is called, its address, its logo, and the zone its times are shown in. */
export function GeneralSection({ organization }: { organization: Organization }) {
  const reason = usePermissions().refusal({ role: "admin" });
  return (
    <Section
      title="General"
      description={reason === undefined ? "Changes are saved as you make them." : `You cannot change this. ${reason}`}
    >
      <div className="flex flex-col gap-5">
        <NameField organization={organization} locked={reason !== undefined} />
        <Field
          label="Address"
          hint="It does not change: links, saved requests and the addresses of datasets have it in them."
        >
          <div className="flex items-center gap-1">
            <Input readOnly mono value={organization.slug} className="flex-1" />
            <CopyButton text={organization.slug} name="Copy address" />
          </div>
        </Field>
        <LogoField organization={organization} reason={reason} />
        <ZoneField organization={organization} locked={reason !== undefined} />
      </div>
    </Section>
  );
}

interface FieldProps {
  organization: Organization;
  locked: boolean;
}

function NameField({ organization, locked }: FieldProps) {
  const save = useSaved();
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | undefined>();
  const keep = async () => {
    if (typed === null) return;
    const parsed = CreateOrganization.safeParse({ name: typed.trim() });
    if (!parsed.success) return setError(parsed.error.issues[0]?.message);
    const { name } = parsed.data;
    if (name === organization.name || (await save("Name", { name }, { name: organization.name }))) setTyped(null);
  };
  return (
    <Field label="Name" error={error}>
      <Input
        value={typed ?? organization.name}
        readOnly={locked}
        autoComplete="off"
        onValueChange={(value) => {
          setTyped(value);
          setError(undefined);
        }}
        onBlur={() => void keep()}
        onKeyDown={(event) => {
          if (event.key === "Enter") void keep();
          if (event.key === "Escape") {
            setTyped(null);
            setError(undefined);
          }
        }}
      />
    </Field>
  );
}

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")].map((name) => ({
  value: name,
  label: name,
}));

function ZoneField({ organization, locked }: FieldProps) {
  const save = useSaved();
  const before = organization.settings.time_zone ?? null;
  const set = (zone: string | null) => {
    if (zone !== before) void save("Time zone", { settings: { time_zone: zone } }, { settings: { time_zone: before } });
  };
  return (
    <Field
      label="Default time zone"
      hint="Times are shown in it until a person chooses UTC or their own. Empty: in that of each browser."
    >
      {locked ? (
        <Input readOnly value={before ?? "That of each browser"} />
      ) : (
        <Combobox
          clearable
          options={zones}
          value={before}
          placeholder="That of each browser"
          emptyText="No such zone"
          onValueChange={set}
        />
      )}
    </Field>
  );
}

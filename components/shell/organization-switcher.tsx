"use client";

import { ChevronsUpDown, Plus } from "lucide-react";
import { Button } from "@/components/kit/button";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { OrganizationLogo } from "@/components/organizations/organization-logo";

interface Organization {
  uid: string;
  name: string;
  /** The path of its logo, where it has one. */
  logo: string | null;
}

export interface OrganizationSwitcherProps {
  organizations: readonly Organization[];
  /** The current organization. */
  currentUid: string;
  onSwitch: (uid: string) => void;
  /** Adds "New organization" where given. */
  onCreate?: () => void;
}

/** The name of the current organization, with a menu of the others. */
export function OrganizationSwitcher({ organizations, currentUid, onSwitch, onCreate }: OrganizationSwitcherProps) {
  const current = organizations.find((each) => each.uid === currentUid);
  const items: MenuItem[] = [
    { heading: "Organizations" },
    ...organizations.map((each) => ({
      label: each.name,
      icon: each.logo === null ? undefined : <OrganizationLogo path={each.logo} />,
      checked: each.uid === currentUid,
      onSelect: () => each.uid !== currentUid && onSwitch(each.uid),
    })),
  ];
  if (onCreate) items.push("separator", { label: "New organization", icon: <Plus aria-hidden />, onSelect: onCreate });
  return (
    <Menu
      align="start"
      items={items}
      trigger={
        <Button
          variant="ghost"
          className="max-w-48 min-w-0 shrink px-2 text-foreground"
          aria-label={`Organization: ${current?.name ?? "none"}`}
        >
          {current?.logo && <OrganizationLogo path={current.logo} />}
          <span className="truncate">{current?.name ?? "Choose"}</span>
          <ChevronsUpDown aria-hidden className="size-3.5! text-subtle" />
        </Button>
      }
    />
  );
}

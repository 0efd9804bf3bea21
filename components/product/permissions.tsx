"use client";

import { createContext, use, useMemo, type ReactNode } from "react";
import type { Shortcut } from "@/components/kit/shortcuts";
import { explainRefusal, type Need, type Person } from "@/domain/permissions";
import { toast } from "./toast";

interface PersonPermissions extends Person {
  /** Why the person may not do something, for `disabledReason` of its control; undefined when they may. */
  refusal: (need?: Need) => string | undefined;
}

const Signed = createContext<PersonPermissions | null>(null);

/** Makes known who looks at the screens inside. */
export function PermissionsProvider({ person, children }: { person: Person; children: ReactNode }) {
  const value = useMemo(() => ({ ...person, refusal: (need: Need = {}) => explainRefusal(person, need) }), [person]);
  return <Signed value={value}>{children}</Signed>;
}

/** What the signed-in person may do here. The server decides; this explains its refusals in advance. */
export function usePermissions(): PersonPermissions {
  const value = use(Signed);
  if (!value) throw new Error("usePermissions is used outside a PermissionsProvider");
  return value;
}

/** A shortcut for a person who may not use it: listed with the reason, which pressing it shows. */
export const refuseShortcut = (shortcut: Shortcut, reason: string | undefined): Shortcut =>
  reason === undefined ? shortcut : { ...shortcut, disabledReason: reason, run: () => toast.failure(reason) };

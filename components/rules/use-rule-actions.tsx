"use client";

import { useQueryClient } from "@tanstack/react-query";
import { BellOff, Copy, History, Pencil, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Rule } from "./query";

type RuleTarget = Pick<Rule, "uid" | "name" | "enabled" | "builtin" | "hit_count" | "created_by_uid">;
type Kind = "delete" | "run";

export interface RuleActions {
  menu: (rule: RuleTarget, options?: { open?: boolean }) => MenuItem[];
  toggle: (rule: RuleTarget, enabled: boolean) => Promise<void>;
  /** Applies the saved rule to all past recordings and goes to where its progress shows. */
  run: (rule: Pick<RuleTarget, "uid" | "name">) => Promise<void>;
  dialogs: ReactNode;
}

/** What can be done with a rule, the same in the list and on its page. `onDeleted` is called after its deletion. */
export function useRuleActions(onDeleted: (uid: string) => void): RuleActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { refusal } = usePermissions();
  const [target, setTarget] = useState<RuleTarget | null>(null);
  // Kept while a dialog closes, so that its text does not change during the animation.
  const [kind, setKind] = useState<Kind | null>(null);
  const open = (next: Kind, rule: RuleTarget) => {
    setTarget(rule);
    setKind(next);
  };
  const refresh = () => queryClient.invalidateQueries(trpc.rules.pathFilter());

  const set = async (rule: RuleTarget, enabled: boolean): Promise<void> => {
    await client.rules.update.mutate({ uid: rule.uid, change: { enabled } });
    await refresh();
  };
  const toggle = async (rule: RuleTarget, enabled: boolean): Promise<void> => {
    try {
      await set(rule, enabled);
      toast.undo(`${rule.name} is ${enabled ? "on" : "off"}`, () => void set(rule, !enabled).catch(toast.failure));
    } catch (error) {
      toast.failure(error, { title: `${rule.name} was not changed` });
    }
  };
  const run = async (rule: Pick<RuleTarget, "uid" | "name">): Promise<void> => {
    try {
      const { run_uid } = await client.rules.run.mutate({ uid: rule.uid, over: {} });
      router.push(`/rules/${rule.uid}?run=${run_uid}`);
    } catch (error) {
      toast.failure(error, { title: `${rule.name} was not run` });
    }
  };
  const remove = async (rule: RuleTarget) => {
    try {
      await client.rules.delete.mutate({ uid: rule.uid });
    } catch (error) {
      toast.failure(error, { title: "The rule was not deleted" });
      throw error;
    }
    toast.success(`${rule.name} was deleted`);
    onDeleted(rule.uid);
    await refresh();
  };

  const menu: RuleActions["menu"] = (rule, options = {}) => {
    const [own, make] = [refusal({ author: rule.created_by_uid }), refusal()];
    return [
      ...(options.open
        ? [{ label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: `/rules/${rule.uid}` }]
        : []),
      { label: "Edit", icon: <Pencil aria-hidden />, disabledReason: own, href: `/rules/${rule.uid}/edit` },
      {
        label: "Duplicate",
        icon: <Copy aria-hidden />,
        disabledReason: make,
        href: `/rules/new?duplicate=${rule.uid}`,
      },
      ...(rule.builtin
        ? []
        : [
            {
              label: "Run over past recordings",
              icon: <History aria-hidden />,
              disabledReason: own,
              onSelect: () => open("run", rule),
            },
          ]),
      {
        label: "Silence",
        icon: <BellOff aria-hidden />,
        disabledReason: make,
        href: `/settings/silences?new=1&rule_id=${rule.uid}`,
      },
      ...(rule.builtin
        ? []
        : ([
            "separator",
            {
              label: "Delete",
              icon: <Trash2 aria-hidden />,
              danger: true,
              disabledReason: own,
              onSelect: () => open("delete", rule),
            },
          ] as const)),
    ];
  };

  const dialogs = target && (
    <>
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(next) => !next && setKind(null)}
        title={`Delete ${target.name}?`}
        description="Its versions, hits and evaluations are deleted too. Alerts it raised and events it created are kept."
        action="Delete rule"
        typeToConfirm={target.hit_count > 0 ? target.name.trim() : undefined}
        onConfirm={() => remove(target)}
      />
      <ConfirmDialog
        open={kind === "run"}
        onOpenChange={(next) => !next && setKind(null)}
        title={`Run ${target.name} over past recordings?`}
        description="Every past recording in its scope is evaluated again. Alerts are opened, and nobody is notified."
        action="Run rule"
        danger={false}
        onConfirm={() => run(target)}
      />
    </>
  );
  return { menu, toggle, run, dialogs };
}

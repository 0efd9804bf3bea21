"use client";

import { useQuery } from "@tanstack/react-query";
import {
  BellOff,
  Check,
  CircleCheckBig,
  Clock,
  MessageSquare,
  SquareArrowOutUpRight,
  Trash2,
  Undo2,
  UserRound,
} from "lucide-react";
import type { MenuItem } from "@/components/kit/menu";
import { useTRPC } from "@/components/trpc/client";
import { isTest } from "./labels";
import type { Alert, Target } from "./query";
import type { Triage } from "./triage";

/** Possible assignees: oneself, other members of the organization, or none. */
export function useAssignItems(onAssign: (assignee: string | null) => void): MenuItem[] {
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({ limit: 100 })).data?.results ?? [];
  return [
    { label: "Me", keys: "i", icon: <UserRound aria-hidden />, onSelect: () => onAssign("me") },
    { label: "Unassigned", onSelect: () => onAssign(null) },
    "separator",
    ...members.map(({ username, email }) => ({
      label: username,
      hint: email === username ? undefined : email,
      onSelect: () => onAssign(username),
    })),
  ];
}

const hour = 3_600_000;
const spans = [
  { label: "1 hour", ms: hour },
  { label: "4 hours", ms: 4 * hour },
  { label: "24 hours", ms: 24 * hour },
  { label: "7 days", ms: 7 * 24 * hour },
];

/** How long an alert can be snoozed; `disabledReason` is why the person may not. */
export const snoozeItems = (
  onSnooze: (until: string | null) => void,
  asleep: boolean,
  disabledReason?: string,
): MenuItem[] => [
  ...spans.map(({ label, ms }) => ({
    label: `For ${label}`,
    icon: <Clock aria-hidden />,
    disabledReason,
    onSelect: () => onSnooze(new Date(Date.now() + ms).toISOString()),
  })),
  ...(asleep ? ["separator" as const, { label: "End snooze", disabledReason, onSelect: () => onSnooze(null) }] : []),
];

/** Everything that can be done with one alert, as its row's menu has it. */
export function alertMenu(
  alert: Alert,
  triage: Triage,
  options: { open?: boolean; comment?: () => void; remove: (alert: Alert) => void },
): MenuItem[] {
  const target: Target = { kind: "alert", alert };
  const live = alert.status !== "resolved";
  const disabledReason = triage.reason;
  return [
    ...(options.open
      ? [{ label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: `/alerts/${alert.uid}` }]
      : []),
    ...(alert.status === "open"
      ? [
          {
            label: "Acknowledge",
            icon: <Check aria-hidden />,
            keys: "a",
            disabledReason,
            onSelect: () => void triage.acknowledge([target]),
          },
        ]
      : []),
    ...(live
      ? [
          {
            label: "Resolve",
            icon: <CircleCheckBig aria-hidden />,
            keys: "r",
            disabledReason,
            onSelect: () => triage.resolve([target]),
          },
        ]
      : []),
    ...(alert.status === "open"
      ? []
      : [
          {
            label: "Reopen",
            icon: <Undo2 aria-hidden />,
            disabledReason,
            onSelect: () => void triage.reopen([target]),
          },
        ]),
    {
      label: "Assign to me",
      icon: <UserRound aria-hidden />,
      keys: "i",
      disabledReason,
      onSelect: () => void triage.assign([target], "me"),
    },
    ...(live && !isTest(alert)
      ? [
          {
            label: "Silence",
            icon: <BellOff aria-hidden />,
            keys: "s",
            disabledReason,
            onSelect: () => triage.silence([target]),
          },
        ]
      : []),
    ...(options.comment
      ? [
          {
            label: "Comment",
            icon: <MessageSquare aria-hidden />,
            keys: "c",
            disabledReason,
            onSelect: options.comment,
          },
        ]
      : []),
    ...(live
      ? [
          "separator" as const,
          { heading: "Snooze" },
          ...snoozeItems((until) => void triage.snooze([target], until), alert.snoozed_until !== null, disabledReason),
        ]
      : []),
    ...(isTest(alert)
      ? [
          "separator" as const,
          {
            label: "Remove test alert",
            icon: <Trash2 aria-hidden />,
            danger: true,
            disabledReason,
            onSelect: () => options.remove(alert),
          },
        ]
      : []),
  ];
}

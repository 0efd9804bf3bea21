"use client";

import { useQueryClient } from "@tanstack/react-query";
import { BellOff, CopyPlus, Pencil, Timer, Trash2, X } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { MenuItem } from "@/components/kit/menu";
import { toOptions } from "@/components/kit/options";
import { PageHeader } from "@/components/kit/page-header";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { severities } from "@/domain/severity";
import type { SilenceState } from "@/domain/silences/silence-state";
import { useMatcherNames } from "./matcher-input";
import { listInput, type Matchers, type Silence } from "./query";
import { silenceColumns } from "./silence-columns";
import { SilenceDialog } from "./silence-dialog";
import { SoonNotice } from "./soon-notice";

const definitions = [
  {
    key: "state",
    label: "State",
    options: toOptions<SilenceState>({ active: "Active", scheduled: "Scheduled", expired: "Expired" }),
    multiple: true,
  },
];

const dialogParsers = {
  new: parseAsString,
  device_id: parseAsString,
  rule_id: parseAsString,
  severity: parseAsString,
  tag: parseAsString,
  ends: parseAsString,
};

const split = (text: string | null): string[] | undefined => text?.split(",").filter(Boolean);

/** The create dialog, opened and filled by the address: `?new=1&device_id=&rule_id=&severity=&tag=&ends=<hours>`. */
function useCreateDialog() {
  const [values, setValues] = useQueryStates(dialogParsers, { history: "replace" });
  const matchers: Matchers = {
    device_ids: split(values.device_id),
    rule_ids: split(values.rule_id),
    severities: split(values.severity)?.flatMap((name) => severities.find((each) => each === name) ?? []),
    tags: split(values.tag),
  };
  return {
    open: values.new === "1",
    matchers,
    hours: Number(values.ends) || undefined,
    setOpen: (open: boolean) => void setValues(open ? { new: "1" } : null),
  };
}

const createCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/fleet/silences/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"matchers": {"tags": ["hall-1"]}, "reason": "moving house", "ends_at": "2099-01-31T18:00:00Z"}'`;

/** Every silence: who muted what, why, until when, and which alerts match now. */
export function SilenceList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const createDialog = useCreateDialog();
  const origin = useOrigin();
  const [changing, setChanging] = useState<Silence | null>(null);
  const [copying, setCopying] = useState<Silence | null>(null);
  const list = useListPage({
    definitions,
    query: (values) =>
      trpc.silences.list.infiniteQueryOptions(listInput(values), { ...nextPage, refetchInterval: 30_000 }),
    probe: (values) => trpc.silences.list.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const rows = list.all;
  const names = useMatcherNames((rows ?? []).map((silence) => silence.matchers as Matchers));
  const columns = useMemo(() => silenceColumns(names), [names]);

  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.silences.pathFilter()),
      queryClient.invalidateQueries(trpc.alerts.pathFilter()),
    ]);
  const run = async (work: () => Promise<unknown>, done: string, undo?: () => Promise<unknown>) => {
    try {
      await work();
      await refresh();
      if (undo) toast.undo(done, () => void undo().then(refresh, (error: unknown) => toast.failure(error)));
      else toast.success(done);
    } catch (error) {
      toast.failure(error, { title: "The silence was not changed" });
    }
  };
  const extend = (silence: Silence, hours: number) => {
    const endsAt = new Date(Date.parse(silence.ends_at) + hours * 3_600_000).toISOString();
    const change = (at: string) => client.silences.update.mutate({ uid: silence.uid, change: { ends_at: at } });
    return run(
      () => change(endsAt),
      `Extended by ${hours} h`,
      () => change(silence.ends_at),
    );
  };
  const expire = (silence: Silence) => {
    const { matchers, reason, ticket, ends_at: endsAt, recurrence } = silence;
    return run(
      () => client.silences.expire.mutate({ uid: silence.uid }),
      "Silence ended",
      // An ended silence cannot be changed, so undo creates the same one again.
      () =>
        client.silences.create.mutate({ matchers: matchers as Matchers, reason, ticket, ends_at: endsAt, recurrence }),
    );
  };
  const explain = (silence: Silence) => refusal({ author: silence.created_by_uid });
  const menu = (silence: Silence): MenuItem[] => {
    const [own, make] = [explain(silence), refusal()];
    return silence.state === "expired"
      ? [
          {
            label: "Silence again",
            icon: <CopyPlus aria-hidden />,
            disabledReason: make,
            onSelect: () => setCopying(silence),
          },
          {
            label: "Remove",
            disabledReason: own,
            icon: <Trash2 aria-hidden />,
            danger: true,
            onSelect: () => void run(() => client.silences.delete.mutate({ uid: silence.uid }), "Silence removed"),
          },
        ]
      : [
          { label: "Change", icon: <Pencil aria-hidden />, disabledReason: own, onSelect: () => setChanging(silence) },
          ...[1, 4, 24].map((hours) => ({
            label: `Extend by ${hours} h`,
            icon: <Timer aria-hidden />,
            disabledReason: own,
            onSelect: () => void extend(silence, hours),
          })),
          { label: "Copy", icon: <CopyPlus aria-hidden />, disabledReason: make, onSelect: () => setCopying(silence) },
          "separator",
          {
            label: silence.state === "active" ? "Expire now" : "Cancel",
            icon: <X aria-hidden />,
            danger: true,
            disabledReason: own,
            onSelect: () => void expire(silence),
          },
        ];
  };

  const create = (
    <Button
      variant="primary"
      icon={<BellOff aria-hidden />}
      disabledReason={refusal()}
      onClick={() => createDialog.setOpen(true)}
    >
      Create silence
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Silences"
        meta="Alerts they mute are recorded but send no notifications."
        actions={list.isEmpty ? undefined : create}
      />
      <SoonNotice
        silences={rows ?? []}
        names={names}
        explain={explain}
        onExtend={(silence) => void extend(silence, 1)}
      />
      <ListTable
        {...list.table}
        list={list}
        id="silences"
        label="Silences"
        noun={["silence", "silences"]}
        lines={2}
        columns={columns}
        rowLabel={(silence) => silence.reason}
        selected={null}
        onSelect={(uid) => {
          const silence = rows?.find((each) => each.uid === uid);
          if (silence?.state === "expired") setCopying(silence);
          else setChanging(silence ?? null);
        }}
        rowMenu={menu}
        filterBar={{ label: "Filter silences", placeholder: "Filter by state" }}
        tools={<SavedViews screen="silences" />}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No silences yet"
            description="A silence mutes alerts that you expect: a device on the bench, a rule during a move. They are recorded but send no notifications."
            action={create}
            curl={{ command: createCommand(origin), guide: guideHref("alerts", "silences") }}
          />
        }
      />
      <SilenceDialog
        open={createDialog.open}
        onClose={() => createDialog.setOpen(false)}
        matchers={createDialog.matchers}
        hours={createDialog.hours}
      />
      {changing && <SilenceDialog open onClose={() => setChanging(null)} silence={changing} />}
      {copying && <SilenceDialog open onClose={() => setCopying(null)} matchers={copying.matchers as Matchers} />}
    </>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { Drawer } from "@/components/kit/drawer";
import type { MenuItem } from "@/components/kit/menu";
import { useTRPC } from "@/components/trpc/client";
import { AlertBody } from "./alert-body";
import { AlertStatusLine } from "./alert-facts";
import { AlertLinks, AlertSteps } from "./alert-steps";
import { alertTitle } from "./labels";
import type { Alert } from "./query";
import type { Triage } from "./triage";

export interface ShownAlert {
  /** The alert shown; null where none is. */
  uid: string | null;
  /** The same alert as the list has it, shown while the detail loads. */
  row: Alert | undefined;
  triage: Triage;
  menu: (alert: Alert) => MenuItem[];
  /** Whether keys for its moment are for it, and not for rows that are ticked. */
  keyed: boolean;
}

/** The alert with its evidence, and what the list knows of it until that is loaded. */
export function useShownAlert({ uid, row }: Pick<ShownAlert, "uid" | "row">) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.alerts.get.queryOptions({ uid: uid ?? "" }), enabled: uid !== null });
  const detail = query.data?.uid === uid ? query.data : undefined;
  return { query, detail, alert: row ?? detail };
}

/** An alert over the list, where there is no room for a pane beside it. */
export function AlertDrawer({ uid, row, triage, menu, keyed, onClose }: ShownAlert & { onClose: () => void }) {
  const { query, detail, alert } = useShownAlert({ uid, row });
  // Opened before its head is known, the drawer would move what is below it.
  const known = alert !== undefined || query.error !== null;
  return (
    <Drawer
      open={uid !== null && known}
      onClose={onClose}
      title={alert ? alertTitle(alert) : "Alert"}
      subtitle={alert && <AlertStatusLine alert={alert} />}
      actions={alert && <AlertLinks alert={alert} />}
      footer={alert && <AlertSteps alert={alert} triage={triage} menu={menu(alert)} keyed={keyed} />}
    >
      <AlertBody
        detail={detail}
        triage={triage}
        error={detail ? null : query.error}
        onRetry={() => void query.refetch()}
      />
    </Drawer>
  );
}

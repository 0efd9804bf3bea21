"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FilePlus2, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { Drawer } from "@/components/kit/drawer";
import { EmptyState } from "@/components/kit/empty-state";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Bytes } from "@/components/kit/measure";
import type { MenuItem } from "@/components/kit/menu";
import { PageHeader } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { ErrorState } from "@/components/product/error-state";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { toFolder } from "@/domain/message-definitions/type-name";
import { listInput, type MessageDefinition } from "./query";

// Loaded when files are added.
const AddDialog = lazyDialog(async () => (await import("./add-dialog")).AddDialog);

const columns: readonly DataTableColumn<MessageDefinition>[] = [
  {
    id: "name",
    header: "Type",
    minWidth: 220,
    required: true,
    narrow: "title",
    cell: ({ name }) => <Truncate text={name} className="font-mono" />,
  },
  { id: "format", header: "File", width: 72, narrow: "meta", cell: ({ format }) => `.${format}` },
  {
    id: "size",
    header: "Size",
    width: 96,
    align: "right",
    narrow: "meta",
    cell: ({ size_bytes }) => <Bytes value={size_bytes} />,
  },
  {
    id: "created_by",
    header: "Added by",
    width: 160,
    narrow: "meta",
    cell: ({ created_by_name }) => <Truncate text={created_by_name} />,
  },
  {
    id: "updated_at",
    header: "Changed",
    width: 120,
    narrow: "trailing",
    cell: ({ updated_at }) => <RelativeTime value={updated_at} rich={false} />,
  },
];

const toFileName = ({ name, format }: Pick<MessageDefinition, "name" | "format">): string =>
  `${name.replace("/", `/${toFolder(format)}/`)}.${format}`;

const saveCommand = (origin: string): string => `curl ${origin}/api/v1/fleet/message-definitions/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"files": [{"path": "my_msgs/msg/Status.msg", "text": "float32 load\\nstring state\\n"}]}'`;

/** The message definitions that the organization keeps for recordings without any. */
export function DefinitionList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const { refusal } = usePermissions();
  const [adding, setAdding] = useState(false);
  const list = useListPage({
    definitions: [],
    textKey: "name",
    query: (values) => trpc.messageDefinitions.list.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.messageDefinitions.list.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const remove = useRemoval(list.deselect);
  const menu = (definition: MessageDefinition): MenuItem[] => [
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: refusal({ author: definition.created_by }),
      onSelect: () => void remove(definition),
    },
  ];
  const add = (
    <Button
      variant="primary"
      icon={<FilePlus2 aria-hidden />}
      disabledReason={refusal()}
      onClick={() => setAdding(true)}
    >
      Add files
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Message definitions"
        meta="How recordings without definitions of their own are read."
        actions={list.isEmpty ? undefined : add}
      />
      <ListTable
        {...list.table}
        list={list}
        id="message-definitions"
        label="Message definitions"
        noun={["definition", "definitions"]}
        columns={columns}
        rowLabel={({ name }) => name}
        rowMenu={menu}
        filterBar={{ label: "Filter message definitions", placeholder: "Filter by type" }}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No message definitions yet"
            description="Some recordings do not say what their messages contain: db3 files of ROS 2 Humble and older, and those recorded without the packages at hand. The standard messages are known; add the .msg, .srv, .action or .idl files of your own packages."
            action={add}
            curl={{ command: saveCommand(origin), guide: guideHref("uploads") }}
          />
        }
      />
      <DefinitionDrawer uid={list.selected} row={list.selectedRow} onClose={() => list.select(null)} />
      <Suspense>{adding && <AddDialog onClose={() => setAdding(false)} />}</Suspense>
    </>
  );
}

/** Deletes a definition, which can be undone. */
function useRemoval(deselect: (uids: string[]) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries(trpc.messageDefinitions.pathFilter());
  return async (definition: MessageDefinition) => {
    try {
      const { text } = await client.messageDefinitions.get.query({ uid: definition.uid });
      await client.messageDefinitions.delete.mutate({ uid: definition.uid });
      deselect([definition.uid]);
      await refresh();
      const files = [{ path: toFileName(definition), text }];
      toast.undo(
        `Deleted ${definition.name}`,
        () => void client.messageDefinitions.save.mutate({ files }).then(refresh, toast.failure),
      );
    } catch (error) {
      toast.failure(error, { title: "The definition was not deleted" });
    }
  };
}

function DefinitionDrawer(props: { uid: string | null; row: MessageDefinition | undefined; onClose: () => void }) {
  const { uid, row, onClose } = props;
  const trpc = useTRPC();
  const definition = useQuery({
    ...trpc.messageDefinitions.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null,
  });
  const shown = definition.data ?? row;
  return (
    <Drawer open={uid !== null} onClose={onClose} title={shown?.name ?? "Message definition"}>
      {definition.data ? (
        <CodeBlock code={definition.data.text} label={toFileName(definition.data)} />
      ) : definition.error ? (
        <ErrorState
          error={definition.error}
          title="This definition could not be loaded"
          onRetry={() => void definition.refetch()}
        />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}

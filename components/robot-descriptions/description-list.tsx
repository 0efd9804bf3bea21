"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Download, FileUp, Replace, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { EmptyState } from "@/components/kit/empty-state";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Bytes } from "@/components/kit/measure";
import type { MenuItem } from "@/components/kit/menu";
import { None } from "@/components/kit/none";
import { PageHeader } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { DescriptionDrawer } from "./description-drawer";
import { listInput, type RobotDescription } from "./query";

// Loaded when a zip is uploaded.
const UploadDialog = lazyDialog(async () => (await import("./upload-dialog")).UploadDialog);

const describeMissing = ({ missing_meshes: missing }: RobotDescription): string => {
  const names = missing.slice(0, 5).map((address) => address.split("/").at(-1));
  const noun = missing.length === 1 ? "mesh" : "meshes";
  return `${missing.length} ${noun} missing: ${names.join(", ")}${missing.length > 5 ? ", …" : ""}`;
};

const columns: readonly DataTableColumn<RobotDescription>[] = [
  {
    id: "device_type",
    header: "Device type",
    minWidth: 180,
    required: true,
    narrow: "title",
    cell: ({ device_type }) => <Truncate text={device_type} />,
  },
  { id: "name", header: "Robot", width: 140, cell: ({ name }) => (name ? <Truncate text={name} /> : <None />) },
  { id: "files", header: "Files", width: 72, align: "right", cell: ({ file_count }) => file_count },
  {
    id: "size",
    header: "Size",
    width: 96,
    align: "right",
    narrow: "meta",
    cell: ({ size_bytes }) => <Bytes value={size_bytes} />,
  },
  {
    id: "missing",
    header: "Missing",
    minWidth: 200,
    narrow: "meta",
    cell: (description) =>
      description.missing_meshes.length > 0 ? (
        <Truncate text={describeMissing(description)} className="text-warning-text" />
      ) : (
        <None />
      ),
  },
  {
    id: "created_by",
    header: "Uploaded by",
    width: 140,
    cell: ({ created_by_name }) => <Truncate text={created_by_name} />,
  },
  {
    id: "created_at",
    header: "Uploaded",
    width: 112,
    narrow: "trailing",
    cell: ({ created_at }) => <RelativeTime value={created_at} rich={false} />,
  },
];

const uploadCommand = (origin: string): string => `BEGUN=$(curl ${origin}/api/v1/fleet/robot-descriptions/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d "{\\"device_type\\": \\"arm\\", \\"size_bytes\\": $(wc -c < arm.zip)}")
curl -T arm.zip "$(echo "$BEGUN" | jq -r .put_url)"
curl -X POST ${origin}/api/v1/fleet/robot-descriptions/$(echo "$BEGUN" | jq -r .uid)/finalize/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY"`;

/** What robots look like in 3-D views, by the type of their devices. */
export function DescriptionList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const { refusal } = usePermissions();
  /** Whose description is replaced; "" for a new one. */
  const [uploading, setUploading] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<RobotDescription | null>(null);
  const list = useListPage({
    definitions: [],
    textKey: "device_type",
    query: (values) => trpc.robotDescriptions.list.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.robotDescriptions.list.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const remove = useRemoval(list.deselect);
  const download = useDownload();
  const menu = (description: RobotDescription): MenuItem[] => {
    const disabledReason = refusal({ author: description.created_by });
    return [
      { label: "Download the zip", icon: <Download aria-hidden />, onSelect: () => void download(description) },
      {
        label: "Replace",
        icon: <Replace aria-hidden />,
        disabledReason,
        onSelect: () => setUploading(description.device_type),
      },
      {
        label: "Delete",
        icon: <Trash2 aria-hidden />,
        danger: true,
        disabledReason,
        onSelect: () => setDeleting(description),
      },
    ];
  };
  const add = (
    <Button variant="primary" icon={<FileUp aria-hidden />} disabledReason={refusal()} onClick={() => setUploading("")}>
      Add a description
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Robot descriptions"
        meta="What the robots of a device type look like in 3-D."
        actions={list.isEmpty ? undefined : add}
      />
      <ListTable
        {...list.table}
        list={list}
        id="robot-descriptions"
        label="Robot descriptions"
        noun={["description", "descriptions"]}
        columns={columns}
        rowLabel={({ device_type }) => device_type}
        rowMenu={menu}
        filterBar={{ label: "Filter robot descriptions", placeholder: "Filter by device type" }}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No robot descriptions yet"
            description="A zip of a URDF and its meshes draws the robots of a device type in the 3-D views of their recordings, moved by their joint states. It also holds the meshes that markers name."
            action={add}
            curl={{ command: uploadCommand(origin), guide: guideHref("uploads", "robot-descriptions") }}
          />
        }
      />
      <DescriptionDrawer uid={list.selected} row={list.selectedRow} onClose={() => list.select(null)} />
      <Suspense>
        {uploading !== null && (
          <UploadDialog deviceType={uploading === "" ? null : uploading} onClose={() => setUploading(null)} />
        )}
      </Suspense>
      {deleting && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setDeleting(null)}
          title={`Delete the description of ${deleting.device_type}?`}
          description="3-D views of its recordings no longer show the robot, unless a recording brings its own description."
          action="Delete description"
          onConfirm={() => remove(deleting)}
        />
      )}
    </>
  );
}

/** Saves a zip, by a link of now: those of the list may have expired. */
function useDownload() {
  const client = useTRPCClient();
  return async ({ uid }: RobotDescription) => {
    try {
      location.assign((await client.robotDescriptions.get.query({ uid })).download_url);
    } catch (error) {
      toast.failure(error, { title: "The zip could not be downloaded" });
    }
  };
}

function useRemoval(deselect: (uids: string[]) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return async ({ uid, device_type: type }: RobotDescription) => {
    try {
      await client.robotDescriptions.delete.mutate({ uid });
    } catch (error) {
      toast.failure(error, { title: `The description of ${type} was not deleted` });
      throw error;
    }
    deselect([uid]);
    toast.success(`Deleted the description of ${type}`);
    await queryClient.invalidateQueries(trpc.robotDescriptions.pathFilter());
  };
}

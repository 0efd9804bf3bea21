import { Badge, TagsCell, tagsText } from "@/components/kit/badge";
import { Bytes } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import type { DataTableColumn } from "@/components/list/data-table";
import { DeviceStatus, LastSeen } from "./device-status";
import { OpenAlerts } from "./open-alerts";
import type { DeviceRow } from "./query";

/** The name; beside it whether it is of the demo fleet. */
function DeviceName({ device }: { device: DeviceRow }) {
  if (!device.demo) return device.name;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate">{device.name}</span>
      <Badge>Demo</Badge>
    </span>
  );
}

export const deviceColumns: readonly DataTableColumn<DeviceRow>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    required: true,
    narrow: "title",
    text: (device) => device.name + (device.demo ? " ".repeat(9) : ""),
    cell: (device) => <DeviceName device={device} />,
  },
  {
    id: "status",
    header: "Status",
    width: 128,
    narrow: "trailing",
    cell: (device) => <DeviceStatus device={device} />,
  },
  { id: "alerts", header: "Open alerts", width: 112, narrow: "meta", cell: (device) => <OpenAlerts device={device} /> },
  {
    id: "type",
    header: "Type",
    width: 120,
    narrow: "meta",
    cell: (device) => (device.type === "unknown" ? <None /> : device.type),
  },
  {
    id: "tags",
    header: "Tags",
    minWidth: 96,
    text: (device) => tagsText(device.tags),
    cell: (device) => <TagsCell tags={device.tags} max={3} />,
  },
  {
    id: "firmware_version",
    header: "Firmware",
    width: 100,
    cell: (device) => (device.firmware_version ? <Badge mono>{device.firmware_version}</Badge> : <None />),
  },
  {
    id: "last_seen_at",
    header: "Last seen",
    width: 100,
    align: "right",
    narrow: "meta",
    cell: (device) => <LastSeen device={device} />,
  },
  {
    id: "last_recording_at",
    header: "Last recording",
    width: 124,
    align: "right",
    cell: (device) =>
      device.last_recording_at === null ? <None /> : <RelativeTime value={device.last_recording_at} rich={false} />,
  },
  {
    id: "storage_bytes",
    header: "Storage",
    width: 92,
    align: "right",
    cell: (device) => (Number(device.storage_bytes) === 0 ? <None /> : <Bytes value={Number(device.storage_bytes)} />),
  },
  {
    id: "created_at",
    header: "Registered",
    hidden: true,
    width: 100,
    align: "right",
    cell: (device) => <RelativeTime value={device.created_at} rich={false} className="text-muted" />,
  },
];

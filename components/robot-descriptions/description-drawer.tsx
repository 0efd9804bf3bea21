"use client";

import { useQuery } from "@tanstack/react-query";
import { Drawer } from "@/components/kit/drawer";
import { formatBytes, formatNumber } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes } from "@/components/kit/measure";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { TruncateMiddle } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import type { RobotDescription } from "./query";

interface DescriptionDrawerProps {
  uid: string | null;
  row: RobotDescription | undefined;
  onClose: () => void;
}

/** What a robot description holds, and what its URDF names in vain. */
export function DescriptionDrawer({ uid, row, onClose }: DescriptionDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.robotDescriptions.get.queryOptions({ uid: uid ?? "" }), enabled: uid !== null });
  const { data, error } = query;
  return (
    <Drawer open={uid !== null} onClose={onClose} title={row?.device_type ?? data?.device_type ?? "Robot description"}>
      {data ? (
        <div className="flex flex-col gap-6">
          <KeyValue
            items={[
              ["Robot", data.name || null],
              ["Links", formatNumber(data.link_count, 0)],
              ["Joints", formatNumber(data.joint_count, 0)],
              ["Zip", formatBytes(data.size_bytes)],
              ["Uploaded by", data.created_by_name],
              ["Uploaded", <RelativeTime key="at" value={data.created_at} />],
            ]}
          />
          {data.missing_meshes.length > 0 && (
            <section aria-labelledby="missing-meshes">
              <h3 id="missing-meshes" className="mb-1.5 text-table font-medium text-warning-text">
                {data.missing_meshes.length === 1 ? "1 mesh missing" : `${data.missing_meshes.length} meshes missing`}
              </h3>
              <p className="mb-2 text-meta text-muted">The collision shapes of their links are drawn instead.</p>
              <ul aria-labelledby="missing-meshes" className="flex flex-col gap-1 font-mono text-meta break-all">
                {data.missing_meshes.map((address) => (
                  <li key={address}>{address}</li>
                ))}
              </ul>
            </section>
          )}
          <section aria-labelledby="robot-files">
            <h3 id="robot-files" className="mb-1.5 text-table font-medium">
              Files
            </h3>
            <ul aria-labelledby="robot-files" className="flex flex-col gap-1 text-table">
              {data.files.map(({ path, size_bytes }) => (
                <li key={path} className="flex justify-between gap-4">
                  <TruncateMiddle text={path} className="min-w-0 font-mono text-meta" />
                  <Bytes value={size_bytes} />
                </li>
              ))}
            </ul>
          </section>
        </div>
      ) : error ? (
        <ErrorState error={error} title="This description could not be loaded" onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}

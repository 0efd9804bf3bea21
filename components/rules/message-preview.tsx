import { channelViews } from "@/components/channels/kinds/registry";
import type { ChannelType } from "@/domain/channels/channel-type";

/** A message of this rule as it is received; device, values and times come from the recording. */
export function MessagePreview({
  type,
  name,
  sentence,
  severity,
}: {
  type: ChannelType;
  name: string;
  sentence: string;
  severity: string;
}) {
  const title = name.trim() || "Untitled rule";
  const condition = sentence || "its condition";
  return (
    <figure className="min-w-0 rounded-panel border bg-background px-3 py-2 text-table">
      <figcaption className="mb-1 text-meta text-subtle">{channelViews[type].arrival}</figcaption>
      {channelViews[type].readBy === "programs" ? (
        <code className="block overflow-x-auto font-mono text-meta whitespace-pre">
          {JSON.stringify(
            { event: "alert.triggered", alert: { severity, rule_name: title, message: condition } },
            null,
            2,
          )}
        </code>
      ) : (
        <>
          <p className="font-medium">
            [{severity}] {title} on <span className="text-muted">‹device›</span>
          </p>
          <p className="text-muted">{condition}</p>
        </>
      )}
    </figure>
  );
}

import { Bell, CalendarPlus, Flag, Sparkles, Tag, type LucideIcon } from "lucide-react";
import { Tooltip } from "@/components/kit/tooltip";
import type { ActionDraft, ScopeDraft } from "./draft";

export const actionLabels: Record<ActionDraft["type"], { label: string; word: string; icon: LucideIcon }> = {
  notify: { label: "Notify a channel", word: "Notify", icon: Bell },
  flag_for_review: { label: "Flag for review", word: "Flag", icon: Flag },
  create_event: { label: "Create an event", word: "Event", icon: CalendarPlus },
  tag: { label: "Tag the recording", word: "Tag", icon: Tag },
  auto_label: { label: "Label automatically", word: "Label", icon: Sparkles },
};

/** With more actions there is no room for words beside the icons. */
const maxNamed = 2;

const describeAction = (action: ActionDraft): string => {
  if (action.type === "tag") return `Tag ${action.value ?? ""}`;
  if (action.type === "create_event") return `Create event ${action.label ?? ""}`;
  return actionLabels[action.type].label;
};

/** A rule's actions as icons, a few of them with words, all with their names. */
export function ActionIcons({ actions }: { actions: readonly ActionDraft[] }) {
  return (
    <span className="flex items-center gap-1.5 text-muted">
      {actions.slice(0, 5).map((action, at) => {
        const Icon = actionLabels[action.type].icon;
        return (
          <Tooltip key={at} content={describeAction(action)}>
            <span className="inline-flex items-center gap-1">
              <Icon aria-hidden className="size-3.5" strokeWidth={1.75} />
              {actions.length <= maxNamed && <span aria-hidden>{actionLabels[action.type].word}</span>}
              <span className="sr-only">{describeAction(action)}. </span>
            </span>
          </Tooltip>
        );
      })}
      {actions.length > 5 && <span className="text-meta text-subtle">+{actions.length - 5}</span>}
    </span>
  );
}

const count = (list: readonly string[] | undefined, one: string, many = `${one}s`) =>
  list && list.length > 0 ? [`${list.length} ${list.length === 1 ? one : many}`] : [];

/** Names of groups by uid. */
export type GroupNames = ReadonlyMap<string, string>;

const noNames: GroupNames = new Map();

/** Groups by their names as far as those are known: "Line A, Line B", "Line A and 3 more groups". */
function describeGroups(uids: readonly string[], names: GroupNames): string[] {
  const known = uids.flatMap((uid) => names.get(uid) ?? []);
  if (known.length < uids.length || known.length === 0) return count(uids, "group");
  if (known.length <= 2) return known;
  return [`${known[0]} and ${count(known.slice(1), "more group").join("")}`];
}

/** Which devices a rule watches, in a few words: "All devices", "2 devices, Line A, tagged welding". */
export function describeScope(scope: ScopeDraft | null, groups: GroupNames = noNames): string {
  if (!scope) return "All devices";
  const named = [...count(scope.device_ids, "device"), ...describeGroups(scope.group_ids ?? [], groups)];
  const tags = scope.tags && scope.tags.length > 0 ? [`tagged ${scope.tags.join(" and ")}`] : [];
  const parts = [...named, ...tags];
  if (parts.length === 0) return "All devices";
  return named.length === 0 ? `Devices ${parts.join(", ")}` : parts.join(", ");
}

import type { Matchers } from "@/components/silences/query";
import { noDevice } from "@/domain/alerts/lifecycle";
import { isTest } from "./labels";
import type { Target } from "./query";

/** What a silence has to match to mute alerts or groups; `refusal` where one silence cannot. */
export type SilenceOffer = { matchers: Matchers } | { refusal: string };

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/**
 * One silence for everything that was chosen. It mutes each chosen device with each chosen rule, never more devices or
 * rules than were chosen: groups and single alerts are therefore not mixed.
 */
export function offerSilence(targets: readonly Target[]): SilenceOffer {
  const alerts = targets.flatMap((target) => (target.kind === "alert" && !isTest(target.alert) ? [target.alert] : []));
  const groups = targets.flatMap((target) =>
    target.kind === "group" && target.group.key !== noDevice ? [target] : [],
  );
  if (alerts.length > 0 && groups.length > 0)
    return { refusal: "A group mutes a whole rule or device. Silence single alerts apart from groups." };
  const [group] = groups;
  if (group) {
    const keys = distinct(groups.map((each) => each.group.key));
    return { matchers: group.by === "rule" ? { rule_ids: keys } : { device_ids: keys } };
  }
  if (alerts.length === 0) return { refusal: "Test alerts cannot be silenced." };
  return {
    matchers: {
      device_ids: distinct(alerts.map((alert) => alert.device_id)),
      rule_ids: distinct(alerts.map((alert) => alert.rule_id)),
    },
  };
}

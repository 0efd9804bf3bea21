import type { MessagePictures } from "@/server/features/captures/message-pictures-service";
import { describePicture, listFacts, shorten, formatTitle, type Message } from "@/server/features/channels/message";
import type { Sender } from "@/server/features/channels/sender";
import { postJson, type Outcome } from "@/server/platform/http-client/post";

/** The address of Events API v2, unless the channel has another one (the European one, for instance). */
const pagerdutyUrl = "https://events.pagerduty.com/v2/enqueue";

type Action = "trigger" | "acknowledge" | "resolve";

/** One event. The alert's uid is the key by which its incident is acknowledged and resolved. */
function pagerdutyEvent(
  routingKey: string,
  action: Action,
  message: Message,
  pictures: MessagePictures | null,
): Record<string, unknown> {
  const { alert, rule, evidence, links } = message;
  const base = { routing_key: routingKey, event_action: action, dedup_key: alert.uid };
  if (action !== "trigger") return base;
  return {
    ...base,
    client: "Muster",
    client_url: links.alert,
    links: [
      { href: links.alert, text: "Alert" },
      ...(links.recording ? [{ href: links.recording, text: "Recording" }] : []),
    ],
    // PagerDuty refuses pictures whose address is not https.
    ...(pictures?.isPublic && {
      images: [{ src: pictures.shown.url, href: links.alert, alt: describePicture(pictures.shown) }],
    }),
    payload: {
      summary: shorten(`${formatTitle(message)}: ${alert.message}`, 1_024),
      source: shorten(alert.device_name, 255),
      severity: alert.severity,
      timestamp: alert.triggered_at,
      component: alert.device_id,
      class: shorten(rule.name, 255),
      custom_details: {
        message: alert.message,
        ...Object.fromEntries(listFacts(message).map(({ name, value }) => [name.toLowerCase(), value])),
        rule_uid: rule.uid,
        recording_id: alert.recording_id,
        evidence,
        ...(pictures && { pictures: pictures.list }),
      },
    },
  };
}

/**
 * The event actions of a message, in order. A closed incident has to be triggered again before it can be acknowledged.
 */
function toEventActions({ event, alert }: Message): Action[] {
  if (event === "alert.acknowledged") return ["acknowledge"];
  if (event === "alert.resolved") return ["resolve"];
  if (event === "channel.test") return ["trigger", "resolve"]; // leaves no incident open
  return alert.status === "acknowledged" ? ["trigger", "acknowledge"] : ["trigger"];
}

export const pagerduty: Sender<"pagerduty"> = {
  send: async (config, message, _deliveryId, pictures) => {
    const url = config.url ?? pagerdutyUrl;
    let outcome: Outcome | null = null;
    for (const action of toEventActions(message)) {
      outcome = await postJson(url, JSON.stringify(pagerdutyEvent(config.routing_key, action, message, pictures)));
      if (!outcome.ok) return outcome;
    }
    return outcome as Outcome;
  },
};

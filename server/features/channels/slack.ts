import { listFacts, shorten, formatTitle, formatVerb, type Message } from "@/server/features/channels/message";
import type { Sender } from "@/server/features/channels/sender";
import { postJson } from "@/server/platform/http-client/post";

const colors: Record<string, string> = { critical: "#b91c1c", error: "#ea580c", warning: "#d97706", info: "#2563eb" };
const resolvedColor = "#16a34a";

/** Escapes text in which Slack would parse links, mentions and channels. */
const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

// Plain text is not parsed: a device's name cannot mention a channel or create a link.
const plain = (text: string, max: number) => ({ type: "plain_text", text: shorten(text, max) || " ", emoji: false });

const button = (text: string, url: string) => ({ type: "button", text: plain(text, 75), url });

/** The body of an incoming webhook: a line for notifications, and blocks with the facts and links. */
function slackBody(message: Message): Record<string, unknown> {
  const { alert, links, event } = message;
  const buttons = [button("Open alert", links.alert)];
  if (links.recording) buttons.push(button("Open recording", links.recording));
  return {
    text: escape(shorten(`${formatVerb(message)}: ${formatTitle(message)}: ${alert.message}`, 1_000)),
    attachments: [
      {
        color: event === "alert.resolved" ? resolvedColor : (colors[alert.severity] ?? colors.info),
        blocks: [
          { type: "header", text: plain(formatTitle(message), 150) },
          { type: "section", text: plain(`${formatVerb(message)}: ${alert.message}`, 3_000) },
          { type: "section", fields: listFacts(message).map(({ name, value }) => plain(`${name}\n${value}`, 2_000)) },
          ...(event === "channel.test" ? [] : [{ type: "actions", elements: buttons }]),
        ],
      },
    ],
  };
}

export const slack: Sender<"slack"> = {
  send: (config, message) => {
    const { channel, username } = config;
    return postJson(
      config.webhook_url,
      JSON.stringify({ ...slackBody(message), ...(channel && { channel }), ...(username && { username }) }),
    );
  },
};

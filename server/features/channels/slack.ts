import type { MessagePictures } from "@/server/features/captures/message-pictures-service";
import {
  describePicture,
  listFacts,
  shorten,
  formatTitle,
  formatVerb,
  type Message,
} from "@/server/features/channels/message";
import type { Sender } from "@/server/features/channels/sender";
import { postJson } from "@/server/platform/http-client/post";

const colors: Record<string, string> = { critical: "#b91c1c", error: "#ea580c", warning: "#d97706", info: "#2563eb" };
const resolvedColor = "#16a34a";

/** Escapes text in which Slack would parse links, mentions and channels. */
const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

// Plain text is not parsed: a device's name cannot mention a channel or create a link.
const plain = (text: string, max: number) => ({ type: "plain_text", text: shorten(text, max) || " ", emoji: false });

const button = (text: string, url: string) => ({ type: "button", text: plain(text, 75), url });

/** The body of an incoming webhook: a line for notifications, and blocks with the facts, links and, where Slack can get it, the picture. */
function slackBody(message: Message, pictures: MessagePictures | null, embeds: boolean): Record<string, unknown> {
  const { alert, links, event } = message;
  const buttons = [button("Open alert", links.alert)];
  if (links.recording) buttons.push(button("Open recording", links.recording));
  const picture = pictures?.shown;
  if (picture && !embeds) buttons.push(button("Open picture", picture.url));
  return {
    text: escape(shorten(`${formatVerb(message)}: ${formatTitle(message)}: ${alert.message}`, 1_000)),
    attachments: [
      {
        color: event === "alert.resolved" ? resolvedColor : (colors[alert.severity] ?? colors.info),
        blocks: [
          { type: "header", text: plain(formatTitle(message), 150) },
          { type: "section", text: plain(`${formatVerb(message)}: ${alert.message}`, 3_000) },
          { type: "section", fields: listFacts(message).map(({ name, value }) => plain(`${name}\n${value}`, 2_000)) },
          ...(picture && embeds ? [{ type: "image", image_url: picture.url, alt_text: describePicture(picture) }] : []),
          ...(event === "channel.test" ? [] : [{ type: "actions", elements: buttons }]),
        ],
      },
    ],
  };
}

export const slack: Sender<"slack"> = {
  send: async (config, message, _deliveryId, pictures) => {
    const { channel, username } = config;
    const post = (embeds: boolean) =>
      postJson(
        config.webhook_url,
        JSON.stringify({
          ...slackBody(message, pictures, embeds),
          ...(channel && { channel }),
          ...(username && { username }),
        }),
      );
    const embeds = pictures?.isPublic === true;
    const outcome = await post(embeds);
    // Slack refuses the whole message when it cannot fetch the picture, as behind a firewall.
    return embeds && outcome.statusCode === 400 ? post(false) : outcome;
  },
};

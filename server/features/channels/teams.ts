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
import { failure, postJson } from "@/server/platform/http-client/post";

const colors: Record<string, string> = {
  critical: "attention",
  error: "attention",
  warning: "warning",
  info: "accent",
};

// Text blocks are parsed as Markdown; text runs are not.
const run = (text: string, max: number, style: Record<string, unknown> = {}) => ({
  type: "TextRun",
  text: shorten(text, max) || " ",
  ...style,
});
const paragraph = (...inlines: Record<string, unknown>[]) => ({ type: "RichTextBlock", inlines });
const link = (title: string, url: string) => ({ type: "Action.OpenUrl", title, url });

/** The longest texts of the message and of a fact; the second where the first take too much. */
const lengths = [
  { message: 4_000, fact: 1_000 },
  { message: 1_000, fact: 200 },
] as const;
/** Teams refuses messages of more than 28 KB. */
const maxBytes = 28_000;

/** The body of a Teams webhook: one Adaptive Card. */
function teamsBody(message: Message, pictures: MessagePictures | null): string {
  const bodies = lengths.map((longest) => JSON.stringify(composeCard(message, pictures, longest)));
  return bodies.find((body) => Buffer.byteLength(body) <= maxBytes) ?? bodies.at(-1) ?? "";
}

function composeCard(
  message: Message,
  pictures: MessagePictures | null,
  longest: (typeof lengths)[number],
): Record<string, unknown> {
  const { alert, links, event } = message;
  const color = event === "alert.resolved" ? "good" : (colors[alert.severity] ?? "default");
  const actions = [link("Open alert", links.alert)];
  if (links.recording) actions.push(link("Open recording", links.recording));
  const picture = pictures?.shown;
  if (picture && !pictures.isPublic) actions.push(link("Open picture", picture.url));
  const image = { type: "Image", url: picture?.url, altText: picture && describePicture(picture), size: "stretch" };
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    body: [
      paragraph(run(formatTitle(message), 300, { size: "large", weight: "bolder", color })),
      paragraph(run(`${formatVerb(message)}: ${alert.message}`, longest.message)),
      ...listFacts(message).map(({ name, value }) =>
        paragraph(run(`${name}: `, 50, { weight: "bolder" }), run(value, longest.fact)),
      ),
      ...(pictures?.isPublic ? [image] : []),
    ],
    ...(event === "channel.test" ? {} : { actions }),
  };
  return {
    type: "message",
    summary: shorten(formatTitle(message), 300),
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

export const teams: Sender<"teams"> = {
  send: async (config, message, _deliveryId, pictures) => {
    const outcome = await postJson(config.webhook_url, teamsBody(message, pictures));
    // Connectors report their own failures with status 200.
    const description = outcome.response ?? "";
    if (!outcome.ok || !/^webhook message delivery failed/i.test(description.trim())) return outcome;
    return failure("Teams could not deliver the message.", { statusCode: outcome.statusCode, response: description });
  },
};

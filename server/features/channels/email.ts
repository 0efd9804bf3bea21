import sharp from "sharp";
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
import { failure } from "@/server/platform/http-client/post";
import { logFor } from "@/server/platform/log";
import { escapeHtml as escape } from "@/server/platform/mail/html";
import { sendMail, sendsMail } from "@/server/platform/mail/send";

const log = logFor("channels");

interface Letter {
  subject: string;
  text: string;
  html: string;
}

/** A picture inside a mail. */
interface InlinePicture {
  jpeg: Buffer;
  text: string;
}

/** Pixels on the longer side of a picture in a mail. */
const maxSide = 480;
const pictureId = "picture@muster";

/** The picture of the moment, small enough for a mail; null where it is gone. A failure does not hold the mail up. */
async function readInline(pictures: MessagePictures | null): Promise<InlinePicture | null> {
  try {
    const bytes = await pictures?.shown.read();
    if (!pictures || !bytes) return null;
    const resized = sharp(bytes).resize({ width: maxSide, height: maxSide, fit: "inside", withoutEnlargement: true });
    return { jpeg: await resized.jpeg({ quality: 75 }).toBuffer(), text: describePicture(pictures.shown) };
  } catch (error) {
    log.warn({ err: error }, "a mail about an alert is sent without its picture");
    return null;
  }
}

/** A text of people on one line, so that a name cannot add lines of its own to a mail. */
const onOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** The mail about an alert: a subject of one line, and the same text as plain text and HTML. */
function composeLetter(message: Message, picture: InlinePicture | null, subjectPrefix = "[Muster]"): Letter {
  const { alert, links, event } = message;
  const facts = listFacts(message).map(({ name, value }) => ({ name, value: onOneLine(value) }));
  const [title, what] = [onOneLine(formatTitle(message)), onOneLine(`${formatVerb(message)}: ${alert.message}`)];
  const targets = event === "channel.test" ? [] : [{ name: "Open alert", url: links.alert }];
  if (event !== "channel.test" && links.recording) targets.push({ name: "Open recording", url: links.recording });
  const subject = onOneLine(`${subjectPrefix} ${formatVerb(message)}: ${title}`);
  const text = [
    what,
    "",
    ...facts.map(({ name, value }) => `${name}: ${value}`),
    "",
    ...targets.map(({ name, url }) => `${name}: ${url}`),
  ].join("\n");
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><th align="left" style="padding:2px 12px 2px 0">${escape(name)}</th><td>${escape(value)}</td></tr>`,
  );
  const image = picture
    ? `<p><img src="cid:${pictureId}" alt="${escape(onOneLine(picture.text))}" style="max-width:100%"></p>\n`
    : "";
  const html = `<!doctype html><html lang="en"><body style="font-family:sans-serif">
<h1 style="font-size:18px">${escape(title)}</h1>
<p>${escape(what)}</p>
${image}<table>${rows.join("")}</table>
<p>${targets.map(({ name, url }) => `<a href="${escape(url)}">${escape(name)}</a>`).join(" &middot; ")}</p>
</body></html>`;
  return { subject: shorten(subject, 300), text, html };
}

/** The reply code in an error of the mail server, if any. */
const readCode = (error: unknown): number | null => {
  const code = (error as { responseCode?: unknown } | null)?.responseCode;
  return typeof code === "number" ? code : null;
};

export const email: Sender<"email"> = {
  send: async (config, message, _deliveryId, pictures) => {
    if (!sendsMail()) return failure("No mail server is set up (SMTP_URL).");
    try {
      const picture = await readInline(pictures);
      const { response } = await sendMail({
        to: config.recipients,
        ...composeLetter(message, picture, config.subject_prefix),
        ...(picture && { inline: [{ id: pictureId, name: "picture.jpg", jpeg: picture.jpeg }] }),
      });
      return { ok: true, statusCode: 250, error: null, response, retryAfterSeconds: null, final: true };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return failure(shorten(`The mail server did not take the message: ${text}`, 1_000), {
        statusCode: readCode(error),
      });
    }
  },
};

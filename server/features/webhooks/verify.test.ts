import { describe, expect, test } from "vitest";
import { verifyMessage, type SentMessage } from "@/domain/webhooks/verify-signature";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";

const now = Date.parse("2026-11-20T09:15:00Z");
const payload = { event: "dataset.created", dataset_uid: "d", name: "Höfe", slug: "hofe", owner: "acme" };
const body = JSON.stringify(payload);

/** A message as it is sent, seconds before `now`. */
function send({
  secret = newWebhookSecret(),
  ago = 5,
  previous,
}: { secret?: string; ago?: number; previous?: string } = {}) {
  const timestamp = now / 1_000 - ago;
  const signed = signHeaders({
    secret,
    previousSecret: previous,
    id: "d1",
    timestamp,
    body,
    event: payload.event,
    deliveryId: "d1",
  });
  const sent: SentMessage = { body, headers: signed };
  const write = (headers: Record<string, string>) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
  return { secret, signed, sent, write, headers: write(signed) };
}

const check = async (message: { secret: string; headers: string; body: string }, sent?: SentMessage) =>
  (await verifyMessage(message, now, sent)).mistake;

describe("the verification in the browser", () => {
  test.each([newWebhookSecret(), "harbour crane 7", "hafenkran größer", "aGFyYm91ci1jcmFuZS03LXNpZ25z"])(
    "accepts what Muster signs with %s",
    async (secret) => {
      const { headers, signed } = send({ secret });
      expect(await check({ secret, headers, body })).toBeNull();
      expect(await check({ secret, headers: signed["X-Service-Signature"] ?? "", body })).toBeNull();
    },
  );

  test("accepts both secrets while a rotation overlaps", async () => {
    const [secret, previous] = [newWebhookSecret(), newWebhookSecret()];
    const { headers } = send({ secret, previous });
    expect([await check({ secret, headers, body }), await check({ secret: previous, headers, body })]).toEqual([
      null,
      null,
    ]);
  });

  test("names a body that was parsed and written again", async () => {
    const { secret, headers, sent } = send();
    expect(await check({ secret, headers, body: JSON.stringify(payload, null, 2) })).toBe("body");
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(payload).sort()));
    expect(await check({ secret, headers, body: sorted }, sent)).toBe("body");
    expect(await check({ secret, headers, body: `${body}\n` })).toBe("body");
    expect(await check({ secret, headers, body: body.replace("acme", "other") }, sent)).toBe("body");
  });

  test("names a timestamp that receivers refuse, but not for a delivery that is looked at later", async () => {
    const { secret, headers, sent } = send({ ago: 3_600 });
    expect(await check({ secret, headers, body })).toBe("timestamp");
    expect(await check({ secret, headers, body }, sent)).toBeNull();
  });

  test("names a wrong secret, and one that was copied incompletely", async () => {
    const { secret, headers, sent } = send();
    expect(await check({ secret: newWebhookSecret(), headers, body }, sent)).toBe("secret");
    expect(await check({ secret: newWebhookSecret(), headers, body })).toBe("secret");
    expect(await check({ secret: secret.replace("whsec_", ""), headers: headers.split("\n")[0] ?? "", body })).toBe(
      "secret",
    );
    expect(await check({ secret: ` ${secret}\n`, headers, body })).toBe("secret");
  });

  test("names headers that are missing or of another message", async () => {
    const { secret, signed, write, headers } = send();
    expect(await check({ secret, headers: "content-type: application/json", body })).toBe("header");
    const { "webhook-id": _, "X-Service-Signature": __, ...rest } = signed;
    expect(await check({ secret, headers: write(rest), body })).toBe("header");
    expect(await check({ secret, headers: headers.replace("webhook-id: d1", "webhook-id: d2"), body })).toBe("header");
  });

  test("names a body or a signature in another encoding", async () => {
    const { secret, headers, signed } = send();
    expect(await check({ secret, headers, body: Buffer.from(body, "utf8").toString("latin1") })).toBe("encoding");
    expect(await check({ secret, headers, body: Buffer.from(body).toString("base64") })).toBe("encoding");
    const hex = (signed["X-Service-Signature"] ?? "").toUpperCase();
    expect(await check({ secret, headers: `X-Service-Signature: ${hex}`, body })).toBe("encoding");
  });
});

import { execFileSync } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";

const body = JSON.stringify({ event: "alert.triggered", note: "größer als 80 °C" });
const signed = (secret: string) =>
  signHeaders({
    secret,
    id: "msg_1",
    timestamp: Math.floor(Date.now() / 1_000),
    body,
    event: "alert.triggered",
    deliveryId: "msg_1",
  });

const openssl = (() => {
  try {
    return execFileSync("openssl", ["version"]).toString().length > 0;
  } catch {
    return false;
  }
})();

describe("signatures", () => {
  test("a generated secret is whsec_ and 32 bytes of base64, never the same twice", () => {
    const secret = newWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    expect(newWebhookSecret()).not.toBe(secret);
  });

  test("the public library verifies signatures of a generated secret, and rejects changed bodies", () => {
    const secret = newWebhookSecret();
    const webhook = new Webhook(secret);
    expect(webhook.verify(body, signed(secret))).toMatchObject({ event: "alert.triggered" });
    expect(() => webhook.verify(`${body} `, signed(secret))).toThrow();
    expect(() => webhook.verify(body, signed(newWebhookSecret()))).toThrow();
  });

  test("the public library verifies signatures of a supplied secret, read as text or as base64", () => {
    expect(new Webhook("any text of mine", { format: "raw" }).verify(body, signed("any text of mine"))).toBeTruthy();
    expect(new Webhook("c2VjcmV0c2VjcmV0").verify(body, signed("c2VjcmV0c2VjcmV0"))).toBeTruthy();
    expect(new Webhook("whsec_not base64", { format: "raw" }).verify(body, signed("whsec_not base64"))).toBeTruthy();
  });

  test("the public library rejects a timestamp older than 300 s", () => {
    const secret = newWebhookSecret();
    const old = signHeaders({ secret, id: "m", timestamp: 1_700_000_000, body, event: "e", deliveryId: "m" });
    expect(() => new Webhook(secret).verify(body, old)).toThrow(/too old/);
  });

  test.runIf(openssl)("openssl computes the same X-Service-Signature", () => {
    const secret = newWebhookSecret();
    const out = execFileSync("openssl", ["dgst", "-sha256", "-hmac", secret, "-hex"], { input: body }).toString();
    expect(signed(secret)["X-Service-Signature"]).toBe(out.trim().split(" ").at(-1));
    expect(signed(secret)["X-Service-Signature"]).toMatch(/^[0-9a-f]{64}$/);
  });

  test("the event and the delivery have headers of their own", () => {
    expect(signed("12345678")).toMatchObject({ "X-Service-Event": "alert.triggered", "X-Service-Delivery": "msg_1" });
  });
});

import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { startListener, verifySignatures } from "@/cli/listen";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";

const body = JSON.stringify({
  event: "alert.triggered",
  alert: { uid: "alt_1", severity: "critical", message: "hot" },
});
const at = new Date("2026-01-01T12:00:00Z");
function signed(secret: string): Record<string, string> {
  const headers = signHeaders({
    secret,
    id: "m1",
    timestamp: at.getTime() / 1000,
    body,
    event: "alert.triggered",
    deliveryId: "m1",
  });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const close: (() => void)[] = [];
afterEach(() => close.splice(0).forEach((each) => each()));

describe("the receiver", () => {
  test("accepts Muster's signatures with a secret made by either side", () => {
    for (const secret of [newWebhookSecret(), "a secret of mine", "0123456789abcdef"]) {
      expect(verifySignatures(signed(secret), Buffer.from(body), secret, at)).toEqual({
        signature: true,
        standard: true,
      });
    }
  });

  test("rejects everything else: other bodies, other secrets, old messages, no signature", () => {
    const secret = newWebhookSecret();
    const none = { signature: false, standard: false };
    expect(verifySignatures(signed(secret), Buffer.from(`${body} `), secret, at)).toEqual(none);
    expect(verifySignatures(signed(secret), Buffer.from(body), newWebhookSecret(), at)).toEqual(none);
    expect(verifySignatures({}, Buffer.from(body), secret, at)).toEqual(none);
    const later = new Date(at.getTime() + 301_000);
    expect(verifySignatures(signed(secret), Buffer.from(body), secret, later)).toEqual({
      signature: true,
      standard: false,
    });
  });

  test("prints each webhook in one line, with whether its signature verifies", async () => {
    const lines: string[] = [];
    const server = await startListener(0, "a secret of mine", (line) => void lines.push(line));
    close.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await fetch(url, {
      method: "POST",
      body,
      headers: { "x-service-signature": signed("a secret of mine")["x-service-signature"] ?? "" },
    });
    await fetch(url, { method: "POST", body: "what is this" });
    const half = "signature INVALID (X-Service-Signature valid, webhook-signature invalid)";
    expect(lines[0]).toBe(`POST /hook alert.triggered [critical] alt_1 "hot" · ${half}`);
    expect(lines[1]).toContain("12 bytes that are no JSON · signature INVALID");
    await expect(startListener((server.address() as AddressInfo).port, undefined, () => {})).rejects.toThrow(
      "is taken",
    );
  });
});

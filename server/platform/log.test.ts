import { describe, expect, it } from "vitest";
import { scrubSecrets } from "@/server/platform/log";

describe("a log line", () => {
  it("never carries an API key, a device token or a signing secret", () => {
    const line = scrubSecrets('{"msg":"refused svk_0123456789abcdefghij and svd_0123456789abc, whsec_QUJDREVGR0g="}');
    expect(line).toBe('{"msg":"refused svk_[redacted] and svd_[redacted], whsec_[redacted]"}');
  });

  it("never carries the password of a database or mail server", () => {
    expect(scrubSecrets("connect to postgresql://app:hunter2@db:5432/x")).toBe(
      "connect to postgresql://app:[redacted]@db:5432/x",
    );
  });

  it("never carries the signature of an upload address, and keeps the rest of the address", () => {
    expect(scrubSecrets("PUT /files/1?expires=5&signature=abc&part=2")).toBe(
      "PUT /files/1?expires=5&signature=[redacted]&part=2",
    );
  });
});

import { describe, expect, test } from "vitest";
import { computeCode, findStep, formatTotpUri, getStep, newTotpSecret, toBase32 } from "@/server/platform/auth/totp";

const secret = toBase32(Buffer.from("12345678901234567890"));

describe("one-time passwords", () => {
  test("are those of RFC 6238, appendix B, of which six digits are used", () => {
    const vectors: [number, string][] = [
      [59, "94287082"],
      [1_111_111_109, "07081804"],
      [1_111_111_111, "14050471"],
      [1_234_567_890, "89005924"],
      [2_000_000_000, "69279037"],
      [20_000_000_000, "65353130"],
    ];
    expect(secret).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    for (const [seconds, code] of vectors) expect(computeCode(secret, getStep(seconds))).toBe(code.slice(-6));
  });

  test("are accepted one step early or late and no more", () => {
    const at = 1_700_000_010;
    const step = getStep(at);
    for (const near of [step - 1, step, step + 1]) expect(findStep(secret, computeCode(secret, near), at)).toBe(near);
    for (const far of [step - 2, step + 2]) expect(findStep(secret, computeCode(secret, far), at)).toBeNull();
    for (const wrong of ["", "12345", "1234567", "......", "١٢٣٤٥٦"]) expect(findStep(secret, wrong, at)).toBeNull();
    expect(findStep(secret, computeCode(secret, 0), 0)).toBe(0);
  });

  test("come from secrets of 160 bits that differ", () => {
    const secrets = Array.from({ length: 20 }, newTotpSecret);
    expect(new Set(secrets).size).toBe(20);
    for (const each of secrets) expect(each).toMatch(/^[A-Z2-7]{32}$/);
  });

  test("have an address that apps read, whatever the account is called", () => {
    const uri = new URL(formatTotpUri(secret, "ann & bob@example.com"));
    expect(uri.pathname).toBe("/Muster:ann%20%26%20bob%40example.com");
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: "Muster", digits: "6", period: "30" });
  });
});

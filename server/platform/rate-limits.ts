import { z } from "zod";

/** Every limit that RATE_LIMITS can override: requests per window, or concurrency. */
export const rateLimitNames = [
  "user_minute",
  "user_second",
  "anonymous_minute",
  "signup_minute",
  "inference_minute",
  "device_minute",
  "device_second",
  "heartbeat_minute",
  "trpc_minute",
  "trpc_second",
  "page_minute",
  "page_second",
  "csv_minute",
  "prompt_minute",
  "sign_in_address",
  "sign_in_account",
  "sign_in_pair",
  "concurrent_uploads",
  "concurrent_streams",
  "concurrent_exports",
  "concurrent_cuts",
  "concurrent_prompts",
  "concurrent_cuts_total",
] as const;
export type RateLimitName = (typeof rateLimitNames)[number];
type RateLimitOverrides = Partial<Record<RateLimitName, number>>;

/** The setting RATE_LIMITS. */
export const rateLimits = z.string().transform((value, context): "off" | RateLimitOverrides => {
  if (value === "off") return "off";
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    refuse('must be "off" or a JSON object such as {"user_minute":100}');
    return {};
  }
  const overrides: RateLimitOverrides = {};
  for (const [key, limit] of Object.entries(parsed)) {
    const name = rateLimitNames.find((known) => known === key);
    if (!name) refuse(`"${key}" is not one of ${rateLimitNames.join(", ")}`);
    else if (!Number.isSafeInteger(limit) || limit < 1) refuse(`"${key}" must be a whole number above 0`);
    else overrides[name] = limit;
  }
  return overrides;
});

import path from "node:path";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { signUpModes } from "@/domain/organizations/schema";
import { defaultDiskReserve, diskReserve } from "@/server/platform/disk-reserve";
import { isLoopback } from "@/server/platform/loopback-host";
import { combineOidc, oidcVariables, type OidcSettings, type OidcVariables } from "@/server/platform/oidc-settings";
import { defaultRetention, retentionList } from "@/server/platform/operator-retention";
import { parseStorage, type OwnStorage } from "@/server/platform/own-storage";
import { processWide } from "@/server/platform/process-wide";
import { rateLimits } from "@/server/platform/rate-limits";

const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(low, `must be at least ${low}`).max(high, `must be at most ${high}`));

const url = (schemes: string[], example: string) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    message: `must look like ${example}`,
  });

const publicOrigin = url(["http:", "https:"], "https://muster.example.com")
  .refine((value) => !URL.canParse(value) || new URL(value).pathname === "/", { message: "must not have a path" })
  .transform((value) => new URL(value).origin);

const splitList = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** The origins of web addresses, such as `https://app.example.com`. */
const originList = z.string().transform((value, context) => {
  const origins = splitList(value);
  const wrong = origins.find((origin) => !/^https?:\/\/[^/?#@\s]+\/?$/i.test(origin) || !URL.canParse(origin));
  if (wrong !== undefined) context.addIssue({ code: "custom", message: `"${wrong}" is not an origin` });
  return wrong === undefined ? origins.map((origin) => new URL(origin).origin) : [];
});

/** Origins as a policy of pages names them, which may begin with `*.` and must hold nothing that ends a source there. */
const policyOrigins = originList.refine(
  (origins) => origins.every((origin) => /^https?:\/\/[\w.*:[\]-]+$/.test(origin)),
  {
    message: "must be origins such as https://tiles.example.com",
  },
);

/** Headers that mean something else already, to a proxy, to Node or to Muster. */
const otherHeaders =
  /^(authorization|cookie|host|connection|origin|date|te|via|x-service-device-token|x-request-id|idempotency-key|(content|transfer|accept|if|sec|proxy|x-forwarded)-.*)$/;

const headerList = z.string().transform((value, context) => {
  const names = splitList(value.toLowerCase());
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9-]{0,63}$/.test(name) || otherHeaders.test(name));
  if (wrong !== undefined) context.addIssue({ code: "custom", message: `"${wrong}" cannot carry an API key` });
  if (names.length === 0 || names.length > 10) context.addIssue({ code: "custom", message: "must have 1 to 10 names" });
  return names;
});

/** Seconds, as milliseconds. */
const delayList = z.string().transform((value, context) => {
  const delays = splitList(value).map((part) => (/^\d{1,6}$/.test(part) ? Number(part) * 1_000 : 0));
  if (delays.length === 0 || delays.length > 20 || delays.includes(0)) {
    context.addIssue({ code: "custom", message: "must be 1 to 20 whole numbers of seconds such as 5,300,1800" });
  }
  return delays;
});

const cidrList = z
  .string()
  .transform(splitList)
  .superRefine((parts, context) => {
    for (const part of parts.filter((candidate) => !ipaddr.isValidCIDR(candidate))) {
      context.addIssue({ code: "custom", message: `"${part}" is not an address range such as 10.0.0.0/8` });
    }
  });

const secretList = z
  .string()
  .transform((value) =>
    value
      .split(/[,\n]/)
      .map((secret) => secret.trim())
      .filter(Boolean),
  )
  .refine((secrets) => secrets.every((secret) => secret.length >= 32), {
    message: "must be secrets of at least 32 characters each, separated by commas",
  });

const storage = z.string().transform((value, context): OwnStorage => {
  const parsed = parseStorage(value);
  if (!parsed) context.addIssue({ code: "custom", message: 'must be "disk" or look like s3://bucket/prefix' });
  return parsed ?? "disk";
});

const Variables = z.object({
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().default("127.0.0.1"),
  /** A port of its own for the probes and metrics of web; with one supervisor, the worker has the next one. */
  METRICS_PORT: wholeNumber(0, 65_534).optional(),
  METRICS_HOST: z.string().optional(),
  /** Allows reading the metrics from anywhere, as a bearer token. */
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,255}$/, "must have at least 16 characters, without spaces")
    .optional(),
  DATA_DIR: z
    .string()
    .default(".data")
    .transform((value) => path.resolve(value)),
  /** The space of the disk that uploads leave free; by default the smaller of 2 GB and 5 %. */
  DISK_RESERVE: diskReserve.default(defaultDiskReserve),
  /** The installation's own store. The S3 settings are for the bucket that it names. */
  STORAGE: storage.default("disk"),
  /** Where series are kept: in the store and as rows, which the version before reads, or in the store alone. */
  SERIES: z.enum(["both", "store"], { error: "must be both or store" }).default("both"),
  S3_ENDPOINT: url(["http:", "https:"], "https://s3.example.com").optional(),
  S3_REGION: z.string().default("us-east-1"),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  /** The address of the bucket's server for clients, where it is not S3_ENDPOINT. */
  S3_PUBLIC_ENDPOINT: url(["http:", "https:"], "https://s3.example.com").optional(),
  DATABASE_URL: url(["postgres:", "postgresql:"], "postgresql://user:password@host:5432/muster").optional(),
  /** Maximum seconds that a request waits for the database, for connections and statements together. */
  DATABASE_TIMEOUT_SECONDS: wholeNumber(1, 600).default(10),
  /** Connections of each process to the database; a worker needs 3 for its queues, one for each of 8 jobs and one more. */
  DATABASE_POOL: wholeNumber(12, 1_000).default(20),
  /** Who applies migrations: each process at its start, or another one for which it waits. */
  MIGRATIONS: z.enum(["apply", "wait"], { error: "must be apply or wait" }).default("apply"),
  /** Seconds between the failing of /readyz and the end of accepting requests. */
  DRAIN_SECONDS: wholeNumber(0, 300).default(1),
  PUBLIC_URL: publicOrigin.optional(),
  /** Pages of these origins may read files by their signed links. */
  LINK_ORIGINS: originList.default(["https://app.foxglove.dev"]),
  /** A Lichtblick of one's own; its origin joins LINK_ORIGINS. */
  LICHTBLICK_URL: url(["http:", "https:"], "https://lichtblick.example.com").optional(),
  /** The style of the maps that robots are shown on; a grid without it. Pages may connect to its origin and to these. */
  MAP_STYLE_URL: url(["http:", "https:"], "https://tiles.example.com/style.json").optional(),
  MAP_ORIGINS: policyOrigins.default([]),
  /** Who may sign up; by default everybody when PUBLIC_URL is on this machine, else invited people. */
  SIGNUP: z.enum(signUpModes, { error: `must be one of ${signUpModes.join(", ")}` }).optional(),
  /** Needed to make the first account. */
  SETUP_TOKEN: z.string().min(8, "must have at least 8 characters").max(255).optional(),
  AUTH_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  /** The first seals and signs, all open and verify. AUTH_SECRET is added to them. */
  AUTH_SECRETS: secretList.optional(),
  ...oidcVariables,
  SMTP_URL: url(["smtp:", "smtps:"], "smtp://user:password@host:587").optional(),
  MAIL_FROM: z.string().includes("@", { message: "must hold an e-mail address" }).default("Muster <muster@localhost>"),
  /** Headers in which an API key is accepted, in lower case. */
  API_KEY_HEADERS: headerList.default(["x-service-api-key"]),
  /** Milliseconds after each failed attempt of a webhook or a message; there is no attempt after the last one. */
  RETRY_DELAYS: delayList.default(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000),
  ),
  EGRESS_ALLOW_CIDRS: cidrList.default([]),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0),
  RATE_LIMITS: rateLimits.default({}),
  /** Whether models may also change data through /api/v1/mcp/. */
  MCP_WRITES: z
    .enum(["on", "off"], { error: "must be on or off" })
    .default("off")
    .transform((value) => value === "on"),
  /** Days after which what accumulates in every organization is deleted. */
  RETENTION: retentionList.default(defaultRetention),
  /** Days for which pictures and log lines of alerts are kept, while the alert is there. */
  EVIDENCE_DAYS: wholeNumber(1, 36_500).default(400),
  /** Seconds within which an agent has to act on an execution. */
  AGENT_TIMEOUT_SECONDS: wholeNumber(1, 86_400).default(600),
  /** The account that customers' trust policies name. */
  SERVICE_AWS_ACCOUNT_ID: z.string().default(""),
  /** The address of Google Cloud Storage in place of Google's own; for tests. */
  GCS_ENDPOINT: z.url().optional(),
  /**
   * Set by the launcher: `all` when one supervisor runs one web process, else the role of a process started on its own.
   */
  ROLE: z.enum(["all", "web", "worker"]).default("all"),
  /** The working directory in which npm was called (npm changes it); the CLI resolves file names against it. */
  INIT_CWD: z.string().optional(),
  /** Where traces are sent; none without it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(["http:", "https:"], "http://127.0.0.1:4318").optional(),
  OTEL_SERVICE_NAME: z.string().max(255).default("muster"),
  /** The share of traces that are sent, unless a client's own says so. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, "must be a number from 0 to 1")
    .transform(Number)
    .default(1),
  /** Milliseconds after which a database statement is logged; 0 for never. */
  SLOW_STATEMENT_MS: wholeNumber(0, 3_600_000).default(1_000),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/** The names of all settings, including those that only the launcher sets. */
export const settingNames = Object.keys(Variables.shape);

/** The settings of this process. PUBLIC_URL is an origin without a trailing slash; DATA_DIR is absolute. */
export type Env = Omit<z.output<typeof Variables>, "PUBLIC_URL" | "SIGNUP" | "AUTH_SECRETS" | keyof OidcVariables> & {
  /** All secrets, of which AUTH_SECRET is the first. */
  AUTH_SECRETS: readonly string[];
  PUBLIC_URL: string;
  PUBLIC_URL_GIVEN: boolean;
  SIGNUP: (typeof signUpModes)[number];
  /** Undefined where nobody signs in by OpenID Connect. */
  OIDC: OidcSettings | undefined;
};

/** Thrown by parseEnv; `faults` has one line per invalid variable, to be shown to the operator. */
export class EnvError extends Error {
  constructor(readonly faults: string[]) {
    super(`Muster cannot start with these settings:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.name = "EnvError";
  }
}

/** Parses the settings in `source`. An empty variable counts as absent. Throws an EnvError that lists every fault. */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ""));
  const result = Variables.safeParse(given);
  if (!result.success) {
    throw new EnvError(result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  }
  const values = result.data;
  const oidc = combineOidc(values);
  if (oidc && "faults" in oidc) throw new EnvError(oidc.faults);
  const { PORT: port, METRICS_PORT: metricsPort } = values;
  if (metricsPort && port !== 0 && [metricsPort, metricsPort + 1].includes(port)) {
    throw new EnvError(["METRICS_PORT: it and the port after it, which the worker takes, must not be PORT"]);
  }
  if ((values.S3_ACCESS_KEY_ID === undefined) !== (values.S3_SECRET_ACCESS_KEY === undefined))
    throw new EnvError(["S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: set both or neither"]);
  const publicUrl = values.PUBLIC_URL ?? `http://${browsableHost(values.HOST)}:${values.PORT}`;
  const secrets = [...new Set([...(values.AUTH_SECRETS ?? []), ...(values.AUTH_SECRET ? [values.AUTH_SECRET] : [])])];
  return {
    ...values,
    AUTH_SECRET: secrets[0],
    AUTH_SECRETS: secrets,
    PUBLIC_URL: publicUrl,
    PUBLIC_URL_GIVEN: values.PUBLIC_URL !== undefined,
    OIDC: oidc,
    SIGNUP: values.SIGNUP ?? (isLoopback(new URL(publicUrl).hostname) ? "open" : "invited"),
  };
}

/** The host under which a browser on this machine can connect to a server listening on `host`. */
function browsableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

const parsed = () => processWide("env", () => parseEnv(process.env));

/**
 * The settings of this process, parsed from the environment on first access, so that importing this file never fails.
 * That first access throws an EnvError when any setting is invalid.
 */
export const env: Readonly<Env> = new Proxy(Object.create(null) as Env, {
  get: (_target, name) => Reflect.get(parsed(), name),
  has: (_target, name) => Reflect.has(parsed(), name),
  ownKeys: () => Reflect.ownKeys(parsed()),
  getOwnPropertyDescriptor: (_target, name) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(parsed(), name);
    return descriptor && { ...descriptor, configurable: true };
  },
});

/** The address of the web server for connections from this machine, independent of PUBLIC_URL. */
export const localUrl = (port: number = env.PORT): string => `http://${browsableHost(env.HOST)}:${port}`;

/** Sets the variables that next-auth and Next read from the environment. Must be called before they load. */
export function informNext(): void {
  Object.assign(process.env, {
    NODE_ENV: env.NODE_ENV,
    NEXTAUTH_URL: env.PUBLIC_URL,
    NEXTAUTH_SECRET: env.AUTH_SECRET,
    NEXT_TELEMETRY_DISABLED: "1",
  });
}

/** Sets values known only after the start, such as the embedded database's address, for this process and children. */
export function applySettings(values: Partial<Record<"DATABASE_URL" | "AUTH_SECRETS" | "ROLE", string>>): void {
  Object.assign(process.env, values);
  Object.assign(parsed(), parseEnv(process.env));
}

/** The environment for a child process: our own, with `defaults` for variables that are not set. */
export const environmentWith = (defaults: Record<string, string>): NodeJS.ProcessEnv => ({
  ...defaults,
  ...process.env,
});

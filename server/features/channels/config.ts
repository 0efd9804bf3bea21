import type { ChannelType } from "@/domain/channels/channel-type";
import { type ChannelConfig, channelKinds } from "@/domain/channels/registry";
import { issueMessage } from "@/domain/field-messages";
import { type Issue, toIssues } from "@/domain/issues";
import type { Ctx } from "@/server/platform/context";
import { open, seal } from "@/server/platform/crypto";
import { invalidInput } from "@/server/platform/errors";
import { checkReceiver } from "@/server/platform/http-client/http-client";
import { maskSecret, showAddress } from "@/server/platform/http-client/shown-address";

type Config = Record<string, unknown>;

async function findUrlIssues(members: readonly string[], config: Config, of: { demo: boolean }): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const member of members) {
    const value = config[member];
    const checked = typeof value === "string" ? await checkReceiver(value, of) : null;
    if (checked && !checked.ok) issues.push({ path: [member], message: checked.message });
  }
  return issues;
}

/** Checks a complete configuration with its addresses. Throws `invalid("config")`, each issue at its member. */
export async function parseConfig<T extends ChannelType>(
  type: T,
  config: Config,
  of: { demo: boolean },
): Promise<ChannelConfig<T>> {
  const parsed = channelKinds[type].config.safeParse(config, { error: issueMessage });
  const issues = parsed.success
    ? await findUrlIssues(channelKinds[type].urls, parsed.data as Config, of)
    : toIssues(parsed.error.issues);
  if (issues.length > 0)
    throw invalidInput(issues.map(({ path, message }) => ({ path: ["config", ...path], message })));
  return parsed.data as ChannelConfig<T>;
}

/** The stored configuration, in which secrets are masked already, as this caller may see it. */
export function showConfig(ctx: Ctx, type: ChannelType, stored: Config): Config {
  const shown = { ...stored };
  for (const member of channelKinds[type].urls) {
    const address = shown[member];
    const isMasked = (channelKinds[type].secrets as readonly string[]).includes(member);
    if (typeof address === "string" && !isMasked) shown[member] = showAddress(ctx, "fleet.write", address);
  }
  return shown;
}

/** What a channel's secrets are sealed for: they cannot be opened for another channel or organization. */
export const channelSecretsOwner = (uid: string, organizationId: string): string => `channel:${uid}:${organizationId}`;

/** Splits a configuration into what is stored: the configuration with masked secrets, and the sealed secrets. */
export function storeConfig(type: ChannelType, config: Config, uid: string, organizationId: string) {
  const secrets: Config = {};
  const shown: Config = { ...config };
  for (const member of channelKinds[type].secrets) {
    const secret = config[member];
    if (typeof secret !== "string") continue;
    secrets[member] = secret;
    shown[member] = maskSecret(secret);
  }
  const sealed =
    Object.keys(secrets).length > 0 ? seal(JSON.stringify(secrets), channelSecretsOwner(uid, organizationId)) : null;
  return { shown, sealed };
}

/** The configuration with its secrets, for sending. Throws when they were sealed under another AUTH_SECRET. */
export function openConfig(channel: {
  uid: string;
  organizationId: string;
  config: unknown;
  secretsSealed: string | null;
}): Config {
  const shown = channel.config as Config;
  if (channel.secretsSealed === null) return shown;
  return {
    ...shown,
    ...(JSON.parse(open(channel.secretsSealed, channelSecretsOwner(channel.uid, channel.organizationId))) as Config),
  };
}

/** Merges changes into a stored configuration: null removes a member, a masked secret keeps the stored one. */
export function mergeConfig(shown: Config, opened: Config, changes: Config): Config {
  const merged: Config = { ...opened };
  for (const [member, value] of Object.entries(changes)) {
    if (value === null) delete merged[member];
    else if (opened[member] === undefined || value !== shown[member]) merged[member] = value;
  }
  return merged;
}

import { compareBytes } from "@/engine/bytes";
import type { ChannelDefinition, Completer } from "@/engine/formats/channel-definition";
import type { IndexedFile } from "@/engine/formats/indexed-file";
import type { UnpackMessage } from "@/engine/formats/packed-message";
import type { Channel } from "@/engine/formats/recording";

/**
 * Numbers the channels of files by their content, so that ids do not depend on how a recording was split into files.
 * `completer` adds to their definitions what these lack.
 */
export function joinChannels(
  files: readonly IndexedFile[],
  unpack: UnpackMessage,
  completer: Completer | null,
): Channel[] {
  if (completer !== null) for (const { definitions } of files) completeAll(definitions, completer);
  const all = files.flatMap((file) => file.definitions).sort(compareDefinitions);
  const channels: Channel[] = [];
  const ranks = new Map<string, number>();
  const ids = new Map<ChannelDefinition, Channel>();
  for (const definition of all) {
    let channel = channels.at(-1);
    if (channel === undefined || compareDefinitions(channel, definition) !== 0) {
      const isCdr = definition.messageEncoding === "cdr";
      channel = { id: channels.length, ...definition, ...(isCdr && { unpack }) };
      channels.push(channel);
    }
    if (!ranks.has(channel.topic)) ranks.set(channel.topic, ranks.size);
    ids.set(definition, channel);
  }
  for (const file of files) {
    file.channels = file.definitions.map((definition) => ids.get(definition));
    file.ranks = file.definitions.map((definition) => ranks.get(definition.topic) ?? 0);
  }
  return channels;
}

function completeAll(definitions: ChannelDefinition[], completer: Completer): void {
  for (const [slot, definition] of definitions.entries()) definitions[slot] = completer.complete(definition);
}

function compareDefinitions(a: ChannelDefinition, b: ChannelDefinition): number {
  return (
    compareText(a.topic, b.topic) ||
    compareText(a.schemaName, b.schemaName) ||
    compareText(a.messageEncoding, b.messageEncoding) ||
    compareText(a.schemaEncoding, b.schemaEncoding) ||
    compareBytes(a.schemaData, b.schemaData)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

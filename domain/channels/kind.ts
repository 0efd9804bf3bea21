import type { z } from "zod";
import { nonBlank } from "@/domain/fields";
import { maxUrlLength } from "@/domain/limits";

/** What browser and server share of a channel type. Members of `config` are nested, so they have their wire names. */
export interface ChannelKind<C extends z.ZodObject = z.ZodObject> {
  config: C;
  /** Secret members: never shown again once stored. */
  secrets: readonly (keyof z.output<C> & string)[];
  /** Members that name an address the platform will send to. */
  urls: readonly (keyof z.output<C> & string)[];
  /** The secret generated for a channel created without it, shown only then; null for none. */
  generatedSecret: (keyof z.output<C> & string) | null;
}

export const channelKind = <C extends z.ZodObject>(kind: ChannelKind<C>): ChannelKind<C> => kind;

export const address = () => nonBlank(maxUrlLength);

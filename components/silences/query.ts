import type { Inputs, Outputs } from "@/components/trpc/client";
import type { Matchers } from "@/domain/silences/schema";

/** A silence as the list has it. */
export type Silence = Outputs["silences"]["list"]["results"][number];
export type Mutes = Outputs["silences"]["preview"];

/** What a silence mutes; while it is being written it may mute nothing. */
export type { Matchers };

export const hasMatchers = (matchers: Matchers): boolean =>
  Object.values(matchers).some((list: string[] | undefined) => (list?.length ?? 0) > 0);

type Values = Readonly<Record<string, string | string[] | null | undefined>>;

/** The list's query for what stands in the address. */
export function listInput(values: Values): Inputs["silences"]["list"] {
  const state = Array.isArray(values.state) ? values.state[0] : values.state;
  return { ...(state && { state }), limit: 100 };
}

export const nextPage = (page: { next: string | null }): string | undefined => page.next ?? undefined;

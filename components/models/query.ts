import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import type { PromptKind } from "@/domain/models/prompt";

/** What people can show a model, in words. */
export const promptNames: Readonly<Record<PromptKind, string>> = { point: "Points", box: "Boxes", text: "Texts" };

/** A row of the list of models. */
export type Model = Outputs["models"]["overview"]["results"][number];
/** A model with its integrations. */
export type ModelDetail = Outputs["models"]["page"];
export type Integration = ModelDetail["integrations"][number];
/** A run as its screens show it. */
export type Run = Outputs["runs"]["overview"]["results"][number];
/** What a model was sent for an item, and what it answered. */
export type Trial = Outputs["models"]["tryOn"];

/** The query of the list of models for the filters in the address; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["models"]["overview"] => ({
  ...filterInput(["search"], values),
  limit: 50,
});

/** The query of the list of runs; of one model, where it is given. */
export const runListInput = (values: AddressValues, model?: string): Inputs["runs"]["overview"] => ({
  ...filterInput(["status"], values),
  ...(model !== undefined && { model }),
  limit: 50,
});

export const modelHref = (uid: string): string => `/models/${uid}`;
export const runHref = (uid: string): string => `/models/runs/${uid}`;

import type { CompositeCondition } from "@/domain/conditions/composite";
import type { DraftOf } from "@/domain/conditions/kind";
import type { ConditionType } from "@/domain/conditions/registry";
import type { LeafCondition } from "@/domain/conditions/schema-registry";

type DraftOfEach<Condition> = Condition extends { type: string } ? DraftOf<Condition> : never;
type Drafts = DraftOfEach<LeafCondition | CompositeCondition<never>>;
type MemberOf<Draft> = Draft extends unknown ? Exclude<keyof Draft, "type" | "conditions"> : never;
type ValueOf<Draft, Member> = Draft extends unknown ? (Member extends keyof Draft ? Draft[Member] : never) : never;

/** A condition of any type while it is being edited: the members of all types, all of them optional. */
export type ConditionDraft = { type: ConditionType; conditions?: ConditionDraft[] } & {
  [Member in MemberOf<Drafts>]?: ValueOf<Drafts, Member>;
};

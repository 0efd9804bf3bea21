import type { ComponentType } from "react";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { ConditionErrors } from "./condition-errors";
import type { TopicChoice } from "./topic-choices";

export interface ConditionEditorProps {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
  topics: readonly TopicChoice[] | undefined;
  errors: ConditionErrors;
  /** Its path in the rule's condition: `""` at the top, `conditions.0.conditions.1` below. */
  path?: string;
  depth?: number;
  /** Number of single conditions of the rule, to know when no more fit. */
  leaves?: number;
}

/** What the form of one type gets. Adding a type: one file with its form, one line in the registry. */
export interface ConditionFormProps extends Required<ConditionEditorProps> {
  /** Edits a part of a combination in its place. */
  Editor: ComponentType<ConditionEditorProps>;
}

import type { ConditionDraft } from "@/domain/conditions/draft";
import { conditionKinds, conditionTypes } from "@/domain/conditions/registry";
import { withType } from "./condition-draft";

/** The types of condition, each with an illustration. */
export function TypeCards({
  condition,
  onChange,
}: {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
}) {
  return (
    <fieldset>
      <legend className="sr-only">Kind of condition</legend>
      <div className="grid grid-cols-1 gap-px overflow-hidden rounded-panel border border-border-strong bg-border">
        {conditionTypes.map((type) => (
          <label
            key={type}
            className="flex cursor-pointer flex-wrap items-baseline gap-x-3 bg-raised px-3 py-1.5 hover:bg-hover has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="condition-type"
              className="sr-only"
              value={type}
              checked={condition.type === type}
              onChange={() => onChange(withType(condition, type))}
            />
            <span className="w-24 shrink-0 text-table font-medium">{conditionKinds[type].label}</span>
            <span className="min-w-0 font-mono text-meta wrap-anywhere text-muted">{conditionKinds[type].example}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

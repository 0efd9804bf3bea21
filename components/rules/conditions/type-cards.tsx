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
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-border-strong bg-border">
        {conditionTypes.map((type) => (
          <label
            key={type}
            className="cursor-pointer bg-raised px-3 py-2 hover:bg-hover has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent last:odd:col-span-2"
          >
            <input
              type="radio"
              name="condition-type"
              className="sr-only"
              value={type}
              checked={condition.type === type}
              onChange={() => onChange(withType(condition, type))}
            />
            <span className="block text-table font-medium">{conditionKinds[type].label}</span>
            <span className="block truncate font-mono text-meta text-muted">{conditionKinds[type].example}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

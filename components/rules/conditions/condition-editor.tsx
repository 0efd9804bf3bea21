"use client";

import { FormError } from "@/components/product/form";
import { listLeaves } from "@/domain/conditions/condition";
import type { ConditionEditorProps } from "./form";
import { conditionForms } from "./registry";

/** The fields of a condition of any type; of a combination its parts, each edited in its place. */
export function ConditionEditor(props: ConditionEditorProps) {
  const { condition, errors, path = "", depth = 0, leaves = listLeaves(condition).length } = props;
  const error = errors.get(path);
  const Form = conditionForms[condition.type];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {error && <FormError>{error}</FormError>}
      <Form {...props} path={path} depth={depth} leaves={leaves} Editor={ConditionEditor} />
    </div>
  );
}

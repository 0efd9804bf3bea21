"use client";

import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import { AttributeField } from "./attribute-field";
import { readVisibility, visibilities, withVisibility } from "./shapes/keypoints";
import type { ShapeByType } from "./shapes/shape-kind";
import { getKind } from "./shapes/shape-kinds";
import { convertTo, cutHole, remove } from "./store/commands";
import { listConversions } from "./store/conversions";
import type { EditorStore } from "./store/editor-store";

/** What may be said of any shape. */
const flags = [
  { key: "occluded", name: "Partly hidden by something" },
  { key: "truncated", name: "Goes on outside the picture" },
];
const visibilityNames = ["Not there", "Hidden", "Seen"] as const;

interface AttributePanelProps {
  store: EditorStore;
  /** Those that are selected. */
  shapes: readonly DraftShape[];
  labels: readonly EditorLabel[];
  canEdit: boolean;
}

/** The questions about the selected shapes, which are changed together. */
export function AttributePanel({ store, shapes, labels, canEdit }: AttributePanelProps) {
  const [first] = shapes;
  if (!first) return <p className="p-3 text-table text-muted">Select a shape to see its attributes.</p>;
  const label = labels.find(({ id }) => id === first.label_id);
  const isOneLabel = shapes.every((shape) => shape.label_id === first.label_id);
  const isDisabled = !canEdit;
  const setAttribute = (key: string, value: unknown) =>
    store.commit(
      shapes.map((shape) => {
        const { [key]: _, ...rest } = shape.attributes;
        const attributes = value === undefined ? rest : { ...rest, [key]: value };
        return { op: "put", id: shape.id, shape: { ...shape, attributes } };
      }),
      // What is typed into one field is taken back together.
      `${key} ${shapes.map(({ id }) => id).join(" ")}`,
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
      <p className="text-table">
        {shapes.length === 1 ? (
          <>
            <span className="font-medium">{label?.name ?? "No label"}</span>{" "}
            <span className="text-subtle">
              {getKind(first).name}, {getKind(first).describe(first)}
            </span>
          </>
        ) : (
          `${shapes.length} shapes`
        )}
      </p>
      {isOneLabel &&
        label?.attributes.map((attribute) => (
          <AttributeField
            key={`${first.id} ${attribute.key}`}
            attribute={attribute}
            value={first.attributes[attribute.key]}
            onChange={(value) => setAttribute(attribute.key, value)}
            isDisabled={isDisabled}
          />
        ))}
      {flags.map(({ key, name }) => (
        <Checkbox
          key={key}
          label={name}
          checked={shapes.every((shape) => shape.attributes[key] === true)}
          disabled={isDisabled}
          onCheckedChange={(checked) => setAttribute(key, checked || undefined)}
        />
      ))}
      {shapes.length === 1 && first.type === "keypoints" && (
        <PointFields store={store} shape={first} label={label} isDisabled={isDisabled} />
      )}
      {canEdit && (
        <div className="flex flex-wrap gap-2">
          {shapes.length === 1 &&
            listConversions(first, label).map((type) => (
              <Button key={type} size="sm" onClick={() => convertTo(store, type)}>
                Make a {getKind({ type }).name.toLowerCase()}
              </Button>
            ))}
          {shapes.length === 1 && first.type === "polygon" && (
            <Button size="sm" className="max-sm:hidden" onClick={() => cutHole(store)}>
              Cut a hole
            </Button>
          )}
          <Button size="sm" variant="danger-quiet" onClick={() => remove(store)}>
            Delete
          </Button>
        </div>
      )}
    </div>
  );
}

interface PointFieldsProps {
  store: EditorStore;
  shape: ShapeByType<"keypoints">;
  label: EditorLabel | undefined;
  isDisabled: boolean;
}

function PointFields({ store, shape, label, isDisabled }: PointFieldsProps) {
  const handles = getKind(shape).handles(shape, label, store.reach);
  const visibility = readVisibility(shape.coordinates);
  return handles.map(({ name }, at) => (
    <Field key={name} label={name}>
      <Select
        size="sm"
        disabled={isDisabled}
        options={visibilities.map((each) => ({ value: String(each), label: visibilityNames[each] }))}
        value={String(visibility[at] ?? 2)}
        onValueChange={(next) => {
          const chosen = visibilities.find((each) => String(each) === next) ?? 2;
          store.commit([{ op: "put", id: shape.id, shape: withVisibility(shape, at, chosen) }]);
        }}
      />
    </Field>
  ));
}

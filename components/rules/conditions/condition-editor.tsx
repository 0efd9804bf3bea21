"use client";

import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type Announcements,
  type DragEndEvent,
} from "@dnd-kit/core";
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { GripVertical, Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Menu } from "@/components/kit/menu";
import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import { FormError } from "@/components/product/form";
import { errorAt, type ConditionErrors } from "./condition-errors";
import { conditionTypes, freshCondition, leavesOf, maxDepth, maxLeaves, withType, type ConditionDraft } from "./draft";
import { LeafFields } from "./leaf-fields";
import type { TopicChoice } from "./query";
import { typeWords } from "./words";

export interface ConditionEditorProps {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
  topics: readonly TopicChoice[] | undefined;
  errors: ConditionErrors;
  /** Where it stands in the whole: `""` at the top, `conditions.0.conditions.1` below. */
  path?: string;
  depth?: number;
  /** Single conditions of the whole rule, to know when no more fit. */
  leaves?: number;
}

/** A condition's own fields, or for a combination its parts, each edited in its place. */
export function ConditionEditor(props: ConditionEditorProps) {
  const { condition, onChange, topics, errors, path = "" } = props;
  const whole = errors.get(path);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {whole && <FormError>{whole}</FormError>}
      {condition.type === "composite" ? (
        <Group {...props} />
      ) : (
        <LeafFields condition={condition} path={path} onChange={onChange} topics={topics} errors={errors} />
      )}
    </div>
  );
}

const childPath = (path: string, at: number) => (path === "" ? `conditions.${at}` : `${path}.conditions.${at}`);

function Group({ condition, onChange, topics, errors, path = "", depth = 0, leaves }: ConditionEditorProps) {
  const children = condition.conditions ?? [];
  const id = useId();
  const ids = children.map((_, at) => `${id}-${at}`);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const set = (conditions: ConditionDraft[]) => onChange({ ...condition, conditions });
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id)
      set(arrayMove(children, ids.indexOf(String(active.id)), ids.indexOf(String(over.id))));
  };
  const count = leaves ?? leavesOf(condition).length;
  const full = count >= maxLeaves;
  const place = (key: string | number | undefined) => ids.indexOf(String(key)) + 1;
  const announcements: Announcements = {
    onDragStart: ({ active }) => `Picked up condition ${place(active.id)} of ${children.length}.`,
    // The first thing a dragged condition is over is its own place.
    onDragOver: ({ active, over }) =>
      active.id === over?.id
        ? `Picked up condition ${place(active.id)} of ${children.length}; it is over its own place.`
        : over
          ? `Condition ${place(active.id)} is over place ${place(over.id)}.`
          : undefined,
    onDragEnd: ({ active, over }) =>
      over ? `Condition ${place(active.id)} was put at place ${place(over.id)}.` : undefined,
    onDragCancel: ({ active }) => `Condition ${place(active.id)} stays where it was.`,
  };
  const addable = conditionTypes.filter((type) => type !== "composite" || depth + 1 < maxDepth);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <RadioGroup
          layout="segments"
          aria-label="How the conditions combine"
          value={condition.operator === "or" ? "or" : "and"}
          onValueChange={(operator) => onChange({ ...condition, operator })}
          options={[
            { value: "and", label: "All hold" },
            { value: "or", label: "Any holds" },
          ]}
        />
        <Field label="Counting each as true for" optional error={errorAt(errors, path, "hold")} className="w-44">
          <Input
            mono
            value={condition.hold ?? ""}
            placeholder="0s longer"
            onValueChange={(hold) => onChange({ ...condition, hold: hold || undefined })}
          />
        </Field>
      </div>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        accessibility={{ announcements }}
        onDragEnd={onDragEnd}
      >
        <SortableContext items={ids} strategy={verticalListSortingStrategy}>
          <ol className="flex flex-col gap-3">
            {children.map((child, at) => (
              <Part
                key={ids[at]}
                id={ids[at] ?? ""}
                at={at}
                condition={child}
                onRemove={() => set(children.filter((_, other) => other !== at))}
                onChange={(next) => set(children.map((each, other) => (other === at ? next : each)))}
                topics={topics}
                errors={errors}
                path={childPath(path, at)}
                depth={depth + 1}
                leaves={count}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      <div>
        <Menu
          align="start"
          items={addable.map((type) => ({
            label: typeWords[type].label,
            hint: typeWords[type].example,
            onSelect: () => set([...children, freshCondition(type)]),
          }))}
          trigger={
            <Button
              size="sm"
              icon={<Plus aria-hidden />}
              disabledReason={full ? `A rule combines at most ${maxLeaves} conditions.` : undefined}
            >
              Add condition
            </Button>
          }
        />
      </div>
    </div>
  );
}

interface PartProps extends Required<Omit<ConditionEditorProps, "topics">> {
  topics: readonly TopicChoice[] | undefined;
  id: string;
  at: number;
  onRemove: () => void;
}

function Part({ id, at, onRemove, ...editor }: PartProps) {
  const { condition, onChange } = editor;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id,
  });
  const name = `Condition ${at + 1}`;
  return (
    <li
      ref={setNodeRef}
      className={
        isDragging ? "relative z-10 border-l-2 border-accent bg-surface pl-3" : "border-l-2 border-border-strong pl-3"
      }
      style={{ transform: transform ? `translate3d(0, ${Math.round(transform.y)}px, 0)` : undefined, transition }}
    >
      <div className="mb-2 flex items-center gap-1">
        <button
          type="button"
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          aria-label={`Move ${name.toLowerCase()}`}
          className="-ml-1 flex size-7 cursor-grab touch-none items-center justify-center rounded-control text-subtle hover:text-foreground"
        >
          <GripVertical aria-hidden className="size-4" />
        </button>
        <Select
          size="sm"
          aria-label={`Kind of ${name.toLowerCase()}`}
          className="w-40"
          options={conditionTypes
            .filter((type) => type !== "composite" || editor.depth < maxDepth)
            .map((type) => ({ value: type, label: typeWords[type].label }))}
          value={condition.type}
          onValueChange={(type) => onChange(withType(condition, type))}
        />
        <IconButton
          label={`Remove ${name.toLowerCase()}`}
          size="sm"
          icon={<Trash2 aria-hidden />}
          className="ml-auto"
          onClick={onRemove}
        />
      </div>
      <ConditionEditor {...editor} />
    </li>
  );
}

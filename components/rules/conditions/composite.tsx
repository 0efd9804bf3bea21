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
import { isComposite, maxLeaves, maxNesting } from "@/domain/conditions/condition";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { conditionKinds, conditionTypes } from "@/domain/conditions/registry";
import { freshCondition, withType } from "./condition-draft";
import { errorAt } from "./condition-errors";
import type { ConditionFormProps } from "./form";

/** Types that are allowed at a depth: a combination needs another level for its parts. */
const typesAt = (depth: number) => conditionTypes.filter((type) => !isComposite({ type }) || depth < maxNesting);

const childPath = (path: string, at: number) => (path === "" ? `conditions.${at}` : `${path}.conditions.${at}`);

export function CompositeForm(props: ConditionFormProps) {
  const { condition, onChange, topics, errors, path, depth, leaves, Editor } = props;
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
  const full = leaves >= maxLeaves;
  const place = (key: string | number | undefined) => ids.indexOf(String(key)) + 1;
  const announcements: Announcements = {
    onDragStart: ({ active }) => `Picked up condition ${place(active.id)} of ${children.length}.`,
    // A dragged condition is over its own place first.
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
  const addable = typesAt(depth + 1);
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
                leaves={leaves}
                Editor={Editor}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      <div>
        <Menu
          align="start"
          items={addable.map((type) => ({
            label: conditionKinds[type].label,
            hint: conditionKinds[type].example,
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

interface PartProps extends ConditionFormProps {
  id: string;
  at: number;
  onRemove: () => void;
}

function Part({ id, at, onRemove, Editor, ...editor }: PartProps) {
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
          options={typesAt(editor.depth).map((type) => ({ value: type, label: conditionKinds[type].label }))}
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
      <Editor {...editor} />
    </li>
  );
}

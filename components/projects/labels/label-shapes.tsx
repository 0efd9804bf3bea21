import { ChevronDown } from "lucide-react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Popover } from "@/components/kit/popover";
import { shapeTypeLabels, type ShapeType } from "./task-shapes";

/** The shapes that a label may have; none chosen means all of them. */
export function LabelShapes(props: {
  name: string;
  types: readonly ShapeType[];
  shapes: readonly ShapeType[];
  onChange: (types: ShapeType[]) => void;
}) {
  const { name, types, shapes, onChange } = props;
  const text = types.length === 0 ? "All shapes" : types.map((type) => shapeTypeLabels[type]).join(", ");
  const offered = [...shapes, ...types.filter((type) => !shapes.includes(type))];
  return (
    <Popover
      title={`Shapes of ${name}`}
      align="start"
      className="w-52"
      trigger={
        <Button className="w-32 justify-between sm:w-40" aria-label={`Shapes of ${name}: ${text}`}>
          <span className="min-w-0 truncate font-normal">{text}</span>
          <ChevronDown aria-hidden className="text-subtle" />
        </Button>
      }
    >
      <div className="flex flex-col gap-2">
        {offered.map((type) => (
          <Checkbox
            key={type}
            label={shapeTypeLabels[type]}
            checked={types.includes(type)}
            onCheckedChange={(checked) =>
              onChange(offered.filter((each) => (each === type ? checked : types.includes(each))))
            }
          />
        ))}
        <p className="text-meta text-subtle">None chosen: all of them.</p>
      </div>
    </Popover>
  );
}

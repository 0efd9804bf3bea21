import { Check, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Field } from "@/components/kit/field";
import { formatNumber } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Popover } from "@/components/kit/popover";
import { findWeakContrast, labelColours } from "@/domain/projects/label-colours";
import type { LabelInput } from "@/domain/projects/label-schema";
import { Swatch } from "./swatch";

const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** Why a colour is a poor choice; null where it is none. */
export function explainColour(color: string, others: readonly LabelInput[]): string | null {
  if (!isColour(color)) return null;
  const weak = findWeakContrast(color);
  if (weak)
    return `Its colour is hard to see on ${weak.page} pages: contrast ${formatNumber(weak.contrast, 1)} to 1, below 3.`;
  const same = others.find((other) => other.name !== "" && other.color.toLowerCase() === color.toLowerCase());
  return same ? `${same.name} has the same colour.` : null;
}

interface LabelColourProps {
  color: string;
  name: string;
  warning: string | null;
  others: readonly LabelInput[];
  onChange: (color: string) => void;
}

/** The colour of a label: one of eight, or one's own. */
export function LabelColour({ color, name, warning, others, onChange }: LabelColourProps) {
  return (
    <Popover
      title={`Colour of ${name}`}
      align="start"
      className="w-56"
      trigger={<IconButton label={`Colour of ${name}`} icon={<Swatch color={color} />} />}
    >
      <div className="flex flex-col gap-3">
        <div role="group" aria-label="Colours" className="grid grid-cols-8 gap-1">
          {labelColours.map(({ name: called, value }) => {
            const isChosen = value === color.toLowerCase();
            const isTaken = others.some((other) => other.color.toLowerCase() === value);
            return (
              <button
                key={value}
                type="button"
                aria-label={isTaken ? `${called}, another label has it` : called}
                aria-pressed={isChosen}
                title={called}
                onClick={() => onChange(value)}
                className="flex size-5.5 items-center justify-center rounded-full"
                style={{ backgroundColor: value }}
              >
                {isChosen ? (
                  <Check aria-hidden className="size-3.5 text-accent-foreground" />
                ) : (
                  isTaken && <span aria-hidden className="size-1.5 rounded-full bg-accent-foreground" />
                )}
              </button>
            );
          })}
        </div>
        <OwnColour key={color} color={color} onChange={onChange} />
        {warning !== null && (
          <p className="flex items-start gap-1 text-meta text-warning-text">
            <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
            {warning}
          </p>
        )}
      </div>
    </Popover>
  );
}

function OwnColour({ color, onChange }: Pick<LabelColourProps, "color" | "onChange">) {
  const [typed, setTyped] = useState(color);
  return (
    <Field label="Own colour" {...(!isColour(typed) && { error: "Give a color as #rrggbb." })}>
      <Input
        mono
        value={typed}
        maxLength={7}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target: { value } }) => setTyped(value)}
        onBlur={() => isColour(typed) && typed !== color && onChange(typed.toLowerCase())}
        onKeyDown={(event) => event.key === "Enter" && isColour(typed) && onChange(typed.toLowerCase())}
      />
    </Field>
  );
}

"use client";

import { ChevronDown, SquareFunction } from "lucide-react";
import { Suspense, useId, useRef, useState, type ComponentType } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { controlStyles } from "@/components/kit/control-styles";
import { lazyPart } from "@/components/kit/lazy-part";
import { loadPart } from "@/components/kit/part-loading";
import { toast } from "@/components/product/toast";
import { maxPlots } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import type { FieldComboboxProps } from "./field-combobox";
import { fromExpression } from "./plot-entry";

const ExpressionForm = lazyPart(async () => (await import("./expression-form")).ExpressionForm);

/**
 * Picks a field of any topic to plot: by parts of its path, or by the path itself, `/topic.a.b[0]`; or writes an
 * expression over fields.
 */
export function FieldPicker() {
  const { recording, plots, setPlots } = useTimeline();
  const [isWriting, setWriting] = useState(false);
  if (plots.length >= maxPlots) return <p className="text-meta text-subtle">At most {maxPlots} plots can be open.</p>;
  if (isWriting) {
    return (
      <Suspense>
        <ExpressionForm
          topics={recording.topics}
          action="Add"
          onSubmit={(expression) => {
            setWriting(false);
            const entry = fromExpression(expression);
            if (!plots.includes(entry)) setPlots([...plots, entry]);
          }}
          onCancel={() => setWriting(false)}
        />
      </Suspense>
    );
  }
  return (
    <>
      {/* Another one after each choice, so that it is empty again. */}
      <Chooser key={plots.length} onChoose={(path) => setPlots([...plots, path])} />
      <Button variant="ghost" icon={<SquareFunction aria-hidden />} onClick={() => setWriting(true)}>
        Add expression
      </Button>
    </>
  );
}

/** The box for a field. What lists fields is loaded once the box has the focus; what is typed meanwhile is kept. */
function Chooser({ onChoose }: { onChoose: (path: string) => void }) {
  const [typed, setTyped] = useState("");
  const isPressed = useRef(false);
  const list = useId();
  const [loaded, setLoaded] = useState<{ List: ComponentType<FieldComboboxProps>; isOpen: boolean } | null>(null);
  if (loaded) return <loaded.List begins={{ typed, isOpen: loaded.isOpen || typed !== "" }} onChoose={onChoose} />;
  const load = async () => {
    try {
      const { FieldCombobox: List } = await loadPart(() => import("./field-combobox"));
      setLoaded({ List, isOpen: isPressed.current });
    } catch (error) {
      toast.failure(error, { title: "The list of fields could not be loaded" });
    }
  };
  return (
    <span className="relative flex w-full max-w-80 min-w-0 items-center">
      <input
        role="combobox"
        aria-expanded={false}
        aria-controls={list}
        aria-label="Add a plot"
        placeholder="Add a plot: /topic.field"
        autoComplete="off"
        className={cn(controlStyles, "h-8 w-full min-w-0 pr-14 pl-2.5 text-table")}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onPointerDown={() => {
          isPressed.current = true;
        }}
        onFocus={() => void load()}
      />
      <ChevronDown aria-hidden className="pointer-events-none absolute right-2 size-4 text-subtle" />
    </span>
  );
}

"use client";

import { SquareFunction } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { Combobox } from "@/components/kit/combobox";
import { fromExpression } from "./plot-entry";
import { maxPlots } from "./query";
import { useTimeline } from "./timeline-context";
import { parsePath, formatPath, searchPaths, type PathTopic } from "./topic-path";

const ExpressionForm = lazy(async () => ({ default: (await import("./expression-form")).ExpressionForm }));

/**
 * Picks a field of any topic to plot: by parts of its path, or by the path itself, `/topic.a.b[0]`; or writes an
 * expression over fields.
 */
export function FieldPicker() {
  const { recording, plots, setPlots, topic } = useTimeline();
  const [text, setText] = useState("");
  const [round, setRound] = useState(0);
  const [isWriting, setWriting] = useState(false);
  const topics = useMemo<PathTopic[]>(
    () => recording.topics.map(({ name, fields }) => ({ name, fields: fields.filter(({ kind }) => kind !== "time") })),
    [recording.topics],
  );
  const options = useMemo(() => {
    const exact = parsePath(text, topics);
    const found = exact
      ? [exact]
      : searchPaths(
          text ? topics : topics.toSorted((a, b) => Number(b.name === topic) - Number(a.name === topic)),
          text,
        );
    return found
      .filter((path) => !plots.includes(formatPath(path)))
      .map((path) => {
        const field = topics.find(({ name }) => name === path.topic)?.fields.find((each) => each.path === path.field);
        const unit = typeof field?.unit === "string" ? `, ${field.unit}` : "";
        return { value: formatPath(path), label: formatPath(path), hint: `${field?.kind ?? ""}${unit}` };
      });
  }, [text, topics, plots, topic]);
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
      <Combobox
        key={round}
        aria-label="Add a plot"
        placeholder="Add a plot: /topic.field"
        className="max-w-80"
        options={options}
        value={null}
        onSearch={setText}
        emptyText={
          topics.some(({ fields }) => fields.length > 0)
            ? "No field matches"
            : "This recording has no fields that can be plotted"
        }
        onValueChange={(path) => {
          if (!path) return;
          setPlots([...plots, path]);
          setText("");
          setRound((before) => before + 1);
        }}
      />
      <Button variant="ghost" icon={<SquareFunction aria-hidden />} onClick={() => setWriting(true)}>
        Add expression
      </Button>
    </>
  );
}

"use client";

import { useMemo, useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { maxPlots } from "./query";
import { useTimeline } from "./timeline-context";
import { parsePath, formatPath, searchPaths, type PathTopic } from "./topic-path";

/** Picks a field of any topic to plot: by parts of its path, or by the path itself, `/topic.a.b[0]`. */
export function FieldPicker() {
  const { recording, plots, setPlots, topic } = useTimeline();
  const [text, setText] = useState("");
  const [round, setRound] = useState(0);
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
  return (
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
  );
}

"use client";

import { useEffect, useState } from "react";
import { v4 as uuidv4 } from "uuid";
import { Button } from "@/components/kit/button";
import { Input } from "@/components/kit/input";
import { useLatest } from "@/components/kit/latest";
import { Select } from "@/components/kit/select";
import { toPromptShapes } from "@/domain/annotations/prompt-answer";
import { promptLimits } from "@/domain/models/prompt";
import type { Annotation } from "@/domain/tasks/schema";
import type { EditorStore } from "../store/editor-store";
import { offer } from "../store/offered";
import type { AskedPrompt } from "../tools/tool";
import { PromptDesk, refusePrompt, type EditorPrompts } from "./prompt-desk";

const keptAs = "muster.prompt-model";
/** For a browser that stores nothing. */
let unstored: string | null = null;

/** The integration that this browser asked last; null for none. */
function readModel(): string | null {
  try {
    return localStorage.getItem(keptAs) ?? unstored;
  } catch {
    return unstored;
  }
}

function keepModel(uid: string): void {
  try {
    localStorage.setItem(keptAs, uid);
  } catch {
    unstored = uid;
  }
}

/** Which model is asked, and what became of the last question. It asks what the tool in hand wants to know. */
export function PromptBar({ store, prompts }: { store: EditorStore; prompts: EditorPrompts }) {
  const { models } = prompts;
  const [chosen, setChosen] = useState(readModel);
  const [isWaiting, setWaiting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [text, setText] = useState("");
  const model = models.find(({ uid }) => uid === chosen) ?? models[0];
  const ask = useLatest(prompts.ask);
  const fail = (reason: string) => {
    setFailure(reason);
    store.say(reason);
  };
  const show = useLatest((predictions: readonly Annotation[]) => {
    const drawn = store.nextLabel;
    if (!drawn || !store.canEdit) return;
    const shapes = toPromptShapes(predictions, {
      labels: store.activeLabels,
      drawn,
      createId: uuidv4,
      top: store.top,
    });
    if (!offer(store, shapes)) return;
    if (shapes.length > 0)
      return store.say(
        shapes.length === 1 ? "1 suggestion. Enter takes it." : `${shapes.length} suggestions. Enter takes them.`,
      );
    fail(
      predictions.length === 0
        ? "The model found nothing there."
        : `${drawn.name} may not have the shapes that the model answered.`,
    );
  });
  const [desk] = useState(
    () =>
      new PromptDesk({
        ask: (question) => ask(question),
        createId: uuidv4,
        onAnswer: (predictions) => show(predictions),
        onFailure: fail,
        onWaiting: setWaiting,
      }),
  );
  const put = useLatest(({ prompt }: Pick<AskedPrompt, "prompt">) => {
    const label = store.nextLabel;
    if (!model || !label) return;
    const refused = refusePrompt(prompt, model.prompts);
    if (refused !== null) {
      // Else the next prompt would have what was refused, too.
      store.send({ type: "cancel" });
      return fail(refused);
    }
    setFailure(null);
    store.say(`Asking ${model.name}…`);
    desk.ask({ model: model.uid, labels: [label.name], prompt });
  });
  useEffect(() => {
    store.asking.setAsker(put);
    return () => {
      store.asking.setAsker(null);
      desk.leave();
    };
  }, [store, desk, put]);
  if (!model) return null;
  return (
    <section aria-label="Model" className="flex flex-col gap-2 border-b px-3 py-2 text-table">
      <div className="flex min-h-7 items-center gap-2">
        {models.length > 1 ? (
          <Select
            size="sm"
            aria-label="Model that is asked"
            options={models.map(({ uid, name }) => ({ value: uid, label: name }))}
            value={model.uid}
            onValueChange={(uid) => {
              keepModel(uid);
              setChosen(uid);
            }}
            className="min-w-0 flex-1"
          />
        ) : (
          <span className="min-w-0 flex-1 truncate font-medium">{model.name}</span>
        )}
        <span className="shrink-0 text-meta text-muted">{isWaiting ? "Asking…" : ""}</span>
      </div>
      {model.prompts.includes("text") && (
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() === "") return;
            // Points of the question before have nothing to do with it.
            store.send({ type: "cancel" });
            store.asking.ask({ prompt: { text: text.trim() }, isNew: true });
          }}
        >
          <Input
            aria-label="What the model looks for"
            placeholder="yellow forklift"
            maxLength={promptLimits.text}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" size="sm" disabled={!store.canEdit || text.trim() === ""}>
            Ask
          </Button>
        </form>
      )}
      {failure !== null && <p className="text-meta text-warning-text">{failure}</p>}
    </section>
  );
}

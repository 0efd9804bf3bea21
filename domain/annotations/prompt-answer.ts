import type { Annotation } from "@/domain/tasks/schema";
import { DraftShape } from "./draft-schema";
import { mayHold, type EditorLabel } from "./editor-label";

interface AnswerMeans {
  labels: readonly EditorLabel[];
  /** The label that the person draws with. */
  drawn: EditorLabel;
  createId: () => string;
  /** The position of the first shape. */
  top: number;
}

const getScore = ({ confidence, score }: Record<string, unknown>): number | null => {
  const given = confidence ?? score;
  return typeof given === "number" ? given : null;
};

/**
 * What a model answered to a prompt, as shapes that are offered: under a label of the project where it names one, else under
 * that of the person. Shapes that the label may not have are left out.
 */
export function toPromptShapes(answer: readonly Annotation[], means: AnswerMeans): DraftShape[] {
  const { labels, drawn, createId, top } = means;
  return answer.flatMap(({ label: name, type, coordinates, attributes }, at) => {
    const label = labels.find((each) => each.name === name && mayHold(each, type)) ?? drawn;
    if (!mayHold(label, type)) return [];
    const keys = new Set(label.attributes.map(({ key }) => key));
    const own = Object.entries(attributes).filter(([key]) => keys.has(key));
    const shape = DraftShape.safeParse({
      id: createId(),
      label_id: label.id,
      type,
      coordinates,
      attributes: { ...Object.fromEntries(own), source: "model", score: getScore(attributes) },
      position: top + at,
    }).data;
    return shape ? [shape] : [];
  });
}

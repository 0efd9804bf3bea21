"use client";

import { CodeTabs } from "@/components/kit/code-block";
import { Status } from "@/components/product/status";
import { exportFormats, type ExportFormat } from "@/domain/exports/formats";
import { LossList } from "../export-contents";
import { formatNames } from "../labels";
import type { Preview } from "./use-export-preview";

const descriptions: Readonly<Record<ExportFormat, string>> = {
  "avala-json-external": "One JSON document with items, labels and every annotation as it was made.",
  YOLO: "A ZIP archive with the labelled pictures, their boxes and data.yaml, as trainings read it.",
  "YOLO-segment": "The same with the outlines of polygons and masks in place of boxes.",
  "YOLO-pose": "The same with skeletons: their points, and the box around them.",
  "YOLO-OBB": "The same with boxes by their four corners, so that they stay turned.",
  COCO: "One JSON document of instances: boxes, polygons, masks and skeletons of pictures that you have.",
  "COCO-panoptic":
    "PNG files whose pixels name their object, and a JSON document: polygons and masks, later ones on top.",
  CVAT: "Pictures and annotations.xml, as CVAT for images 1.1 reads them.",
  LabelStudio: "Pictures, tasks.json with their annotations, and the labeling configuration.",
};

/** The formats as cards, each with what it cannot hold of this selection. */
export function FormatCards(props: {
  format: ExportFormat;
  preview: Preview | undefined;
  onChange: (format: ExportFormat) => void;
}) {
  const { format: chosen, preview, onChange } = props;
  return (
    <fieldset>
      <legend className="sr-only">Format</legend>
      <div className="flex flex-col gap-px overflow-hidden rounded-panel border border-border-strong bg-border">
        {exportFormats.map((format) => {
          const { losses, refusal } = preview?.formats.find((each) => each.format === format) ?? {};
          return (
            <label
              key={format}
              title={format}
              className="cursor-pointer bg-raised px-3 py-2.5 hover:bg-hover has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="format"
                className="sr-only"
                value={format}
                checked={chosen === format}
                onChange={() => onChange(format)}
              />
              <span className="block text-table font-medium">{formatNames[format]}</span>
              <span className="mb-1 block text-meta text-muted">{descriptions[format]}</span>
              {refusal && (
                <Status tone="error" className="whitespace-normal!">
                  <span className="whitespace-normal">{refusal}</span>
                </Status>
              )}
              {losses && losses.length > 0 ? (
                <LossList losses={losses} label={`What ${formatNames[format]} cannot hold`} />
              ) : (
                // Keeps its line while the selection is being read.
                <Status tone="online" shape="check" className={losses ? undefined : "invisible"}>
                  <span className="text-table">Holds everything</span>
                </Status>
              )}
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** What the file would hold of one item, as the export writes it. */
export function FirstItem({ format, preview }: { format: ExportFormat; preview: Preview | undefined }) {
  const files = preview?.formats.find((each) => each.format === format)?.first ?? [];
  if (files.length === 0) return <p className="text-table text-muted">One item is shown here as the file holds it.</p>;
  return (
    <div>
      <h3 className="mb-1 text-meta text-subtle">One item, as the file holds it</h3>
      <CodeTabs
        key={format}
        label="Files of the first item"
        tabs={files.map(({ name, text }) => ({ label: name.split("/").at(-1) ?? name, code: text }))}
      />
    </div>
  );
}

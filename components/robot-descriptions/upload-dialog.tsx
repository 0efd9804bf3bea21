"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { SuggestInput } from "@/components/kit/suggest-input";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { ChosenFileList } from "@/components/upload/chosen-file-list";
import type { ChosenFile } from "@/components/upload/chosen-files";
import { DropZone } from "@/components/upload/drop-zone";
import { SendProgress } from "@/components/upload/send-progress";
import { maxRobotZipBytes } from "@/domain/robot-descriptions/schema";
import { useUpload } from "./use-upload";

const sendLabels = { sending: "Uploading", checking: "Checking the zip" };

interface UploadDialogProps {
  /** Whose description is replaced; null for a new one. */
  deviceType: string | null;
  onClose: () => void;
}

/** Uploads the zip of a device type. */
export function UploadDialog({ deviceType: given, onClose }: UploadDialogProps) {
  const trpc = useTRPC();
  const types = useQuery(trpc.devices.vocabulary.queryOptions()).data?.types ?? [];
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  const { upload, state, problem, setProblem } = useUpload(({ device_type, file_count, missing_meshes }) => {
    const missing = missing_meshes.length > 0 ? `, ${plural(missing_meshes.length, "mesh", "meshes")} missing` : "";
    toast.success(`${device_type}: ${plural(file_count, "file")}${missing}`);
    onClose();
  });
  const deviceType = given ?? typed.trim();
  const take = (files: ChosenFile[]) => {
    const zips = files.filter(({ path }) => path.toLowerCase().endsWith(".zip"));
    const [zip] = zips;
    setProblem(zips.length === 1 ? null : "Choose one zip file.");
    setChosen(zips.length === 1 && zip ? zip : null);
  };
  const missing =
    deviceType === ""
      ? "Enter the device type first."
      : chosen === null
        ? "Choose a zip first."
        : chosen.file.size > maxRobotZipBytes
          ? `A zip has at most ${maxRobotZipBytes / 1024 ** 2} MiB.`
          : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title={given === null ? "Add a robot description" : `Replace the description of ${given}`}
      description="A zip with one URDF and its meshes: STL, OBJ, DAE or glTF."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={state !== null}
            disabledReason={missing}
            onClick={() => chosen && upload(deviceType, chosen.file)}
          >
            {given === null ? "Upload" : "Replace"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {given === null && (
          <Field label="Device type" hint="Recordings of its devices show the robot. A description it has is replaced.">
            <SuggestInput value={typed} onValueChange={setTyped} suggestions={types} placeholder="arm" />
          </Field>
        )}
        <DropZone text="Drop the zip here" label="Zip file" accept=".zip" onFiles={take} />
        {chosen && <ChosenFileList files={[chosen]} onLeaveOut={() => setChosen(null)} />}
        <SendProgress state={state} problem={problem} labels={sendLabels} />
      </div>
    </Dialog>
  );
}

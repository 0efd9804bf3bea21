"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { readFailure, type Failure } from "@/components/product/failure";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { ChosenFileList } from "@/components/upload/chosen-file-list";
import type { ChosenFile } from "@/components/upload/chosen-files";
import { DropZone } from "@/components/upload/drop-zone";
import { maxDefinitionFiles } from "@/domain/message-definitions/schema";
import {
  definitionExtensions,
  definitionFileNames,
  toFolder,
  getDefinitionFormat,
  toTypeName,
} from "@/domain/message-definitions/type-name";

const hasPackage = ({ path }: ChosenFile): boolean => toTypeName(path).includes("/");

/** Adds files of definitions; those outside a package's folder get the package that is typed. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [others, setOthers] = useState(0);
  const [folder, setFolder] = useState("");
  const { save, saving, problem } = useSave(onClose);

  const needsPackage = !files.every(hasPackage);
  const toPath = (file: ChosenFile): string =>
    hasPackage(file) ? file.path : `${folder.trim()}/${toFolder(getDefinitionFormat(file.path))}/${file.path}`;
  const add = (chosen: ChosenFile[]) => {
    const wanted = chosen.filter(({ path }) => getDefinitionFormat(path) !== null);
    setOthers(chosen.length - wanted.length);
    setFiles((before) => [...new Map([...before, ...wanted].map((file) => [file.path, file])).values()]);
  };
  const missing =
    files.length === 0
      ? "Choose files first."
      : files.length > maxDefinitionFiles
        ? `At most ${maxDefinitionFiles} files are added at once.`
        : needsPackage && folder.trim() === ""
          ? "Enter the package first."
          : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title="Add message definitions"
      description="For every member's recordings. A file of a type that is defined already replaces it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={saving}
            disabledReason={missing}
            onClick={() => save(files.map((file) => ({ path: toPath(file), file: file.file })))}
          >
            {files.length === 0 ? "Add" : `Add ${plural(files.length, "file")}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <DropZone
          text={`Drop ${definitionFileNames} files, or folders of packages, here`}
          label="Definition files"
          accept={definitionExtensions}
          onFiles={add}
        />
        {others > 0 && <p className="text-meta text-muted">{plural(others, "file")} of other kinds left out.</p>}
        {needsPackage && (
          <Field label="Package" hint="Of the files that are not inside a package's folder">
            <Input
              value={folder}
              onChange={({ currentTarget }) => setFolder(currentTarget.value)}
              placeholder="my_msgs"
              autoComplete="off"
            />
          </Field>
        )}
        {files.length > 0 && (
          <ChosenFileList
            files={files}
            toText={toPath}
            onLeaveOut={(file) => setFiles((before) => before.filter((each) => each !== file))}
          />
        )}
        {problem && (
          <p role="alert" className="text-table text-critical-text">
            {problem}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** Sends the files; a refusal names the file that it is about. */
function useSave(onSaved: () => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const save = async (chosen: ChosenFile[]) => {
    setSaving(true);
    setProblem(null);
    try {
      const files = await Promise.all(chosen.map(async ({ path, file }) => ({ path, text: await file.text() })));
      const { added, replaced } = await client.messageDefinitions.save.mutate({ files });
      await queryClient.invalidateQueries(trpc.messageDefinitions.pathFilter());
      toast.success(`${plural(added, "definition")} added${replaced > 0 ? `, ${replaced} replaced` : ""}`);
      onSaved();
    } catch (error) {
      setProblem(nameFile(readFailure(error), chosen));
    } finally {
      setSaving(false);
    }
  };
  return { save: (chosen: ChosenFile[]) => void save(chosen), saving, problem };
}

/** The first message of a refusal, after the path of the file that it is about. */
function nameFile({ detail, issues }: Failure, files: readonly ChosenFile[]): string {
  const [issue] = issues;
  const file = files[Number(issue?.path[1])];
  return issue && file ? `${file.path}: ${issue.message}` : (issue?.message ?? detail);
}

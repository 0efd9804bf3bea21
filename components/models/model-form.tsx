"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { Controller, useWatch } from "react-hook-form";
import { z } from "zod";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Input } from "@/components/kit/input";
import { Textarea } from "@/components/kit/textarea";
import { AddressCheck, useSettledAddress } from "@/components/product/address-check";
import { Form, FormActions, FormField, SubmitButton, useApiForm } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { formatLabelMap, parseLabelMap } from "@/domain/models/label-map";
import { promptKinds } from "@/domain/models/prompt";
import { ConnectModel, type LabelMap } from "@/domain/models/schema";
import { promptNames } from "./query";

const { name, model_type_name: kind, url, header_name: headerName, header_value: headerValue } = ConnectModel.shape;

const ModelFields = z.object({
  name,
  model_type_name: kind,
  url,
  header_name: headerName.unwrap(),
  header_value: headerValue.unwrap(),
  label_map: z.string().superRefine((text, context) => {
    const parsed = parseLabelMap(text);
    if ("problem" in parsed) context.addIssue({ code: "custom", message: parsed.problem });
  }),
  prompts: z.array(z.enum(promptKinds)),
});

/** What the form sends. */
type ModelInput = Omit<z.output<typeof ModelFields>, "label_map"> & { label_map: LabelMap };

interface ModelFormProps {
  /** What is changed; without it a model is connected. */
  model?: Omit<ModelInput, "header_value">;
  /** False for a model that runs in Muster: it has no address. */
  hasAddress?: boolean;
  action: string;
  onSubmit: (input: ModelInput) => Promise<unknown>;
  onCancel: () => void;
}

/** Whether a model could be asked at the address that is being typed. */
function ModelUrlCheck({ typed }: { typed: string }) {
  const trpc = useTRPC();
  const settled = useSettledAddress(typed);
  const query = useQuery({
    ...trpc.models.checkUrl.queryOptions(settled === null ? skipToken : { url: settled }),
    staleTime: 10_000,
    retry: false,
  });
  return (
    <AddressCheck
      url={typed}
      settled={settled}
      check={query}
      empty="An https:// address of your own, to which each item is sent."
      accepted="Reachable address. Try the model on an item to see its answer."
    />
  );
}

/** What a model is called, where it is, and how it is asked. */
export function ModelForm({ model, hasAddress = true, action, onSubmit, onCancel }: ModelFormProps) {
  const reason = usePermissions().refusal({ role: "admin" });
  const form = useApiForm({
    schema: ModelFields,
    defaultValues: {
      name: model?.name ?? "",
      model_type_name: model?.model_type_name ?? "object-detection",
      url: model?.url ?? "",
      header_name: model?.header_name ?? "",
      header_value: "",
      label_map: formatLabelMap(model?.label_map ?? {}),
      prompts: model?.prompts ?? [],
    },
    onSubmit: async (values) => {
      const parsed = parseLabelMap(values.label_map);
      if ("map" in parsed) await onSubmit({ ...values, url: values.url.trim(), label_map: parsed.map });
    },
  });
  const typed = useWatch({ control: form.control, name: "url" });
  return (
    <Form form={form}>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField form={form} name="name" label="Name">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
        <FormField form={form} name="model_type_name" label="Kind" hint="Such as object-detection.">
          {(control) => <Input {...control} autoComplete="off" />}
        </FormField>
      </div>
      {hasAddress && (
        <>
          <FormField form={form} name="url" label="Address" hint={<ModelUrlCheck typed={typed} />}>
            {(control) => (
              <Input
                {...control}
                type="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://models.example.com/predict"
                className="font-mono"
              />
            )}
          </FormField>
          <div className="grid gap-4 sm:grid-cols-2">
            <FormField form={form} name="header_name" label="Own header" optional hint="If your server wants one.">
              {(control) => <Input {...control} autoComplete="off" spellCheck={false} placeholder="Authorization" />}
            </FormField>
            <FormField
              form={form}
              name="header_value"
              label="Its value"
              optional
              hint={model && model.header_name !== "" ? "Leave it empty to keep the one it has." : "Kept sealed."}
            >
              {(control) => <Input {...control} type="password" autoComplete="new-password" spellCheck={false} />}
            </FormField>
          </div>
          <Controller
            control={form.control}
            name="prompts"
            render={({ field: { value, onChange } }) => (
              <fieldset>
                <legend className="text-table font-medium">Prompts</legend>
                <p className="text-meta text-subtle">
                  What people may show it while they draw, if it can tell from that what they mean.
                </p>
                <div className="flex flex-wrap gap-x-5 gap-y-1 pt-1">
                  {promptKinds.map((kind) => (
                    <Checkbox
                      key={kind}
                      label={promptNames[kind]}
                      checked={value.includes(kind)}
                      onCheckedChange={(isChosen) =>
                        onChange(promptKinds.filter((each) => (each === kind ? isChosen : value.includes(each))))
                      }
                    />
                  ))}
                </div>
              </fieldset>
            )}
          />
        </>
      )}
      <FormField
        form={form}
        name="label_map"
        label="Labels"
        optional
        hint="A line each: the model's name = your label. Nothing after = leaves it out. Other names stay as they are."
      >
        {(control) => <Textarea {...control} mono rows={4} spellCheck={false} placeholder="forklift = truck" />}
      </FormField>
      <FormActions>
        <SubmitButton form={form} disabledReason={reason}>
          {action}
        </SubmitButton>
        <Button onClick={onCancel}>Cancel</Button>
      </FormActions>
    </Form>
  );
}

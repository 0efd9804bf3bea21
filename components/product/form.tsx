"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { CircleAlert } from "lucide-react";
import { useEffect, useRef, type ComponentProps, type ReactNode } from "react";
import {
  useController,
  useForm,
  type ControllerRenderProps,
  type DefaultValues,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  type UseFormReturn,
} from "react-hook-form";
import type { z } from "zod";
import { Button, type ButtonProps } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Field, type FieldProps } from "@/components/kit/field";
import { useLatest } from "@/components/kit/latest";
import { readFailure } from "@/components/product/failure";
import { issueLine, messageAt } from "@/domain/issues";
import { afterPress } from "./pointer-press";
import { toast } from "./toast";

export interface ApiForm<Input extends FieldValues, Output> extends UseFormReturn<Input, unknown, Output> {
  /** Validates, then calls `onSubmit`; what that throws is shown at the fields or in a toast. */
  submit: () => Promise<void>;
}

/**
 * A form over a domain's zod schema. `onSubmit` gets parsed values and may throw the API's error: messages by
 * field go to those fields, the rest to a toast with the request id.
 */
export function useApiForm<Schema extends z.ZodType<FieldValues, FieldValues>>(options: {
  schema: Schema;
  defaultValues: DefaultValues<z.input<Schema>>;
  onSubmit: (values: z.output<Schema>) => void | Promise<unknown>;
}): ApiForm<z.input<Schema>, z.output<Schema>> {
  const { schema, defaultValues, onSubmit } = options;
  const form = useForm<z.input<Schema>, unknown, z.output<Schema>>({
    resolver: zodResolver(schema),
    defaultValues,
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async (values) => {
    try {
      await onSubmit(values);
    } catch (error) {
      showFailure(form, error);
    }
  });
  return { ...form, submit: () => submit() };
}

/** Puts an API error's messages at the form's fields; those of no field of this form go to the top of the form. */
function showFailure<Input extends FieldValues, Output>(
  form: UseFormReturn<Input, unknown, Output>,
  error: unknown,
): void {
  const { issues } = readFailure(error);
  const names = Object.keys(form.getValues());
  for (const name of names) {
    const message = messageAt(issues, name);
    if (message) form.setError(name as FieldPath<Input>, { type: "api", message }, { shouldFocus: true });
  }
  const unmatched = issues.filter(({ path: [top] }) => !names.includes(String(top)));
  if (unmatched.length > 0) form.setError("root", { type: "api", message: unmatched.map(issueLine).join(" ") });
  if (issues.length === 0) toast.failure(error);
}

export interface FormProps<Input extends FieldValues, Output> extends Omit<ComponentProps<"form">, "onSubmit" | "ref"> {
  form: ApiForm<Input, Output>;
}

/** Those that a person types into: the hidden ones of switches and lists have values of their own. */
const textControls = `input[name]:not([type=checkbox], [type=radio], [type=hidden], [aria-hidden]), textarea[name]`;

/** The `<form>` of a `useApiForm`, fields 16 px apart, with errors of the whole form at its top. */
export function Form<Input extends FieldValues, Output>({
  form,
  children,
  className,
  ...rest
}: FormProps<Input, Output>) {
  const message = form.formState.errors.root?.message;
  const element = useRef<HTMLFormElement>(null);
  // What was typed, or filled in by the browser, before the scripts of the page ran is in the controls alone.
  const takeOver = useLatest(() => {
    for (const control of element.current?.querySelectorAll<HTMLInputElement>(textControls) ?? []) {
      const name = control.name as FieldPath<Input>;
      // What React has put there is the default too.
      if (control.value !== control.defaultValue && typeof form.getValues(name) === "string")
        form.setValue(name, control.value as FieldPathValue<Input, typeof name>);
    }
  });
  useEffect(() => takeOver(), [takeOver]);
  return (
    <form
      ref={element}
      noValidate
      // Sent by the browser itself, before scripts run, it must not put a password into the address.
      method="post"
      {...rest}
      className={cn("flex flex-col gap-4", className)}
      onSubmit={(event) => {
        event.preventDefault();
        // A form inside a dialog inside another form must not submit both.
        event.stopPropagation();
        void form.submit();
      }}
    >
      {message && <FormError>{message}</FormError>}
      {children}
    </form>
  );
}

/** An error that belongs to no single field. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <p
      role="alert"
      className="flex items-start gap-2 rounded-panel border border-critical px-3 py-2 text-table text-critical-text"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  );
}

export interface FormFieldProps<Input extends FieldValues, Output, Name extends FieldPath<Input>> extends Omit<
  FieldProps,
  "children" | "error" | "name"
> {
  form: ApiForm<Input, Output>;
  name: Name;
  /** Draws the control: spread it on an Input, or pass `value` and `onChange` as `onValueChange`. */
  children: (control: ControllerRenderProps<Input, Name>) => ReactNode;
}

/**
 * One field of a form: `<FormField form={form} name="name" label="Name">{(control) => <Input {...control}
 * />}</FormField>`.
 */
export function FormField<Input extends FieldValues, Output, Name extends FieldPath<Input>>(
  props: FormFieldProps<Input, Output, Name>,
) {
  const { form, name, children, ...rest } = props;
  const { field, fieldState } = useController({ control: form.control, name });
  // Whoever passes a field without filling it in has done nothing wrong yet; sending the form says what is missing.
  const onBlur = () => {
    if (!isEmpty(form.getValues(name))) afterPress(field.onBlur);
  };
  return (
    <Field {...rest} name={name} error={fieldState.error?.message ?? firstNested(fieldState.error)}>
      {children({ ...field, onBlur })}
    </Field>
  );
}

/** Whether nothing was entered in a field. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** The first message of errors inside an array or object field. */
function firstNested(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  for (const part of Object.values(error)) {
    if (typeof part === "object" && part !== null && "message" in part && typeof part.message === "string")
      return part.message;
  }
  return undefined;
}

/** The button that sends a form; busy while it is being sent. */
export function SubmitButton<Input extends FieldValues, Output>(
  props: Omit<ButtonProps, "form"> & { form: ApiForm<Input, Output> },
) {
  const { form, ...rest } = props;
  return <Button variant="primary" {...rest} type="submit" busy={form.formState.isSubmitting || rest.busy} />;
}

/** The row of buttons at the end of a form in a page. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-2 pt-1">{children}</div>;
}

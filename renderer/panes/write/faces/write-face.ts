import { computed, type ComputedRef, type Ref } from 'vue'
import type { Endpoint, WriteFaceSpec } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { FormValues } from '../../../model/forms/command-draft.ts'

export type FieldChoices = Readonly<Record<string, readonly { readonly value: string; readonly label: string }[]>>

/** Help besides the schema: values read or generated, choices of the host, their sources. */
export interface WriteFace {
  readonly choices: ComputedRef<FieldChoices>
  /** The user may type other values. */
  readonly suggestions?: ComputedRef<FieldChoices>
  /** Replaces the description below a field; keys are field names. */
  readonly hints?: ComputedRef<Readonly<Record<string, string>>>
  readonly note: ComputedRef<string>
  /** A value that the form can reload; `isOutdated`: the host has another by now. */
  readonly revision: { readonly isOutdated: ComputedRef<boolean>; reload(): void }
  /** Name of the field under which the palette of the study set is shown. */
  readonly swatchField?: string
}

/** The data of the form that its special help may read and change. */
export interface FaceContext {
  readonly row: Endpoint
  readonly values: Ref<FormValues>
  /** Returns the text in a field; empty if it holds none. */
  getText(name: string): string
}

/** Absent members are as in a form without a face. Call it in a component's setup. */
export type FaceComposable<Name extends WriteFaceSpec['name']> = (
  form: FaceContext,
  face: Extract<WriteFaceSpec, { readonly name: Name }>,
) => Partial<WriteFace>

export const emptyFieldChoices: ComputedRef<FieldChoices> = computed(() => ({}))

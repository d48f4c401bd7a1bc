import { computed, type ComputedRef, type Ref } from 'vue'
import type { Endpoint, WriteFaceSpec } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { FormValues } from '../../../model/forms/command-draft.ts'

export type FieldChoices = Readonly<Record<string, readonly { readonly value: string; readonly label: string }[]>>

/** What a form knows besides its schema: values that were read or made, choices of the host, and where they come from. */
export interface WriteFace {
  readonly choices: ComputedRef<FieldChoices>
  /** Values that are known of fields in which others can be typed. */
  readonly suggestions?: ComputedRef<FieldChoices>
  /** What is said below a field in place of its own text. */
  readonly hints?: ComputedRef<Readonly<Record<string, string>>>
  readonly note: ComputedRef<string>
  /** What the form took from the host, to be read again; `isOutdated`: the host has another one by now. */
  readonly revision: { readonly isOutdated: ComputedRef<boolean>; reload(): void }
  /** The field under which the palette of the study set is shown. */
  readonly swatchField?: string
}

/** The form that a face belongs to. */
export interface FaceContext {
  readonly row: Endpoint
  readonly values: Ref<FormValues>
  /** The value of a field that holds a text; empty if it holds none. */
  getText(name: string): string
}

/** One part for each face; what it does not say is as in a form without a face. Call it in a component's setup. */
export type FaceComposable<Name extends WriteFaceSpec['name']> = (
  form: FaceContext,
  face: Extract<WriteFaceSpec, { readonly name: Name }>,
) => Partial<WriteFace>

export const emptyChoices: ComputedRef<FieldChoices> = computed(() => ({}))

import type { Component, InjectionKey } from 'vue'
import type { WireError } from '../../shared/errors.ts'

interface Remedy {
  readonly component: Component
  readonly props: Readonly<Record<string, unknown>>
}

/** Finds the remedy that the page offers for an error; null if it has none. */
export const errorRemedyKey: InjectionKey<(error: WireError) => Remedy | null> = Symbol('errorRemedy')

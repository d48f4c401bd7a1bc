import type { Component, InjectionKey } from 'vue'
import type { WireError } from '../../shared/errors.ts'

interface Remedy {
  readonly component: Component
  readonly props: Readonly<Record<string, unknown>>
}

/** The page provides a function that finds the remedy for an error; null if there is no remedy. */
export const errorRemedyKey: InjectionKey<(error: WireError) => Remedy | null> = Symbol('errorRemedy')

import type { Component, InjectionKey } from 'vue'
import type { WireError } from '../../shared/errors.ts'

/** A component that mends an error, with its props. */
interface Remedy {
  readonly component: Component
  readonly props: Readonly<Record<string, unknown>>
}

/** What the page offers in an error to mend it; null for one that it cannot mend. */
export const errorRemedyKey: InjectionKey<(error: WireError) => Remedy | null> = Symbol('errorRemedy')

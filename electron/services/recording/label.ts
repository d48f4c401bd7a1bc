import { toVisibleName } from '../../../shared/format/invisible.ts'

/** A name that a client or a person gave, as one short line; empty if there is none. */
export const cleanLabel = (text: string): string => toVisibleName(text)

/** What a client calls itself: the first product of its `User-Agent`. */
export const labelOf = (userAgent: string | undefined): string =>
  cleanLabel(/^[^\s(]+/.exec(userAgent ?? '')?.[0] ?? '') || 'client'

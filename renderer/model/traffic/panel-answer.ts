import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'

/**
 * What `host.api` would have returned (spec §1): it always parses the body as JSON and never rejects, so an answer that is not JSON, or no
 * answer, is a value with an `error` too. `value`: the body's own text. `error`: how the helper words it is not documented.
 */
export type PanelAnswer =
  | { readonly kind: 'value'; readonly text: string; readonly failure: boolean }
  | { readonly kind: 'error'; readonly why: 'not-json' | 'no-answer' }

/** `body`: the text of the answer's body, as far as it arrived. */
export function panelAnswer({ state }: Pick<ExchangeRow, 'state'>, body: string): PanelAnswer {
  if (state !== 'answered') return { kind: 'error', why: 'no-answer' }
  try {
    const value: unknown = JSON.parse(body)
    const failure = typeof value === 'object' && value !== null && Object.hasOwn(value, 'error')
    return { kind: 'value', text: body, failure }
  } catch {
    return { kind: 'error', why: 'not-json' }
  }
}

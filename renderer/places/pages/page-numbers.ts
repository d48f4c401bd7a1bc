import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

export interface PageText {
  /** Null if the host sent no text. */
  readonly text: string | null
  /** Text blocks as sent; null if they were not requested or not sent. */
  readonly blocks: readonly unknown[] | null
}

/** @param start number of the first page, used if no page of the list carries its number */
export function mapPagesByNumber(list: ResponseOf<'documents.pages'>['pages'], start: number): Map<number, PageText> {
  const hasNumbers = list.some(({ page }) => page !== undefined)
  return new Map(
    list.flatMap(({ page, text = null, blocks = null }, index) => {
      const number = hasNumbers ? page : start + index
      return number === undefined ? [] : [[number, { text, blocks }] as const]
    }),
  )
}

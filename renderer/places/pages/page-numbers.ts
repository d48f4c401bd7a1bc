import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

export interface PageText {
  /** Null where the host gave none, or something that is no text. */
  readonly text: string | null
  /** Text blocks as the host gives them; null where they were not asked for or not given. */
  readonly blocks: readonly unknown[] | null
}

/** Page texts by number. If no page gives its number, they are counted from the first page that was requested. */
export function numberPages(list: ResponseOf<'documents.pages'>['pages'], start: number): Map<number, PageText> {
  const numbered = list.some(({ page }) => page !== undefined)
  return new Map(
    list.flatMap(({ page, text = null, blocks = null }, at) => {
      const number = numbered ? page : start + at
      return number === undefined ? [] : [[number, { text, blocks }] as const]
    }),
  )
}

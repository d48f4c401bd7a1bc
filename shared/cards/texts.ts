import { asFields, flagOf, listOf, numberOf, textOf, type Fields } from './tolerant.ts'

/** One text of a card, in the order in which the host sent it. */
export interface CardText {
  /** Place in the list as sent. */
  readonly at: number
  /** The host's own index, 0 for the card itself; null if it sent none. Indexes may have gaps. */
  readonly index: number | null
  readonly text: string | null
  readonly kind: string
  readonly excerpt: boolean
  readonly noteid: string | null
  /** First and last index missing before this one. */
  readonly gap: readonly [from: number, to: number] | null
}

/** The texts of an item of `POST /notes/batch-get` (observed-0.49). Entries that are not objects become plain text. */
export function textsOf(item: Fields): CardText[] {
  let next = 0
  return listOf(item['texts']).map((entry, at) => {
    const fields = asFields(entry) ?? { text: textOf(entry) ?? JSON.stringify(entry) }
    const index = numberOf(fields['index'])
    const gap = index !== null && index > next ? ([next, index - 1] as const) : null
    if (index !== null) next = Math.max(next, index + 1)
    return {
      at,
      index,
      text: textOf(fields['text']),
      kind: textOf(fields['kind']) ?? '',
      excerpt: flagOf(fields['excerpt']) ?? false,
      noteid: textOf(fields['noteid']),
      gap,
    }
  })
}

/** A text, or a run of empty bands with consecutive indexes, which say no more than one line can. */
interface TextRun {
  readonly text: CardText
  /** Index of the last one in the run; null for a single text. */
  readonly until: number | null
  readonly count: number
}

export function runsOf(texts: readonly CardText[]): TextRun[] {
  const runs: TextRun[] = []
  for (const text of texts) {
    const last = runs.at(-1)
    if (last && text.index !== null && continues(last, text)) {
      runs[runs.length - 1] = { ...last, until: text.index, count: last.count + 1 }
    } else runs.push({ text, until: null, count: 1 })
  }
  return runs
}

const isEmptyBand = ({ kind, text }: CardText): boolean => kind === 'blank' && !text

function continues({ text: first, until }: TextRun, next: CardText): boolean {
  const before = until ?? first.index
  return (
    isEmptyBand(first) &&
    isEmptyBand(next) &&
    first.noteid === next.noteid &&
    before !== null &&
    next.index === before + 1
  )
}

import { asFields, flagOf, listOf, numberOf, textOf } from '../../../shared/cards.ts'

/** One segment of a blank; its shape is not guaranteed, so everything may be null. */
interface BlankSegment {
  readonly seq: number | null
  readonly height: number | null
  /** As sent, for what cannot be drawn. */
  readonly sent: unknown
}

/** A blank on a document page (observed-0.49 `blanks[{contentIds,segments,mapBacked}]`). */
export interface BlankView {
  /** Place in the list as sent. */
  readonly at: number
  /** The handwriting on it; empty if none is known. */
  readonly contentIds: readonly string[]
  readonly segments: readonly BlankSegment[]
  readonly mapBacked: boolean | null
  readonly owner: string | null
}

export function blanksOf(blanks: unknown): BlankView[] {
  return listOf(blanks).map((entry, at) => {
    const fields = asFields(entry) ?? {}
    return {
      at,
      contentIds: listOf(fields['contentIds']).flatMap((id) => textOf(id) ?? textOf(asFields(id)?.['contentId']) ?? []),
      segments: listOf(fields['segments']).map((sent) => {
        const segment = asFields(sent) ?? {}
        return { seq: numberOf(segment['seq']), height: numberOf(segment['height']), sent }
      }),
      mapBacked: flagOf(fields['mapBacked']),
      owner: textOf(fields['owner']) ?? textOf(fields['mapTopicid']),
    }
  })
}

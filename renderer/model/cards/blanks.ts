import { toFields, toBoolean, toList, parseHostNumber, toText } from '../../../shared/cards.ts'

/** A segment of a blank. The contract does not describe its shape, so every member may be null. */
interface BlankSegment {
  readonly seq: number | null
  readonly height: number | null
  /** The segment as the host sent it, shown if the segment cannot be drawn. */
  readonly rawSegment: unknown
}

/** A blank on a document page (observed-0.49 `blanks[{contentIds,segments,mapBacked}]`). */
export interface BlankView {
  /** Position in the host's list. */
  readonly index: number
  /** Ids of the handwriting on the blank; empty if none is known. */
  readonly contentIds: readonly string[]
  readonly segments: readonly BlankSegment[]
  readonly mapBacked: boolean | null
  readonly owner: string | null
}

export function parseBlanks(blanks: unknown): BlankView[] {
  return toList(blanks).map((entry, index) => {
    const fields = toFields(entry) ?? {}
    return {
      index,
      contentIds: toList(fields['contentIds']).flatMap((id) => toText(id) ?? toText(toFields(id)?.['contentId']) ?? []),
      segments: toList(fields['segments']).map((rawSegment) => {
        const segment = toFields(rawSegment) ?? {}
        return { seq: parseHostNumber(segment['seq']), height: parseHostNumber(segment['height']), rawSegment }
      }),
      mapBacked: toBoolean(fields['mapBacked']),
      owner: toText(fields['owner']) ?? toText(fields['mapTopicid']),
    }
  })
}

import { z } from 'zod'
import { isObject } from '../../../shared/json/object.ts'
import {
  appendMember,
  DETAILS_MEMBER,
  EXCERPTS_MEMBER,
  ListedCardParser,
  parseContent,
} from '../../../shared/snapshots/card-content.ts'
import { getSnapshotInfo, type SnapshotLine } from '../../../shared/recordings/recording.ts'
import type { CardColumns } from '../../../shared/snapshots/forest.ts'
import { snapshotInfoSchema, type SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'

/** The first member of a snapshot in a file, by which it is recognised. */
const DOCUMENT_FORMAT = 'bridge-inspector snapshot 1'
const CARDS_PER_PIECE = 5_000

const documentSchema = z.looseObject({
  format: z.literal(DOCUMENT_FORMAT),
  snapshot: snapshotInfoSchema,
  cards: z.array(z.looseObject({ noteid: z.string(), parent: z.string().nullable() })),
})

export interface SnapshotDocument extends CardColumns {
  readonly info: SnapshotInfo
}

/** Writes a snapshot as JSON, one card on each line, in pieces. */
export function* formatSnapshotDocument({ info, ids, parentIds, contents }: SnapshotDocument): Generator<string> {
  yield `{"format":${JSON.stringify(DOCUMENT_FORMAT)},\n"snapshot":${JSON.stringify({ ...info, bytes: null })},\n"cards":[`
  for (let start = 0; start < ids.length; start += CARDS_PER_PIECE) {
    const cards = ids.slice(start, start + CARDS_PER_PIECE).map((noteid, offset) => {
      const index = start + offset
      const parent = parentIds[index] === '' ? null : parentIds[index]
      const rest = (contents[index] ?? '{}').slice(1)
      return `{"noteid":${JSON.stringify(noteid)},"parent":${JSON.stringify(parent)}${rest === '}' ? '}' : `,${rest}`}`
    })
    yield `${start === 0 ? '\n' : ',\n'}${cards.join(',\n')}`
  }
  yield '\n]}\n'
}

/** @returns null if the text is no snapshot that this version wrote */
export function parseSnapshotDocument(text: string): SnapshotDocument | null {
  const parsed = documentSchema.safeParse(parseContent(text))
  return parsed.success ? toDocument(parsed.data.snapshot, parsed.data.cards) : null
}

/** Reads those snapshots of a recording that are selected by their number from 0. */
export async function readSnapshotLines(
  lines: AsyncIterable<SnapshotLine>,
  isSelected: (index: number) => boolean,
): Promise<SnapshotDocument[]> {
  const snapshots: { readonly info: SnapshotInfo; readonly cards: SnapshotLine[] }[] = []
  let index = -1
  for await (const line of lines) {
    const info = getSnapshotInfo(line)
    if (info) {
      index += 1
      if (isSelected(index)) snapshots.push({ info, cards: [] })
    } else if (isSelected(index)) snapshots.at(-1)?.cards.push(line)
  }
  return snapshots.map(({ info, cards }) => toDocument(info, cards))
}

function toDocument(info: SnapshotInfo, nodes: readonly Readonly<Record<string, unknown>>[]): SnapshotDocument {
  const parser = new ListedCardParser()
  const cards = nodes.flatMap((node) => {
    const card = parser.parse(node)
    if (!card) return []
    const { [DETAILS_MEMBER]: details, [EXCERPTS_MEMBER]: excerpts } = node
    let { content } = card
    if (isObject(details)) content = appendMember(content, DETAILS_MEMBER, details)
    if (Array.isArray(excerpts)) content = appendMember(content, EXCERPTS_MEMBER, excerpts)
    return { ...card, content }
  })
  return {
    info,
    ids: cards.map(({ noteid }) => noteid),
    parentIds: cards.map(({ parentId }) => parentId),
    contents: cards.map(({ content }) => content),
  }
}

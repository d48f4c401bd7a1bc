import { createHash } from 'node:crypto'
import { getCard, getCardForChange, type DemoState, type RouteTable } from '../state/context.ts'
import type { DemoCard, DemoPart } from '../library/model.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'

type Body = Readonly<Record<string, unknown>>
type Masks = NonNullable<DemoPart['masks']>

/** Kinds of parts that can have masks. */
const pictures = new Set(['image', 'excerpt_image'])

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

function imageOf(card: DemoCard): DemoPart {
  const part = card.parts.find(({ kind }) => pictures.has(kind))
  if (!part) throw new DemoError(422, 'NO_IMAGE', 'The card has no image. Nothing was done.')
  return part
}

/** `x, y, width, height` in fractions; `w` and `h` are accepted too, as in the short description. */
function rectOf(value: unknown, at: number): readonly [number, number, number, number] {
  const rect = (value ?? {}) as Readonly<Record<string, unknown>>
  const numbers = [rect['x'], rect['y'], rect['width'] ?? rect['w'], rect['height'] ?? rect['h']]
  if (numbers.some((n) => typeof n !== 'number' || !(n >= 0 && n <= 1))) {
    throw createParameterError(`masks[${at}].rect`, 'must be x, y, width and height in 0..1.')
  }
  return numbers as unknown as readonly [number, number, number, number]
}

/** Throws 409 if the image or its masks are not the expected ones; a fingerprint that is not given is not compared. */
function assertSame(body: Body, name: string, present: string, code: string): void {
  if (body[name] === undefined || body[name] === present) return
  throw new DemoError(409, code, 'It changed since the preview. Nothing was done; preview again.')
}

/** What a change of masks would do, and the fingerprints that the change itself must name (observed §5). */
export function planOcclusions(state: DemoState, noteid: string | undefined, body: Body) {
  const card = getCard(state, noteid)
  const part = imageOf(card)
  const sourceFingerprint = digest([part.contentId, part.seed])
  const maskFingerprint = digest(part.masks ?? [])
  assertSame(body, 'expectedSourceFingerprint', sourceFingerprint, 'IMAGE_SOURCE_CHANGED')
  assertSame(body, 'expectedMaskFingerprint', maskFingerprint, 'OCCLUSION_CHANGED')
  const wanted = (body['masks'] as readonly (Omit<Masks[number], 'index' | 'rect'> & { rect?: unknown })[]).map(
    ({ rect, group, flags, isText }, at) => ({
      index: at,
      rect: rectOf(rect, at),
      ...(group === undefined ? {} : { group }),
      ...(flags === undefined ? {} : { flags }),
      ...(isText === undefined ? {} : { isText }),
    }),
  )
  if (wanted.length === 0) throw createParameterError('masks', 'must hold at least one mask.')
  const kept: Masks = body['operation'] === 'add' ? (part.masks ?? []) : []
  const isNew = (mask: Masks[number]): boolean =>
    !kept.some(({ rect, group }) => JSON.stringify([rect, group]) === JSON.stringify([mask.rect, mask.group]))
  const masks = [...kept, ...wanted.filter(isNew)].map((mask, index) => ({ ...mask, index }))
  const existingReviewCardCount = state.library.decks
    .flatMap(({ cards }) => cards)
    .filter(({ sourceNoteId }) => sourceNoteId === card.noteid).length
  return { part, masks, sourceFingerprint, maskFingerprint, existingReviewCardCount }
}

export const occlusionRoutes = {
  'notes.imageOcclusions'(state, { params, body }) {
    for (const name of ['expectedSourceFingerprint', 'expectedMaskFingerprint']) {
      if (typeof body[name] !== 'string') throw createParameterError(name, 'is required: preview first.')
    }
    const { part, masks, existingReviewCardCount } = planOcclusions(state, params['noteid'], body)
    const card = getCardForChange(state, params['noteid'])
    card.parts = card.parts.map((one) => (one.contentId === part.contentId ? { ...one, masks } : one))
    card.revision += 1
    return createJsonReply({ persisted: true, existingReviewCardCount })
  },
} satisfies RouteTable

import { createHash } from 'node:crypto'
import { getCard, getCardForChange, type DemoState, type RouteTable } from '../state/context.ts'
import type { DemoCard, DemoPart } from '../library/model.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'

type Body = Readonly<Record<string, unknown>>
type Masks = NonNullable<DemoPart['masks']>

/** The kinds of parts that can have masks. */
const pictureKinds = new Set(['image', 'excerpt_image'])

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

function getImagePart(card: DemoCard): DemoPart {
  const part = card.parts.find(({ kind }) => pictureKinds.has(kind))
  if (!part) throw new DemoError(422, 'NO_IMAGE', 'The card has no image. Nothing was done.')
  return part
}

/** Parses `x, y, width, height` in fractions; `w` and `h` too, as in the short description. */
function parseRect(value: unknown, index: number): readonly [number, number, number, number] {
  const rect = (value ?? {}) as Readonly<Record<string, unknown>>
  const numbers = [rect['x'], rect['y'], rect['width'] ?? rect['w'], rect['height'] ?? rect['h']]
  if (numbers.some((n) => typeof n !== 'number' || !(n >= 0 && n <= 1))) {
    throw createParameterError(`masks[${index}].rect`, 'must be x, y, width and height in 0..1.')
  }
  return numbers as unknown as readonly [number, number, number, number]
}

/** @throws 409 when image or masks changed since the read; a missing fingerprint is not compared */
function assertFingerprint(body: Body, name: string, present: string, code: string): void {
  if (body[name] === undefined || body[name] === present) return
  throw new DemoError(409, code, 'It changed since the preview. Nothing was done; preview again.')
}

/** Returns the fingerprints that the request for the change must repeat (observed §5). */
export function planOcclusions(state: DemoState, noteid: string | undefined, body: Body) {
  const card = getCard(state, noteid)
  const part = getImagePart(card)
  const sourceFingerprint = digest([part.contentId, part.seed])
  const maskFingerprint = digest(part.masks ?? [])
  assertFingerprint(body, 'expectedSourceFingerprint', sourceFingerprint, 'IMAGE_SOURCE_CHANGED')
  assertFingerprint(body, 'expectedMaskFingerprint', maskFingerprint, 'OCCLUSION_CHANGED')
  const requestedMasks = (body['masks'] as readonly (Omit<Masks[number], 'index' | 'rect'> & { rect?: unknown })[]).map(
    ({ rect, group, flags, isText }, index) => ({
      index,
      rect: parseRect(rect, index),
      ...(group === undefined ? {} : { group }),
      ...(flags === undefined ? {} : { flags }),
      ...(isText === undefined ? {} : { isText }),
    }),
  )
  if (requestedMasks.length === 0) throw createParameterError('masks', 'must hold at least one mask.')
  const existingMasks: Masks = body['operation'] === 'add' ? (part.masks ?? []) : []
  const isNew = (mask: Masks[number]): boolean =>
    !existingMasks.some(({ rect, group }) => JSON.stringify([rect, group]) === JSON.stringify([mask.rect, mask.group]))
  const masks = [...existingMasks, ...requestedMasks.filter(isNew)].map((mask, index) => ({ ...mask, index }))
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
    card.parts = card.parts.map((entry) => (entry.contentId === part.contentId ? { ...entry, masks } : entry))
    card.revision += 1
    return createJsonReply({ persisted: true, existingReviewCardCount })
  },
} satisfies RouteTable

import { randomUUID } from 'node:crypto'
import { cardOf, cardToChange, namedIds, type DemoState, type Routes } from '../context.ts'
import type { Card, CardText, Part } from '../library/model.ts'
import { badParameter, DemoError, json, type DemoReply } from '../reply.ts'

/**
 * The card of a write to its comments. A body that says `expectedRevision` gets `COMMENT_CHANGED` when it is no longer the
 * present one; throws `NOTE_NOT_FOUND`.
 */
function commented(state: DemoState, noteid: string | undefined, body: Readonly<Record<string, unknown>>): Card {
  const { revision } = cardOf(state, noteid)
  const expected = body['expectedRevision']
  if (expected !== undefined && String(expected) !== String(revision)) {
    throw new DemoError(409, 'COMMENT_CHANGED', 'The comments changed since they were read.', {
      details: { commentsRevision: String(revision) },
    })
  }
  return cardToChange(state, noteid)
}

function changed(card: Card, extra: object = {}): DemoReply {
  card.revision += 1
  return json({ persisted: true, noteid: card.noteid, commentsRevision: String(card.revision), ...extra })
}

function textAt(card: Card, index: string | number | undefined): CardText {
  const text = card.texts.find((one) => one.index === Number(index))
  if (!text) throw new DemoError(404, 'COMMENT_NOT_FOUND', 'The card has no such comment.')
  return text
}

/** Throws 422 for a level that the capabilities do not list. */
function level(body: Readonly<Record<string, unknown>>, name: string, min: number, max: number): number | null {
  const value = body[name]
  if (typeof value !== 'number') return null
  if (value < min || value > max) throw badParameter(name, `must be a whole number in ${min}..${max}.`)
  return value
}

const textOf = (body: Readonly<Record<string, unknown>>): string =>
  typeof body['text'] === 'string' ? body['text'] : ''

/** The writes of observed-0.49 that change what stands on a card: small, but each really changes it. */
export const cardWriteRoutes: Routes = {
  'notes.hashtags'(state, { body }) {
    const add = (body['add'] ?? []) as string[]
    if (add.some((tag) => !/^#[^\s#]/.test(tag))) throw badParameter('add', 'each tag must begin with #.')
    const remove = new Set((body['remove'] ?? []) as string[])
    const items = namedIds(state, body).map((id) => {
      const card = cardToChange(state, id)
      card.hashtags = [...new Set([...card.hashtags.filter((tag) => !remove.has(tag)), ...add])]
      card.revision += 1
      return { noteid: id, hashtags: card.hashtags }
    })
    return json({ persisted: true, items })
  },

  'notes.metadata'(state, { body }) {
    const colorIndex = level(body, 'colorIndex', 0, 15)
    const fillIndex = level(body, 'fillIndex', -1, 2)
    const ids = namedIds(state, body)
    for (const id of ids) {
      const card = cardToChange(state, id)
      card.colorIndex = colorIndex ?? card.colorIndex
      card.fillIndex = fillIndex ?? card.fillIndex
    }
    return json({ persisted: true, count: ids.length })
  },

  'notes.fold'(state, { body }) {
    const folded = body['folded'] !== false
    const ids = namedIds(state, body)
    for (const id of ids) cardToChange(state, id).folded = folded
    return json({ persisted: true, count: ids.length, folded })
  },

  'notes.title'(state, { params, body }) {
    const card = cardToChange(state, params['noteid'])
    card.title = String(body['title'])
    return changed(card, { title: card.title })
  },

  'notes.text'(state, { params, body }) {
    const card = commented(state, params['noteid'], body)
    textAt(card, Number(body['index'] ?? 0)).text = textOf(body)
    return changed(card)
  },

  'notes.comments'(state, { params, body }) {
    const card = commented(state, params['noteid'], body)
    const index = Math.max(-1, ...card.texts.map((text) => text.index)) + 1
    card.texts.push({ index, text: textOf(body), excerpt: false, noteid: card.noteid, kind: 'text' })
    return changed(card, { index })
  },

  'notes.comment'(state, { params, body }) {
    const card = commented(state, params['noteid'], body)
    textAt(card, params['index']).text = textOf(body)
    return changed(card)
  },

  'notes.deleteComment'(state, { params, body }) {
    const card = commented(state, params['noteid'], body)
    card.texts.splice(card.texts.indexOf(textAt(card, params['index'])), 1)
    return changed(card)
  },

  'notes.foldIntoSubMap'(state, { params }) {
    const card = cardToChange(state, params['noteid'])
    card.subMapId ??= randomUUID().toUpperCase()
    return changed(card, { subMapId: card.subMapId })
  },

  'notes.imageOcclusions'(state, { params, body }) {
    const known = cardOf(state, params['noteid']).parts
    const at = known.findIndex(({ contentId, kind }) => contentId === body['contentId'] && kind === 'image')
    if (at < 0) throw new DemoError(404, 'CONTENT_NOT_FOUND', 'The card has no such image.')
    const masks = masksOf(body['masks'])
    const card = cardToChange(state, params['noteid'])
    card.parts = card.parts.map((part, index) => (index === at ? { ...part, masks } : part))
    return changed(card, { masks: masks.length })
  },

  'notes.focus'(state, { params }) {
    const card = cardOf(state, params['noteid'])
    state.open.noteid = card.noteid
    state.open.topicid = card.topicid
    return json({ persisted: true, focused: card.noteid })
  },
}

/** Masks as `POST /notes/batch-get` gives them: `rect` is x, y, width, height in fractions of the image. */
function masksOf(value: unknown): NonNullable<Part['masks']> {
  if (!Array.isArray(value)) throw badParameter('masks', 'must be a list of masks.')
  return value.map((mask: { rect?: unknown } | null, index) => {
    const rect = mask?.rect
    if (!Array.isArray(rect) || rect.length !== 4 || rect.some((n) => typeof n !== 'number' || !(n >= 0 && n <= 1))) {
      throw badParameter(`masks.${index}.rect`, 'must be four fractions.')
    }
    return { index, rect: rect as [number, number, number, number] }
  })
}

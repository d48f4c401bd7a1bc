import { cardOf, findCard, setOf, type DemoState, type Routes } from '../context.ts'
import type { Card } from '../library/model.ts'
import { uuid } from '../library/random.ts'
import { DemoError, json } from '../reply.ts'

/** The cards that a body names and that exist. */
const named = (state: DemoState, body: Readonly<Record<string, unknown>>): Card[] =>
  (body['noteIds'] as string[]).flatMap((id) => findCard(state, id) ?? [])

/** Takes a card with everything below it out of its study set. */
function withBranch(cards: readonly Card[], root: Card): Card[] {
  const ids = new Set([root.noteid])
  return cards.filter((card) => {
    if (card.parent !== null && ids.has(card.parent)) ids.add(card.noteid)
    return ids.has(card.noteid)
  })
}

function changed(card: Card, extra: object = {}): ReturnType<typeof json> {
  card.revision += 1
  return json({ persisted: true, noteid: card.noteid, commentsRevision: String(card.revision), ...extra })
}

function textAt(card: Card, index: string | undefined) {
  const text = card.texts.find((one) => one.index === Number(index))
  if (!text) throw new DemoError(404, 'COMMENT_NOT_FOUND', 'The card has no such comment.')
  return text
}

/** The writes of observed-0.49 on cards: small, but each really changes the library. */
export const cardWriteRoutes: Routes = {
  'notes.hashtags'(state, { body }) {
    const add = (body['add'] ?? []) as string[]
    const remove = (body['remove'] ?? []) as string[]
    const cards = named(state, body)
    for (const card of cards) {
      card.hashtags = [...new Set([...card.hashtags.filter((tag) => !remove.includes(tag)), ...add])]
      card.revision += 1
    }
    return json({ persisted: true, items: cards.map(({ noteid, hashtags }) => ({ noteid, hashtags })) })
  },

  'notes.metadata'(state, { body }) {
    const cards = named(state, body)
    for (const card of cards) {
      if (typeof body['colorIndex'] === 'number') card.colorIndex = body['colorIndex']
      if (typeof body['fillIndex'] === 'number') card.fillIndex = body['fillIndex']
    }
    return json({ persisted: true, count: cards.length })
  },

  'notes.move'(state, { body }) {
    const parent = typeof body['parent'] === 'string' ? cardOf(state, body['parent']) : null
    for (const card of named(state, body)) {
      const { cards } = setOf(state, card.topicid)
      const branch = withBranch(cards, card)
      if (parent && branch.includes(parent))
        throw new DemoError(422, 'MOVE_INTO_ITSELF', 'A card cannot be moved below itself.')
      card.parent = parent?.noteid ?? null
      const rest = cards.filter((one) => !branch.includes(one))
      const at = parent ? rest.indexOf(parent) + 1 : rest.length
      cards.splice(0, cards.length, ...rest.slice(0, at), ...branch, ...rest.slice(at))
    }
    return json({ persisted: true })
  },

  'notes.copy'(state, { body }) {
    const copies = named(state, body).map((card) => {
      const set = setOf(state, card.topicid)
      const copy = {
        ...card,
        noteid: uuid(`${card.noteid}/copy/${set.cards.length}`),
        bands: [],
        practice: [],
        revision: 1,
      }
      set.cards.splice(set.cards.indexOf(card) + withBranch(set.cards, card).length, 0, copy)
      state.library.cards.set(copy.noteid, copy)
      return copy.noteid
    })
    return json({ persisted: true, noteIds: copies })
  },

  'notes.delete'(state, { body }) {
    const removed: string[] = []
    for (const card of named(state, body)) {
      const set = setOf(state, card.topicid)
      for (const one of withBranch(set.cards, card)) {
        state.library.cards.delete(one.noteid)
        set.cards.splice(set.cards.indexOf(one), 1)
        removed.push(one.noteid)
      }
    }
    return json({ persisted: true, removed })
  },

  'notes.fold': (state, { body }) => json({ persisted: true, count: named(state, body).length }),

  'notes.title'(state, { params, body }) {
    const card = cardOf(state, params['noteid'])
    card.title = String(body['title'])
    return changed(card, { title: card.title })
  },

  'notes.text'(state, { params, body }) {
    const card = cardOf(state, params['noteid'])
    textAt(card, String(body['index'] ?? 0)).text = String(body['text'])
    return changed(card)
  },

  'notes.comments'(state, { params, body }) {
    const card = cardOf(state, params['noteid'])
    const index = Math.max(-1, ...card.texts.map((text) => text.index)) + 1
    card.texts.push({ index, text: String(body['text'] ?? ''), excerpt: false, noteid: card.noteid, kind: 'text' })
    return changed(card, { index })
  },

  'notes.comment'(state, { params, body }) {
    const card = cardOf(state, params['noteid'])
    textAt(card, params['index']).text = String(body['text'] ?? '')
    return changed(card)
  },

  'notes.deleteComment'(state, { params }) {
    const card = cardOf(state, params['noteid'])
    card.texts.splice(card.texts.indexOf(textAt(card, params['index'])), 1)
    return changed(card)
  },

  'notes.mergeBranch': (state, { params }) => changed(cardOf(state, params['noteid'])),

  'notes.foldIntoSubMap'(state, { params }) {
    const card = cardOf(state, params['noteid'])
    card.subMapId = uuid(`${card.noteid}/sub-map`)
    return changed(card, { subMapId: card.subMapId })
  },

  'notes.imageOcclusions': (state, { params }) => changed(cardOf(state, params['noteid'])),

  'notes.focus'(state, { params }) {
    const card = cardOf(state, params['noteid'])
    state.open.noteid = card.noteid
    state.open.topicid = card.topicid
    return json({ persisted: true, focused: card.noteid })
  },
}

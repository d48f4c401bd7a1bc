import { sameBeginning } from '../../../shared/cards.ts'
import { cardOf, cardToChange, findBand, findCard, type DemoState, type Routes } from '../context.ts'
import type { DemoCard, DemoCardText } from '../library/model.ts'
import { badParameter, DemoError, json, type DemoReply } from '../reply.ts'
import { refuseTags } from '../tags.ts'

type Body = Readonly<Record<string, unknown>>

/** Throws `COMMENT_CHANGED` if a body expects another beginning of what it replaces (observed §5). */
function expects(body: Body, present: string): void {
  const expected = body['expectedPrefix']
  if (typeof expected !== 'string' || sameBeginning(expected, present)) return
  throw new DemoError(409, 'COMMENT_CHANGED', 'The text is not the expected one. Nothing was changed.')
}

function changed(card: DemoCard, extra: object = {}): DemoReply {
  card.revision += 1
  return json({ persisted: true, ...extra })
}

/** A comment by its number; 0 is the card's own body, which has a route of its own. */
function commentAt(card: DemoCard, index: string | undefined): DemoCardText {
  if (Number(index) === 0) throw badParameter('index', 'is 0, which is the body of the card and not a comment.')
  const text = card.texts.find((one) => one.index === Number(index))
  if (!text) throw new DemoError(404, 'COMMENT_NOT_FOUND', 'The card has no such comment.')
  return text
}

const append = (card: DemoCard, text: string): void => {
  const index = Math.max(0, ...card.texts.map((one) => one.index)) + 1
  card.texts.push({ index, text, excerpt: false, noteid: card.noteid, kind: 'text' })
}

const link = /^marginnote4app:\/\/note\/([^/\s]+)$/

/** A comment that consists only of a link to a card becomes a link in both directions. */
function linkBack(state: DemoState, card: DemoCard, text: string): void {
  const target = link.exec(text.trim())?.[1]
  if (target !== undefined && target !== card.noteid && findCard(state, target)) {
    append(cardToChange(state, target), `marginnote4app://note/${card.noteid}`)
  }
}

/** Titles, texts and comments of cards (observed §5). */
export const cardTextRoutes = {
  'notes.title'(state, { params, body }) {
    const text = String(body['text'])
    const { noteid, title } = cardOf(state, params['noteid'])
    expects(body, title)
    refuseTags(noteid, text)
    const card = cardToChange(state, noteid)
    card.title = text
    return changed(card)
  },

  'notes.text'(state, { params, body }) {
    const text = String(body['text'])
    const id = params['noteid'] ?? ''
    const blank = findBand(state, id)
    if (blank) {
      expects(body, state.blankTexts.get(id) ?? '')
      state.blankTexts.set(id, text)
      return changed(cardToChange(state, blank.noteid), { groupCacheUpdated: true })
    }
    const there = cardOf(state, id)
    expects(body, there.texts.find(({ index }) => index === 0)?.text ?? '')
    refuseTags(id, text)
    const card = cardToChange(state, id)
    const own = card.texts.find(({ index }) => index === 0)
    if (own) own.text = text
    else card.texts.unshift({ index: 0, text, excerpt: false, noteid: id, kind: 'text' })
    return changed(card, { groupCacheUpdated: true })
  },

  'notes.comments'(state, { params, body }) {
    const text = String(body['text'])
    refuseTags(cardOf(state, params['noteid']).noteid, text)
    const card = cardToChange(state, params['noteid'])
    append(card, text)
    linkBack(state, card, text)
    return changed(card)
  },

  'notes.comment'(state, { params, body }) {
    const text = String(body['text'])
    const there = cardOf(state, params['noteid'])
    expects(body, commentAt(there, params['index']).text)
    refuseTags(there.noteid, text)
    const card = cardToChange(state, params['noteid'])
    commentAt(card, params['index']).text = text
    return changed(card)
  },

  'notes.deleteComment'(state, { params, body }) {
    expects(body, commentAt(cardOf(state, params['noteid']), params['index']).text)
    const card = cardToChange(state, params['noteid'])
    card.texts.splice(card.texts.indexOf(commentAt(card, params['index'])), 1)
    return changed(card)
  },
} satisfies Routes

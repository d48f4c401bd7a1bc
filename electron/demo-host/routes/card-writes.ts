import { randomUUID } from 'node:crypto'
import {
  getCard,
  getCardForChange,
  hasChildren,
  requireNoteIds,
  getTree,
  type RouteTable,
  findBandByPhysicalId,
  findCard,
  type DemoState,
} from '../state/context.ts'
import { createParameterError, DemoError, createJsonReply, type DemoReply } from '../state/reply.ts'
import { isExpectedPrefix } from '../../../shared/cards.ts'
import type { DemoCard, DemoCardText } from '../library/model.ts'

/** @throws 422 for a level that the capabilities do not list. */
function parseLevel(patch: Readonly<Record<string, unknown>>, name: string, min: number, max: number): number | null {
  const value = patch[name]
  if (typeof value !== 'number') return null
  if (value < min || value > max)
    throw createParameterError(`patch.${name}`, `must be a whole number in ${min}..${max}.`)
  return value
}

/** Routes that change many cards at once: tags, colour and fill, folding (observed §5). */
export const cardWriteRoutes = {
  'notes.hashtags'(state, { body }) {
    const change = parseTagChange(body)
    const ids = requireNoteIds(state, body)
    for (const id of ids) {
      const card = getCardForChange(state, id)
      card.hashtags = change(card.hashtags)
      card.revision += 1
    }
    return createJsonReply({ persisted: true })
  },

  'notes.metadata'(state, { body }) {
    const patch = body['patch'] as Readonly<Record<string, unknown>>
    const colorIndex = parseLevel(patch, 'colorIndex', 0, 15)
    const fillIndex = parseLevel(patch, 'fillIndex', -1, 2)
    if (colorIndex === null && fillIndex === null)
      throw createParameterError('patch', 'names neither colorIndex nor fillIndex.')
    for (const id of requireNoteIds(state, body)) {
      const card = getCardForChange(state, id)
      card.colorIndex = colorIndex ?? card.colorIndex
      card.fillIndex = fillIndex ?? card.fillIndex
    }
    return createJsonReply({ persisted: true })
  },

  'notes.fold'(state, { body }) {
    const isFolded = body['folded'] === true
    const ids = requireNoteIds(state, body)
    const leaves = ids.filter((id) => !hasChildren(state, getCard(state, id)))
    const changed = ids.filter((id) => !leaves.includes(id) && getCard(state, id).folded !== isFolded)
    for (const id of changed) getCardForChange(state, id).folded = isFolded
    const skipped = leaves.map((noteid) => ({ noteid, reason: 'no_children' }))
    return createJsonReply({ persisted: changed.length > 0, changed: changed.length, skipped })
  },

  'notes.foldIntoSubMap'(state, { params, body }) {
    const target = getCard(state, params['noteid'])
    if (!hasChildren(state, target)) {
      throw new DemoError(422, 'NO_CHILDREN', 'The card has no children. Nothing was done.')
    }
    const isUndo = body['undo'] === true
    if ((target.subMapId === null) === isUndo) {
      return createJsonReply({
        persisted: false,
        warnings: [isUndo ? 'The card is not a sub-map.' : 'The card already is a sub-map.'],
      })
    }
    getCardForChange(state, target.noteid).subMapId = isUndo ? null : randomUUID().toUpperCase()
    return createJsonReply({ persisted: true })
  },

  'notes.focus'(state, { params, body }) {
    const card = getCard(state, params['noteid'])
    const topicid = typeof body['topicid'] === 'string' ? body['topicid'] : card.topicid
    getTree(state, topicid)
    Object.assign(state.openState, { noteid: card.noteid, topicid })
    return createJsonReply({})
  },
} satisfies RouteTable

type Body = Readonly<Record<string, unknown>>

/** @throws COMMENT_CHANGED unless the text begins with the body's `expectedPrefix` (observed §5) */
function assertExpectedPrefix(body: Body, present: string): void {
  const expected = body['expectedPrefix']
  if (typeof expected !== 'string' || isExpectedPrefix(expected, present)) return
  throw new DemoError(409, 'COMMENT_CHANGED', 'The text is not the expected one. Nothing was changed.')
}

function createChangeReply(card: DemoCard, extra: object = {}): DemoReply {
  card.revision += 1
  return createJsonReply({ persisted: true, ...extra })
}

/** Index 0 is the card's own text, which has a separate route. */
function getComment(card: DemoCard, index: string | undefined): DemoCardText {
  if (Number(index) === 0) throw createParameterError('index', 'is 0, which is the body of the card and not a comment.')
  const text = card.texts.find((entry) => entry.index === Number(index))
  if (!text) throw new DemoError(404, 'COMMENT_NOT_FOUND', 'The card has no such comment.')
  return text
}

const appendComment = (card: DemoCard, text: string): void => {
  const index = Math.max(0, ...card.texts.map((entry) => entry.index)) + 1
  card.texts.push({ index, text, excerpt: false, noteid: card.noteid, kind: 'text' })
}

const CARD_LINK_PATTERN = /^marginnote4app:\/\/note\/([^/\s]+)$/

/** If a comment consists only of a link to a card, that card gets a link back. */
function addBacklink(state: DemoState, card: DemoCard, text: string): void {
  const target = CARD_LINK_PATTERN.exec(text.trim())?.[1]
  if (target !== undefined && target !== card.noteid && findCard(state, target)) {
    appendComment(getCardForChange(state, target), `marginnote4app://note/${card.noteid}`)
  }
}

export const cardTextRoutes = {
  'notes.title'(state, { params, body }) {
    const text = String(body['text'])
    const { noteid, title } = getCard(state, params['noteid'])
    assertExpectedPrefix(body, title)
    assertNotOnlyTags(noteid, text)
    const card = getCardForChange(state, noteid)
    card.title = text
    return createChangeReply(card)
  },

  'notes.text'(state, { params, body }) {
    const text = String(body['text'])
    const id = params['noteid'] ?? ''
    const blank = findBandByPhysicalId(state, id)
    if (blank) {
      assertExpectedPrefix(body, state.blankTexts.get(id) ?? '')
      state.blankTexts.set(id, text)
      return createChangeReply(getCardForChange(state, blank.noteid), { groupCacheUpdated: true })
    }
    const target = getCard(state, id)
    assertExpectedPrefix(body, target.texts.find(({ index }) => index === 0)?.text ?? '')
    assertNotOnlyTags(id, text)
    const card = getCardForChange(state, id)
    const bodyText = card.texts.find(({ index }) => index === 0)
    if (bodyText) bodyText.text = text
    else card.texts.unshift({ index: 0, text, excerpt: false, noteid: id, kind: 'text' })
    return createChangeReply(card, { groupCacheUpdated: true })
  },

  'notes.comments'(state, { params, body }) {
    const text = String(body['text'])
    assertNotOnlyTags(getCard(state, params['noteid']).noteid, text)
    const card = getCardForChange(state, params['noteid'])
    appendComment(card, text)
    addBacklink(state, card, text)
    return createChangeReply(card)
  },

  'notes.comment'(state, { params, body }) {
    const text = String(body['text'])
    const target = getCard(state, params['noteid'])
    assertExpectedPrefix(body, getComment(target, params['index']).text)
    assertNotOnlyTags(target.noteid, text)
    const card = getCardForChange(state, params['noteid'])
    getComment(card, params['index']).text = text
    return createChangeReply(card)
  },

  'notes.deleteComment'(state, { params, body }) {
    assertExpectedPrefix(body, getComment(getCard(state, params['noteid']), params['index']).text)
    const card = getCardForChange(state, params['noteid'])
    card.texts.splice(card.texts.indexOf(getComment(card, params['index'])), 1)
    return createChangeReply(card)
  },
} satisfies RouteTable

/** The full path with `#`. @throws 422 for empty levels, several tags in a text (observed §5) */
function parseTag(text: string, index: number): string {
  const path = text.replace(/^#/, '')
  if (path === '' || /\s|#/.test(path) || path.split('/').includes('')) {
    throw createParameterError(`hashtags[${index}]`, 'must be one full path without empty levels.')
  }
  return `#${path}`
}

const isSameTag = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/**
 * Returns a function that computes a card's new tags. Letter case is ignored, and the existing
 * spelling is kept.
 *
 * @throws 422 for invalid tags, and for `includeDescendants` without the operation `remove`.
 */
function parseTagChange(body: Readonly<Record<string, unknown>>): (tags: readonly string[]) => string[] {
  const bodyTags = (body['hashtags'] as readonly string[]).map(parseTag)
  const operation = body['operation']
  const includesDescendants = body['includeDescendants'] === true
  if (includesDescendants && operation !== 'remove')
    throw createParameterError('includeDescendants', 'belongs to "remove" alone.')
  const isRemoved = (tag: string): boolean =>
    bodyTags.some(
      (bodyTag) =>
        isSameTag(bodyTag, tag) || (includesDescendants && tag.toLowerCase().startsWith(`${bodyTag.toLowerCase()}/`)),
    )
  return (tags) => {
    if (operation === 'remove') return tags.filter((tag) => !isRemoved(tag))
    const result =
      operation === 'replace' ? tags.filter((tag) => bodyTags.some((bodyTag) => isSameTag(bodyTag, tag))) : [...tags]
    for (const tag of bodyTags) if (!result.some((other) => isSameTag(other, tag))) result.push(tag)
    return result
  }
}

/** @throws HASHTAG_ROUTE_REQUIRED for a text of tags only, which the route for tags takes */
function assertNotOnlyTags(noteid: string, text: string): void {
  if (!/^\s*(#[^\s#/][^\s#]*\s*)+$/.test(text)) return
  const hashtags = text.trim().split(/\s+/)
  throw new DemoError(
    422,
    'HASHTAG_ROUTE_REQUIRED',
    'Hashtags are written by POST /notes/hashtags. Nothing was done.',
    {
      details: { example: { noteIds: [noteid], operation: 'add', hashtags, confirm: true } },
    },
  )
}

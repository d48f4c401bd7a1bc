import { randomUUID } from 'node:crypto'
import { cardOf, cardToChange, hasChildren, namedIds, treeOf, type Routes } from '../context.ts'
import { tagChange } from '../tags.ts'
import { badParameter, DemoError, json } from '../reply.ts'

/** Throws 422 for a level that the capabilities do not list. */
function level(patch: Readonly<Record<string, unknown>>, name: string, min: number, max: number): number | null {
  const value = patch[name]
  if (typeof value !== 'number') return null
  if (value < min || value > max) throw badParameter(`patch.${name}`, `must be a whole number in ${min}..${max}.`)
  return value
}

/** What is written to many cards at once: tags, color and fill, folding (observed §5). */
export const cardWriteRoutes = {
  'notes.hashtags'(state, { body }) {
    const change = tagChange(body)
    const ids = namedIds(state, body)
    for (const id of ids) {
      const card = cardToChange(state, id)
      card.hashtags = change(card.hashtags)
      card.revision += 1
    }
    return json({ persisted: true })
  },

  'notes.metadata'(state, { body }) {
    const patch = body['patch'] as Readonly<Record<string, unknown>>
    const colorIndex = level(patch, 'colorIndex', 0, 15)
    const fillIndex = level(patch, 'fillIndex', -1, 2)
    if (colorIndex === null && fillIndex === null)
      throw badParameter('patch', 'names neither colorIndex nor fillIndex.')
    for (const id of namedIds(state, body)) {
      const card = cardToChange(state, id)
      card.colorIndex = colorIndex ?? card.colorIndex
      card.fillIndex = fillIndex ?? card.fillIndex
    }
    return json({ persisted: true })
  },

  'notes.fold'(state, { body }) {
    const folded = body['folded'] === true
    const ids = namedIds(state, body)
    const leaves = ids.filter((id) => !hasChildren(state, cardOf(state, id)))
    const changed = ids.filter((id) => !leaves.includes(id) && cardOf(state, id).folded !== folded)
    for (const id of changed) cardToChange(state, id).folded = folded
    const skipped = leaves.map((noteid) => ({ noteid, reason: 'no_children' }))
    return json({ persisted: changed.length > 0, changed: changed.length, skipped })
  },

  'notes.foldIntoSubMap'(state, { params, body }) {
    const there = cardOf(state, params['noteid'])
    if (!hasChildren(state, there)) {
      throw new DemoError(422, 'NO_CHILDREN', 'The card has no children. Nothing was done.')
    }
    const undo = body['undo'] === true
    if ((there.subMapId === null) === undo) {
      return json({
        persisted: false,
        warnings: [undo ? 'The card is not a sub-map.' : 'The card already is a sub-map.'],
      })
    }
    cardToChange(state, there.noteid).subMapId = undo ? null : randomUUID().toUpperCase()
    return json({ persisted: true })
  },

  'notes.focus'(state, { params, body }) {
    const card = cardOf(state, params['noteid'])
    const topicid = typeof body['topicid'] === 'string' ? body['topicid'] : card.topicid
    treeOf(state, topicid)
    Object.assign(state.open, { noteid: card.noteid, topicid })
    return json({})
  },
} satisfies Routes
